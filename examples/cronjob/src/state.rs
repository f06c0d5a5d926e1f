//! What every reconcile can use besides its object, such as a client of another system or a flag.

/// `main.rs` makes it from the flags; a reconcile reads it as `context.state`.
#[derive(Debug, Default)]
pub struct State {}

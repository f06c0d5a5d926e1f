//! What every reconcile can use besides its object, such as a client of another system or a flag.

/// `main.rs` makes it from the flags; a reconcile reads it as `context.state`.
#[derive(Debug)]
pub struct State {}

impl State {
    /// The state in tests and in the simulation, which have no flags and reach no other system.
    pub fn for_tests() -> Self {
        Self {}
    }
}

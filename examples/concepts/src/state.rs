//! The state shared by all reconciles, such as clients of other systems or the values of flags.

/// Created in `main.rs`; reconciles read it as `context.state`.
#[derive(Debug)]
pub struct State {}

impl State {
    /// Returns the state for tests and the simulation, without flags or other systems.
    pub fn for_tests() -> Self {
        Self {}
    }
}

use indicatif::ProgressBar;

use super::escape;

/// Something that takes its time, as the terminal shows it.
#[derive(Debug)]
pub struct Progress(pub(super) ProgressBar);

impl Progress {
    /// Says what is waited for now.
    pub fn say(&self, what: &str) {
        self.0.set_message(escape::line(what).into_owned());
    }

    /// Counts some more bytes.
    pub fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    /// How many bytes are counted.
    pub fn position(&self) -> u64 {
        self.0.position()
    }

    /// Goes back to so many bytes: what came after has to be done again.
    pub fn back_to(&self, bytes: u64) {
        self.0.set_position(bytes);
    }
}

impl Drop for Progress {
    /// Leaves the line to what is said next.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

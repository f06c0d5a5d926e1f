use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::error::Result;
#[cfg(unix)]
use crate::error::{Code, Context};

/// How long the signal takes to arrive when kubectl, which got it too, has ended already.
const DELAY: Duration = Duration::from_millis(200);

/// Whether somebody wants the command to end: Ctrl-C, the end of the terminal, or `kill`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on signals do not end the process.
    ///
    /// # Errors
    /// The system does not allow it.
    pub(crate) fn catch() -> Result<Self> {
        let this = Self::default();
        #[cfg(unix)]
        {
            let caught = Arc::clone(&this.0);
            ctrlc::set_handler(move || caught.store(true, Ordering::Relaxed))
                .context(Code::SystemError, || "failed to wait for signals")?;
        }
        Ok(this)
    }

    pub(crate) fn is_caught(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether it is the cause of an error that kubectl has just reported.
    pub(crate) fn is_cause(&self) -> bool {
        if !self.is_caught() {
            thread::sleep(DELAY);
        }
        self.is_caught()
    }
}

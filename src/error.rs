//! What went wrong, with the way out attached where the cause is known.

use std::fmt::Display;

/// The result of everything that can fail for the user.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What an [`Error`] means to the caller of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command was understood and could not be carried out.
    Failed,
    /// The command line asks for something that cannot be.
    Usage,
    /// A check found that files are not what would be generated.
    Drift,
    /// rop itself is at fault.
    Bug,
}

impl ErrorKind {
    /// The exit code of the process. Documented in `book/src/reference/exit-codes.md`, which a test compares.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Drift => 3,
            // As every Rust program that panics.
            Self::Bug => 101,
        }
    }
}

/// An error with its causes, and hints that say what to do.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    source: anyhow::Error,
    hints: Vec<String>,
}

impl Error {
    /// A failure that `message` describes: lowercase, without a full stop.
    pub fn new(message: impl Display) -> Self {
        Self::from(anyhow::anyhow!("{message}"))
    }

    /// A command line that asks for something that cannot be.
    pub fn usage(message: impl Display) -> Self {
        Self::new(message).with_kind(ErrorKind::Usage)
    }

    /// Files that are not what would be generated.
    pub fn drift(message: impl Display) -> Self {
        Self::new(message).with_kind(ErrorKind::Drift)
    }

    /// A fault of rop itself.
    pub(crate) fn bug(message: impl Display) -> Self {
        Self::new(message).with_kind(ErrorKind::Bug)
    }

    fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Says what the user was about to do when the error came.
    #[must_use]
    pub fn context(mut self, message: impl Display) -> Self {
        self.source = self.source.context(message.to_string());
        self
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Display) -> Self {
        self.hints.push(hint.to_string());
        self
    }

    /// What the error means to the caller of the process.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message, then each cause, outermost first.
    pub fn chain(&self) -> impl Iterator<Item = String> + '_ {
        self.source.chain().map(ToString::to_string)
    }

    /// What to do, in the order in which it was added.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
}

impl From<anyhow::Error> for Error {
    fn from(source: anyhow::Error) -> Self {
        Self {
            kind: ErrorKind::Failed,
            source,
            hints: Vec::new(),
        }
    }
}

/// Adds what was being done to the error of a library.
pub(crate) trait Context<T> {
    /// Wraps the error in the message that `message` makes.
    fn context<D: Display>(self, message: impl FnOnce() -> D) -> Result<T>;
}

impl<T, E: Into<anyhow::Error>> Context<T> for std::result::Result<T, E> {
    fn context<D: Display>(self, message: impl FnOnce() -> D) -> Result<T> {
        self.map_err(|e| Error::from(e.into()).context(message()))
    }
}

//! What went wrong, with the way out attached where the cause is known.

mod code;
mod table;

use std::fmt::Display;
use std::io;

use crate::shell_word::shell_word;

pub use code::Code;

/// The result of everything that can fail for the user.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What an [`Error`] means to the caller of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command failed.
    Failed,
    /// Invalid command line.
    Usage,
    /// A check found generated files that are out of date.
    Drift,
    /// A bug in rop.
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
    code: Code,
    source: anyhow::Error,
    hints: Vec<String>,
}

impl Error {
    /// An error that `message` describes: lowercase, without a full stop.
    pub fn new(code: Code, message: impl Display) -> Self {
        Self::of(code, anyhow::anyhow!("{message}"))
    }

    fn of(code: Code, source: anyhow::Error) -> Self {
        Self {
            code,
            source,
            hints: Vec::new(),
        }
    }

    /// Gives the error another code, if what was being done says more than the cause.
    #[must_use]
    pub fn with_code(mut self, code: Code) -> Self {
        self.code = code;
        self
    }

    /// Says what the user was about to do when the error came. The code stays that of the cause.
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

    /// The cause, as scripts see it.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What the error means to the caller of the process.
    pub fn kind(&self) -> ErrorKind {
        self.code.kind()
    }

    /// The message, then each cause, outermost first.
    pub fn chain(&self) -> impl Iterator<Item = String> + '_ {
        self.source.chain().map(ToString::to_string)
    }

    /// Whether a file is not UTF-8 text.
    fn is_about_encoding(&self) -> bool {
        let cause = self.source.root_cause().downcast_ref::<io::Error>();
        cause.is_some_and(|error| error.kind() == io::ErrorKind::InvalidData)
    }

    /// What to do, in the order in which it was added.
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
}

/// Adds what was being done to the error of a library.
pub(crate) trait Context<T> {
    /// Wraps the error in the message that `message` makes, and gives it a code.
    fn context<D: Display>(self, code: Code, message: impl FnOnce() -> D) -> Result<T>;

    /// Says what cannot be written.
    fn unwritable<D: Display>(self, message: impl FnOnce() -> D) -> Result<T>
    where
        Self: Sized,
    {
        self.context(Code::UnwritableFile, message)
    }

    /// Says which file or folder cannot be read.
    fn unreadable(self, path: impl Display) -> Result<T>
    where
        Self: Sized,
    {
        self.context(Code::UnreadableFile, || format!("failed to read `{path}`"))
            .map_err(|error| {
                if !error.is_about_encoding() {
                    return error;
                }
                let path = shell_word(&path.to_string());
                error.hint(format!(
                    "convert the file to UTF-8: `iconv -f ENCODING -t UTF-8 {path} > NEW`, where ENCODING is its own, \
                    such as `WINDOWS-1252`"
                ))
            })
    }
}

impl<T, E: Into<anyhow::Error>> Context<T> for std::result::Result<T, E> {
    fn context<D: Display>(self, code: Code, message: impl FnOnce() -> D) -> Result<T> {
        self.map_err(|e| Error::of(code, e.into()).context(message()))
    }
}

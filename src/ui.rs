//! All that rop prints: data goes to stdout, messages to stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::error::{Context, Error, Result};

/// How much rop says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors alone.
    Quiet,
    /// What was done, and what to do next.
    #[default]
    Normal,
    /// Also what was found to be right already.
    Verbose,
}

/// The terminal, or whatever stands in its place.
#[derive(Debug)]
pub struct Ui {
    color: ColorChoice,
    verbosity: Verbosity,
    /// Whether data was printed.
    has_data: AtomicBool,
}

impl Default for Ui {
    fn default() -> Self {
        Self::new(ColorChoice::Auto, Verbosity::Normal)
    }
}

/// What a line of a list says: it is there now, it is another one now, or it is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mark {
    New,
    Changed,
    Lost,
}

/// A line of a list of what was done, or would be.
pub(crate) fn entry(mark: Mark, word: &str, what: &str) -> String {
    let style = match mark {
        Mark::New => DONE,
        Mark::Changed => CHANGED,
        Mark::Lost => ERROR,
    };
    format!("{style}{word:>9}{style:#} {what}\n")
}

const DONE: Style = AnsiColor::Green.on_default().bold();
const CHANGED: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();

impl Ui {
    /// A terminal that takes color as `color` says, and is told as much as `verbosity` says.
    pub fn new(color: ColorChoice, verbosity: Verbosity) -> Self {
        Self {
            color,
            verbosity,
            has_data: AtomicBool::new(false),
        }
    }

    /// Whether messages beyond the usual are wanted.
    pub fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Whether the progress of another program would only be noise.
    pub fn hides_progress(&self) -> bool {
        self.verbosity == Verbosity::Quiet || !io::stderr().is_terminal()
    }

    /// Prints what the command was asked for. A reader that left is no error.
    pub fn data(&self, text: &str) -> Result<()> {
        self.has_data.store(true, Ordering::Relaxed);
        let mut stdout = AutoStream::new(io::stdout(), self.color).lock();
        match stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
        {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::new(format!("failed to write to stdout: {e}")))
            }
            _ => Ok(()),
        }
    }

    /// Whether the command has printed what it was asked for.
    pub fn has_data(&self) -> bool {
        self.has_data.load(Ordering::Relaxed)
    }

    /// Says what was done.
    pub fn done(&self, word: &str, what: &str) {
        self.labelled(DONE, word, what);
    }

    /// Says what is being built, where the progress of the build does not show it.
    pub fn building(&self, what: &str) {
        if self.hides_progress() {
            self.labelled(NOTE, "build", what);
        }
    }

    /// Shows that something takes its time, until what it gives is dropped. Where there is no
    /// terminal it is one line.
    ///
    /// With a `total`, [`Progress::advance`] counts up to it in bytes.
    #[must_use]
    pub fn progress(&self, word: &str, what: &str, total: Option<u64>) -> Progress {
        if self.hides_progress() {
            self.labelled(NOTE, word, what);
            return Progress(ProgressBar::hidden());
        }
        let template = match total {
            Some(_) => "{prefix:>9.cyan.bold} {msg} {bytes}/{total_bytes} {wide_bar}",
            None => "{prefix:>9.cyan.bold} {msg} {spinner} {elapsed}",
        };
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(total, target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(word.to_owned());
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress(bar)
    }

    /// Asks a question that is answered with yes or no. `None` where nobody is there to answer.
    pub fn ask(&self, question: &str) -> Result<Option<bool>> {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return Ok(None);
        }
        let mut stderr = AutoStream::new(io::stderr(), self.color).lock();
        let _ = write!(stderr, "{CHANGED}{question}{CHANGED:#} [y/N] ");
        let _ = stderr.flush();
        let mut answer = String::new();
        io::stdin()
            .read_line(&mut answer)
            .context(|| "failed to read the answer")?;
        let answer = answer.trim().to_lowercase();
        Ok(Some(["y", "yes"].contains(&&*answer)))
    }

    /// Says something that the user should know.
    pub fn note(&self, text: &str) {
        self.message(Verbosity::Normal, &format!("{NOTE}note{NOTE:#}: {text}"));
    }

    /// Says what to do next: a line of text, or a command.
    pub fn next(&self, lines: &[String]) {
        let steps: String = lines.iter().map(|line| format!("\n  {line}")).collect();
        self.message(Verbosity::Normal, &format!("\n{NOTE}next{NOTE:#}:{steps}"));
    }

    /// Lists what was done, as lines of [`entry`].
    pub(crate) fn list(&self, lines: &str) {
        self.message(Verbosity::Normal, lines.trim_end_matches('\n'));
    }

    /// Reports what ended the command.
    pub fn error(&self, error: &Error) {
        for (depth, cause) in error.chain().enumerate() {
            let line = match depth {
                0 => format!("{ERROR}error{ERROR:#}: {cause}"),
                _ => format!("  caused by: {}", cause.replace('\n', "\n  ")),
            };
            self.message(Verbosity::Quiet, &line);
        }
        for hint in error.hints() {
            self.message(Verbosity::Quiet, &format!("{NOTE}hint{NOTE:#}: {hint}"));
        }
    }

    fn labelled(&self, style: Style, word: &str, what: &str) {
        self.message(
            Verbosity::Normal,
            &format!("{style}{word:>9}{style:#} {what}"),
        );
    }

    /// Writes a line to stderr. Where even that fails there is nobody to tell.
    fn message(&self, from: Verbosity, text: &str) {
        if self.verbosity >= from {
            let mut stderr = AutoStream::new(io::stderr(), self.color).lock();
            let _ = writeln!(stderr, "{text}");
        }
    }
}

/// Something that takes its time, as the terminal shows it.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Says what is waited for now.
    pub fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
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

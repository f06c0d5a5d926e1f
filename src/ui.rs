//! All that rop prints: data goes to stdout, messages to stderr.
//!
//! Only rop's own words have a style: they are `&'static str`. All else is text that others may have
//! written, and every [`Piece`] of it is escaped.

mod escape;
mod findings;
mod progress;

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use crate::error::{Code, Context, Error, Result};

pub(crate) use findings::Issue;
pub use progress::Progress;

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
    /// The notes so far.
    notes: Mutex<Vec<String>>,
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
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) mark: Mark,
    pub(crate) word: &'static str,
    pub(crate) what: String,
}

/// A part of what is printed.
enum Piece<'a> {
    /// rop's own words.
    Own(&'static str),
    /// Such a word in a style.
    Styled(Style, &'static str),
    /// The same, as the label of a line.
    Label(Style, &'static str),
    /// What begins an error.
    Error(Code),
    /// What begins a finding: its level and its rule.
    Finding(Style, &'static str, &'static str),
    /// A text that is shown as it is.
    Shown(&'a str),
    /// A text for one line.
    Line(&'a str),
    /// A text of some lines.
    Text(&'a str),
}

/// So many lines of a message are shown.
const MOST_LINES: usize = 1000;

/// Whether a terminal shows a text as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    escape::is_plain(text)
}

/// A text as one line, in which everything is visible: for a report that is also read from a file.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    escape::line(text)
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
            notes: Mutex::default(),
        }
    }

    /// Whether messages beyond the usual are wanted.
    pub fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Whether the progress of another program would only be noise.
    pub fn hides_progress(&self) -> bool {
        self.is_quiet() || !io::stderr().is_terminal()
    }

    /// Prints what the command was asked for: to a terminal with what that does not show written out,
    /// and to all else as it is. A reader that left is no error.
    pub fn data(&self, text: &str) -> Result<()> {
        let stdout = io::stdout();
        let shown = for_reader(text, stdout.is_terminal());
        self.print(stdout.lock(), &shown)
    }

    /// Prints what a check or a dry run found, unless only errors are wanted.
    pub fn found(&self, text: &str) -> Result<()> {
        if self.is_quiet() {
            return Ok(());
        }
        self.data(text)
    }

    /// Whether only errors are wanted.
    fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    /// Prints JSON that the command was asked for.
    pub fn json(&self, value: &Value) -> Result<()> {
        let text = format!("{value:#}\n");
        self.print(io::stdout().lock(), &escape::json(&text))
    }

    /// As [`Self::found`], of a list.
    pub(crate) fn found_list(&self, entries: &[Entry]) -> Result<()> {
        if self.is_quiet() {
            return Ok(());
        }
        self.data_list(entries)
    }

    /// Prints a list that the command was asked for.
    pub(crate) fn data_list(&self, entries: &[Entry]) -> Result<()> {
        let stdout = AutoStream::new(io::stdout(), self.color);
        self.print(stdout.lock(), &list(entries))
    }

    fn print(&self, mut stdout: impl Write, text: &str) -> Result<()> {
        self.has_data.store(true, Ordering::Relaxed);
        let printed = stdout.write_all(text.as_bytes());
        match printed.and_then(|()| stdout.flush()) {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Error::new(
                Code::OutputNotWritten,
                format!("failed to write to stdout: {e}"),
            )),
            _ => Ok(()),
        }
    }

    /// Whether the command has printed what it was asked for.
    pub fn has_data(&self) -> bool {
        self.has_data.load(Ordering::Relaxed)
    }

    /// Says what was done.
    pub fn done(&self, word: &'static str, what: &str) {
        self.labelled(DONE, word, what);
    }

    /// Says what is being built, where the progress of the build does not show it.
    pub fn building(&self, what: &str) {
        if self.hides_progress() {
            self.labelled(NOTE, "building", what);
        }
    }

    /// Shows that something takes its time, until what it gives is dropped. Where there is no
    /// terminal it is one line.
    ///
    /// With a `total`, [`Progress::advance`] counts up to it in bytes.
    #[must_use]
    pub fn progress(&self, word: &'static str, what: &str, total: Option<u64>) -> Progress {
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
        bar.set_prefix(word);
        bar.set_message(escape::line(what).into_owned());
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress(bar)
    }

    /// Asks a question that is answered with yes or no. `None` where nobody is there to answer.
    pub fn ask(&self, question: &str) -> Result<Option<bool>> {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return Ok(None);
        }
        let mut stderr = AutoStream::new(io::stderr(), self.color).lock();
        let question = escape::line(question);
        let _ = write!(stderr, "{CHANGED}{question}{CHANGED:#} [y/N] ");
        let _ = stderr.flush();
        let mut answer = String::new();
        io::stdin()
            .read_line(&mut answer)
            .context(Code::SystemError, || "failed to read the answer")?;
        let answer = answer.trim().to_lowercase();
        Ok(Some(["y", "yes"].contains(&&*answer)))
    }

    /// Says something that the user should know.
    pub fn note(&self, text: &str) {
        if let Ok(mut notes) = self.notes.lock() {
            notes.push(text.to_owned());
        }
        let pieces = [
            Piece::Styled(NOTE, "note"),
            Piece::Own(": "),
            Piece::Text(text),
        ];
        self.message(Verbosity::Normal, &pieces);
    }

    /// The notes so far, for a report as JSON.
    pub(crate) fn notes(&self) -> Vec<String> {
        let notes = self.notes.lock();
        notes.map_or_else(|_| Vec::new(), |notes| notes.clone())
    }

    /// Says what to do next: a line of text, or a command.
    pub fn next(&self, lines: &[String]) {
        let mut pieces = vec![
            Piece::Own("\n"),
            Piece::Styled(NOTE, "next"),
            Piece::Own(":"),
        ];
        for line in lines {
            pieces.extend([Piece::Own("\n  "), Piece::Line(line)]);
        }
        self.message(Verbosity::Normal, &pieces);
    }

    /// Lists what was done.
    pub(crate) fn list(&self, entries: &[Entry]) {
        if self.verbosity >= Verbosity::Normal {
            let mut stderr = AutoStream::new(io::stderr(), self.color).lock();
            let _ = write!(stderr, "{}", list(entries));
        }
    }

    /// Reports what ended the command.
    pub fn error(&self, error: &Error) {
        for (depth, cause) in error.chain().enumerate() {
            if depth == 0 {
                let pieces = [
                    Piece::Error(error.code()),
                    Piece::Own(": "),
                    Piece::Text(&cause),
                ];
                self.message(Verbosity::Quiet, &pieces);
            } else {
                let cause = cause.replace('\n', "\n  ");
                let pieces = [
                    Piece::Own("  "),
                    Piece::Own(escape::CAUSE),
                    Piece::Own(" "),
                    Piece::Text(&cause),
                ];
                self.message(Verbosity::Quiet, &pieces);
            }
        }
        for hint in error.hints() {
            let pieces = [
                Piece::Styled(NOTE, "hint"),
                Piece::Own(": "),
                Piece::Text(hint),
            ];
            self.message(Verbosity::Quiet, &pieces);
        }
    }

    /// Reports what is wrong with the command line, in clap's words, with its styles if they are all that a
    /// terminal acts on.
    pub(crate) fn usage(&self, text: &str, is_plain: bool) {
        let piece = if is_plain { Piece::Shown } else { Piece::Text };
        self.message(Verbosity::Quiet, &[piece(text.trim_end())]);
    }

    fn labelled(&self, style: Style, word: &'static str, what: &str) {
        let pieces = [
            Piece::Label(style, word),
            Piece::Own(" "),
            Piece::Line(what),
        ];
        self.message(Verbosity::Normal, &pieces);
    }

    /// Writes a line to stderr. Where even that fails there is nobody to tell.
    fn message(&self, from: Verbosity, pieces: &[Piece<'_>]) {
        if self.verbosity >= from {
            let mut stderr = AutoStream::new(io::stderr(), self.color).lock();
            let _ = writeln!(stderr, "{}", shown(pieces));
        }
    }
}

/// The text of a list.
fn list(entries: &[Entry]) -> String {
    let line = |entry: &Entry| {
        let style = match entry.mark {
            Mark::New => DONE,
            Mark::Changed => CHANGED,
            Mark::Lost => ERROR,
        };
        let what = Piece::Line(&entry.what);
        shown(&[
            Piece::Label(style, entry.word),
            Piece::Own(" "),
            what,
            Piece::Own("\n"),
        ])
    };
    entries.iter().map(line).collect()
}

/// Pieces as one text: what is not rop's own is escaped.
fn shown(pieces: &[Piece<'_>]) -> String {
    let piece = |piece: &Piece<'_>| match *piece {
        Piece::Own(text) | Piece::Shown(text) => text.to_owned(),
        Piece::Styled(style, word) => format!("{style}{word}{style:#}"),
        Piece::Label(style, word) => format!("{style}{word:>9}{style:#}"),
        Piece::Error(code) => format!("{ERROR}error[{}]{ERROR:#}", code.name()),
        Piece::Finding(style, level, rule) => format!("{style}{level}[{rule}]{style:#}"),
        Piece::Line(text) => escape::line(text).into_owned(),
        Piece::Text(text) => escape::message(text, MOST_LINES),
    };
    pieces.iter().map(piece).collect()
}

/// Data as its reader gets it: a program gets every byte.
fn for_reader(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if is_terminal {
        escape::text(text)
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_words_have_a_style() {
        let entry = Entry {
            mark: Mark::New,
            word: "create",
            what: "src/\u{1b}[2J\nerror: x".into(),
        };
        assert_eq!(
            list(&[entry]),
            format!("{DONE}   create{DONE:#} src/\\u{{1b}}[2J\\nerror: x\n")
        );
        let pieces = [
            Piece::Styled(NOTE, "note"),
            Piece::Text("\u{9b}2J\nhint: y"),
        ];
        assert_eq!(
            shown(&pieces),
            format!("{NOTE}note{NOTE:#}\\u{{9b}}2J\n  hint: y")
        );
    }

    #[test]
    fn a_program_gets_data_as_it_is() {
        assert_eq!(for_reader("+\u{1b}[2J\n", false), "+\u{1b}[2J\n");
        assert_eq!(for_reader("+\u{1b}[2J\n", true), "+\\u{1b}[2J\n");
    }
}

//! The moments of a commit, which tests watch and interrupt.

use std::io;

/// What a commit, or the healing of one, is about to do to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Make the folder that texts are staged in.
    Prepare,
    /// Stage a text.
    Stage,
    /// Write the journal.
    Journal,
    /// Keep what a file held.
    Keep,
    /// Put a staged text in its place, or delete the file.
    Put,
    /// Rename a staged text, where nothing has its name. An error [`Unsupported`](io::ErrorKind::Unsupported) means a
    /// file system that cannot: the text gets a second name then.
    Rename,
    /// Remove the name that a text was staged under.
    Unstage,
    /// Decide to undo what was done.
    TurnBack,
    /// Undo a change of one file.
    Restore,
    /// Remove a folder of the project that is empty now.
    Prune,
    /// Remove a file of the folder.
    CleanUp,
}

/// Is told of each step just before it. An error is taken for one of the disk.
pub type Observer<'a> = dyn FnMut(Step) -> io::Result<()> + 'a;

/// The steps of one commit.
pub(super) struct Steps<'a>(pub(super) &'a mut Observer<'a>);

impl Steps<'_> {
    /// Goes on to a step, unless the observer refuses it.
    pub(super) fn take(&mut self, step: Step) -> io::Result<()> {
        (self.0)(step)
    }
}

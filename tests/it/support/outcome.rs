use std::fmt;

/// How a command ended and what it printed, with the machine's paths taken out.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The command did what it was asked to.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.exits(0)
    }

    /// The command ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// The command found nothing to do.
    #[track_caller]
    pub(crate) fn did_nothing(self) {
        let this = self.ok();
        assert!(this.stderr.contains("everything is up to date"), "{this}");
    }

    /// A compiler had nothing to say.
    #[track_caller]
    pub(crate) fn has_no_warning(self) -> Self {
        assert!(!self.stderr.contains("warning"), "{self}");
        self
    }

    /// Something that the command said.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(
            self.stderr.contains(text) || self.stdout.contains(text),
            "no {text:?} in {self}"
        );
        self
    }

    /// Something that the command did not say.
    #[track_caller]
    pub(crate) fn omits(self, text: &str) -> Self {
        assert!(
            !self.stderr.contains(text) && !self.stdout.contains(text),
            "{text:?} in {self}"
        );
        self
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit: {}", self.code)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                writeln!(f, "--- {name}\n{}", text.trim_end())?;
            }
        }
        Ok(())
    }
}

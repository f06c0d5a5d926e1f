/// What is known of a program or a place.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) name: &'static str,
    pub(crate) state: State,
    /// Whether nothing works without it. Otherwise only some commands need it.
    pub(crate) is_required: bool,
    /// What needs it.
    pub(crate) needed_for: &'static str,
    /// What to do if it is not usable.
    pub(crate) remedy: String,
}

/// Whether it is usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It is: with what is known of it, such as its version, and where it is.
    Found { about: String, place: String },
    /// It does not exist: why, if there is more to say.
    Missing(String),
    /// It exists but cannot be used, because of this.
    Unusable(String),
}

impl Finding {
    /// Something that only some commands need.
    pub(super) fn optional(name: &'static str, needed_for: &'static str, state: State) -> Self {
        Self {
            name,
            state,
            is_required: false,
            needed_for,
            remedy: String::new(),
        }
    }

    /// Something without which nothing works.
    pub(super) fn required(name: &'static str, needed_for: &'static str, state: State) -> Self {
        Self {
            is_required: true,
            ..Self::optional(name, needed_for, state)
        }
    }

    /// Says how to get it.
    pub(super) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    pub(crate) fn is_usable(&self) -> bool {
        matches!(self.state, State::Found { .. })
    }
}

impl State {
    pub(super) fn found(about: impl Into<String>, place: impl Into<String>) -> Self {
        Self::Found {
            about: about.into(),
            place: place.into(),
        }
    }
}

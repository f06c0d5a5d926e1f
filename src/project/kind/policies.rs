use serde::{Deserialize, Serialize};

/// The admission policies of a kind: CEL that the API server runs itself. The key is rop's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policies {
    /// Whether one sets what was left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mutating: bool,
    /// Whether one says what is wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub validating: bool,
}

impl Policies {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        !self.mutating && !self.validating
    }

    /// Whether there is one of this sort.
    pub fn has(self, sort: PolicySort) -> bool {
        match sort {
            PolicySort::Mutating => self.mutating,
            PolicySort::Validating => self.validating,
        }
    }

    /// Those that there are.
    pub fn sorts(self) -> impl Iterator<Item = PolicySort> {
        PolicySort::ALL
            .into_iter()
            .filter(move |sort| self.has(*sort))
    }

    /// These, and `more`.
    #[must_use]
    pub fn with(self, more: Self) -> Self {
        Self {
            mutating: self.mutating || more.mutating,
            validating: self.validating || more.validating,
        }
    }
}

/// What a policy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicySort {
    /// To set what was left out: a `MutatingAdmissionPolicy`.
    Mutating,
    /// To say what is wrong: a `ValidatingAdmissionPolicy`.
    Validating,
}

impl PolicySort {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Mutating, Self::Validating];

    /// As its kind, its flag and its files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mutating => "mutating",
            Self::Validating => "validating",
        }
    }
}

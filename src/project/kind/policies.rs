use serde::{Deserialize, Serialize};

/// The admission policies of a kind: CEL that the API server runs itself. The key is rop's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policies {
    /// Whether there is a mutating policy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mutating: bool,
    /// Whether there is a validating policy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub validating: bool,
}

impl Policies {
    /// Whether there are no policies.
    pub fn is_none(&self) -> bool {
        !self.mutating && !self.validating
    }

    /// Whether there is a policy of this sort.
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
    /// A `MutatingAdmissionPolicy`, which sets defaults.
    Mutating,
    /// A `ValidatingAdmissionPolicy`, which rejects invalid objects.
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

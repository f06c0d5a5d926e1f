//! Names as Kubernetes allows them, each a validated type.
//!
//! The rules are those of `k8s.io/apimachinery/pkg/util/validation` and of the
//! `CustomResourceDefinition` validation in `k8s.io/apiextensions-apiserver`.

mod controller_name;
mod deprecation_warning;
mod domain;
mod group;
mod image;
mod kind;
mod owner;
mod package;
mod plural;
mod ranked;
mod rust;
mod rust_path;
mod version;
mod webhook_path;

pub use controller_name::ControllerName;
pub use deprecation_warning::DeprecationWarning;
pub use domain::Domain;
pub use group::Group;
pub use image::{Image, Tag};
pub use kind::Kind;
pub use owner::Owner;
pub use package::{ProjectName, crate_name};
pub use plural::{Label, Plural};
pub(crate) use rust::joined;
pub(super) use rust::module;
pub use rust_path::RustPath;
pub use version::Version;
pub use webhook_path::WebhookPath;

use std::fmt;

use crate::dns as rule;
use crate::error::Code;

/// A name that cannot be, the rule that it breaks and what was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    /// What sort of name it is: `kind`, `group`.
    pub what: &'static str,
    /// The name as it was given.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
    /// What to do.
    pub hint: Option<String>,
}

impl NameError {
    fn new(what: &'static str, value: &str, rule: impl Into<String>) -> Self {
        Self {
            what,
            value: value.to_owned(),
            rule: rule.into(),
            hint: None,
        }
    }

    /// Suggests `candidate` where it is a valid name of type `T` and another one.
    fn suggest<T: std::str::FromStr>(mut self, candidate: &str) -> Self {
        if candidate != self.value && candidate.parse::<T>().is_ok() {
            self.hint = Some(format!("did you mean `{candidate}`?"));
        }
        self
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid {} `{}`: {}", self.what, self.value, self.rule)
    }
}

impl std::error::Error for NameError {}

impl From<NameError> for crate::Error {
    fn from(error: NameError) -> Self {
        let hint = error.hint.clone();
        let error = Self::new(Code::InvalidName, error);
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// Gives a validated string type what every name needs.
macro_rules! name {
    ($name:ident) => {
        impl $name {
            /// The name as it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::project::name::NameError;
            fn try_from(value: String) -> Result<Self, Self::Error> {
                value.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }
    };
}
use name;

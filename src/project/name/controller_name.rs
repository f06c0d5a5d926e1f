use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Kind, NameError, name, rule};

/// The name of a controller, such as `backup`: a DNS-1035 label, as kubebuilder has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ControllerName(String);
name!(ControllerName);

impl ControllerName {
    /// That of the first controller of a kind: the kind in lower case.
    pub fn of(kind: &Kind) -> Self {
        Self(kind.lower())
    }

    /// What is left of it if only letters and digits count: kubebuilder makes a Go type of that.
    pub fn letters(&self) -> String {
        self.0.replace('-', "")
    }
}

impl FromStr for ControllerName {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let error = |rule| NameError::new("controller name", value, rule);
        rule::label_1035(value)
            .map_err(|rule| error(rule).suggest::<Self>(&rule::guess(value, false)))?;
        Ok(Self(value.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_labels_that_start_with_a_letter() {
        for good in ["backup", "captain-backup", "b2"] {
            assert!(good.parse::<ControllerName>().is_ok(), "{good}");
        }
        for bad in ["", "Backup", "2nd", "a_b", "-a", "a-", "a.b"] {
            assert!(bad.parse::<ControllerName>().is_err(), "{bad}");
        }
        let error = "Captain_x".parse::<ControllerName>().expect_err("no name");
        assert_eq!(error.hint.as_deref(), Some("did you mean `captain-x`?"));
    }
}

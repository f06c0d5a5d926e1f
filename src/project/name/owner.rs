use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name};
use crate::hidden::is_hidden;

/// Who holds the copyright: one line, since it stands in a comment of every source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Owner(String);
name!(Owner);

impl FromStr for Owner {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        if value.trim().is_empty() {
            return Err(NameError::new("owner", value, "must not be empty"));
        }
        if value.contains(is_hidden) {
            return Err(NameError::new(
                "owner",
                value,
                "must be one line of printable characters",
            ));
        }
        Ok(Self(value.trim().to_owned()))
    }
}

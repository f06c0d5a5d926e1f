use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name};
use crate::hidden::is_hidden;

/// No warning is longer, in bytes.
const LONGEST: usize = 256;

/// What the API server warns clients of a deprecated version with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DeprecationWarning(String);
name!(DeprecationWarning);

impl FromStr for DeprecationWarning {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let error = |rule| Err(NameError::new("deprecation warning", value, rule));
        match () {
            () if value.is_empty() => error("is empty"),
            () if value.len() > LONGEST => error("must have at most 256 bytes"),
            () if value.contains(is_hidden) => error("only printable characters are allowed"),
            () => Ok(Self(value.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_what_an_api_server_takes() {
        for good in ["use v1", "größer als \"v1\"", &"a".repeat(256)] {
            assert!(good.parse::<DeprecationWarning>().is_ok(), "{good}");
        }
        for bad in ["", "a\nb", "a\u{202e}b", &"a".repeat(257)] {
            assert!(bad.parse::<DeprecationWarning>().is_err(), "{bad}");
        }
    }
}

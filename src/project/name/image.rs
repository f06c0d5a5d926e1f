use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name};

/// The reference of a container image, such as `nginx:1.29`.
///
/// Only the characters of the OCI distribution specification's references may stand in it, so that
/// it is the same in Rust and in YAML; whether there is such an image, nobody asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Image(String);
name!(Image);

impl FromStr for Image {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let error =
            |rule: String| NameError::new("image", value, rule).suggest::<Self>(value.trim());
        let is_word = |c: char| c.is_ascii_alphanumeric();
        if let Some((at, c)) = value
            .chars()
            .enumerate()
            .find(|(_, c)| !is_word(*c) && !"._-/:@".contains(*c))
        {
            return Err(error(format!(
                "has {c:?} at character {}, which no reference can hold",
                at + 1
            )));
        }
        if !value.starts_with(is_word) || !value.ends_with(is_word) {
            return Err(error("must start and end with a letter or a digit".into()));
        }
        Ok(Self(value.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_references() {
        for good in [
            "nginx",
            "nginx:1.29",
            "127.0.0.1:5000/a/b-c:v1",
            "ghcr.io/a/b@sha256:0123",
        ] {
            assert!(good.parse::<Image>().is_ok(), "{good}");
        }
        for bad in ["", "a b", "nginx:", "a\"b", "ä", "-x"] {
            assert!(bad.parse::<Image>().is_err(), "{bad}");
        }
    }
}

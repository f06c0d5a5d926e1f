//! Values of flags that are more than one name.

use std::str::FromStr;

use crate::project::name::{Image, NameError};

/// A base image, or none.
#[derive(Clone, Debug)]
pub(in crate::cli) struct BaseImage(pub(in crate::cli) Option<Image>);

impl FromStr for BaseImage {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        match value {
            "scratch" => Ok(Self(None)),
            image => Ok(Self(Some(image.parse()?))),
        }
    }
}

/// A name with a value.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Pair {
    pub(in crate::cli) name: String,
    pub(in crate::cli) value: String,
}

impl FromStr for Pair {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        match value.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err(NameError {
                what: "value",
                value: value.to_owned(),
                rule: "expected NAME=VALUE".into(),
                hint: Some("for example `org.opencontainers.image.vendor=Example`".into()),
            }),
        }
    }
}

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name};

/// The path of a Rust module, such as `cert_manager_types::v1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RustPath(String);
name!(RustPath);

impl FromStr for RustPath {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        // `_` and keywords are none; `crate` and `super` are other modules in each file that has the path.
        let is_word = |word: &str| {
            let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            is_plain && syn::parse_str::<syn::Ident>(word).is_ok()
        };
        if value.split("::").all(is_word) {
            return Ok(Self(value.to_owned()));
        }
        let rule = "expected the path of a Rust module";
        let hint = "for example `cert_manager_types::v1`";
        Err(NameError::new("module path", value, rule).hint(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_no_more_than_that() {
        for path in ["a", "cert_manager_types::v1", "_a::B2"] {
            assert!(path.parse::<RustPath>().is_ok(), "{path}");
        }
        for path in [
            "",
            "a::",
            "a::1b",
            "a; fn injected() {} use b",
            "a::b\n",
            " a",
            "_",
            "a::_",
            "crate::x",
            "super::x",
            "self",
            "a::fn",
            "a::r#b::/**/c",
        ] {
            assert!(path.parse::<RustPath>().is_err(), "{path}");
        }
    }
}

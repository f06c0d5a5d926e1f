use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name, rule, rust};

/// The part of an API group before the domain, such as `app`: a DNS-1123 subdomain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Group(String);
name!(Group);

impl Group {
    /// The Rust module of the group: `my-group` → `my_group`, `1st` → `_1st`, `type` → `type_`, `xn--a` → `xn_a`.
    pub fn module(&self) -> String {
        let words = self.0.split(['-', '.']).filter(|word| !word.is_empty());
        rust::module(&words.collect::<Vec<_>>().join("_"))
    }

    /// Checks the length of a group with its domain.
    ///
    /// # Errors
    /// It is too long for an API server.
    pub fn check_whole(group: &str) -> Result<(), NameError> {
        rule::length(group, rule::SUBDOMAIN_MAX)
            .map_err(|rule| NameError::new("API group", group, rule).hint("shorten the group"))
    }
}

impl FromStr for Group {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        rule::subdomain_1123(value).map_err(|rule| {
            let error = NameError::new("group", value, rule);
            match value {
                "" => error.hint("to use the project's domain as the group: `--group example.com`"),
                _ => error.suggest::<Self>(&rule::guess(value, true)),
            }
        })?;
        Ok(Self(value.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_a_module() {
        for (group, module) in [
            ("app", "app"),
            ("my-group", "my_group"),
            ("a.b", "a_b"),
            ("xn--bcher-kva.example", "xn_bcher_kva_example"),
            ("1st", "_1st"),
            ("type", "type_"),
            ("self", "self_"),
            ("core", "core_"),
            ("test", "test_"),
        ] {
            let group: Group = group.parse().expect(group);
            assert_eq!(group.module(), module);
        }
    }

    #[test]
    fn says_what_was_probably_meant() {
        let error = "App_Group".parse::<Group>().expect_err("not a group");
        assert_eq!(error.hint.as_deref(), Some("did you mean `app-group`?"));
    }
}

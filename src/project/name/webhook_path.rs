use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name, rule};

/// The path of a URL that the API server calls a webhook by, such as `/validate--v1-pod`.
///
/// The API server takes paths of DNS-1123 names (`ValidateWebhookService` in `k8s.io/apiserver`), and the runtime
/// serves those without dots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WebhookPath(String);
name!(WebhookPath);

impl FromStr for WebhookPath {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let parts = value.strip_prefix('/').map(|rest| rest.split('/'));
        let is_label = |part: &str| {
            rule::length(part, rule::SUBDOMAIN_MAX).is_ok() && rule::label_chars(part).is_ok()
        };
        if value == "/" || parts.is_some_and(|mut parts| parts.all(is_label)) {
            return Ok(Self(value.to_owned()));
        }
        let rule = "must start with `/`; each segment has lowercase letters, digits and `-`, but no `-` at an end";
        let error = NameError::new("webhook path", value, rule);
        let meant = format!("/{}", rule::guess(value, false));
        Err(error.suggest::<Self>(&meant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_the_api_server_and_the_runtime_take() {
        for good in ["/", "/validate--v1-pod", "/a/b-c/1"] {
            assert!(good.parse::<WebhookPath>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "validate",
            "/Validate",
            "/a.b",
            "/-a",
            "/a-",
            "//",
            "/a/",
            "/a?b",
        ] {
            assert!(bad.parse::<WebhookPath>().is_err(), "{bad}");
        }
        let error = "Validate_Pod".parse::<WebhookPath>().expect_err("no path");
        assert_eq!(error.hint.as_deref(), Some("did you mean `/validate-pod`?"));
    }
}

//! A webhook of a configuration on the server.

use serde::Deserialize;
use serde_json::Value;

use super::rule::Rule;
use super::verdict::Verdict;
use crate::testing::api_server::client_config::ClientConfig;
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::selector::Selector;

/// The type of a webhook.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sort {
    Mutating,
    Validating,
}

impl Sort {
    /// The resource of the configurations.
    pub(super) fn storage(self) -> &'static str {
        match self {
            Self::Mutating => "mutatingwebhookconfigurations.admissionregistration.k8s.io",
            Self::Validating => "validatingwebhookconfigurations.admissionregistration.k8s.io",
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Webhook {
    name: String,
    client_config: ClientConfig,
    #[serde(default)]
    pub(super) rules: Vec<Rule>,
    failure_policy: Option<String>,
    match_policy: Option<String>,
    #[serde(default)]
    namespace_selector: Value,
    #[serde(default)]
    object_selector: Value,
}

impl Webhook {
    /// The webhooks of a configuration.
    pub(super) fn all_of(configuration: &Value) -> Vec<Self> {
        let list = configuration["webhooks"].as_array().into_iter().flatten();
        list.filter_map(|webhook| Self::deserialize(webhook).ok())
            .collect()
    }

    /// The path of its URL.
    pub(super) fn path(&self) -> &str {
        self.client_config.path()
    }

    /// Whether its `matchPolicy` is `Equivalent`, which includes other versions of the resources in its rules.
    pub(super) fn is_equivalent(&self) -> bool {
        self.match_policy.as_deref() != Some("Exact")
    }

    /// Whether its object selector matches one of these objects.
    pub(super) fn selects(&self, objects: [&Value; 2]) -> bool {
        let selector = Selector::of(&self.object_selector);
        let mut present = objects.into_iter().filter(|object| !object.is_null());
        present.any(|object| selector.matches(object))
    }

    /// Whether its namespace selector matches a namespace.
    pub(super) fn selects_namespace(&self, namespace: &Value) -> bool {
        Selector::of(&self.namespace_selector).matches(namespace)
    }

    /// The error for a patch of an object that is being deleted.
    pub(super) fn modified_during_deletion(&self) -> Failure {
        Failure::missing_prerequisite(&format!(
            "admission webhook {:?} attempted to modify the object, which is not supported for this operation",
            self.name
        ))
    }

    /// The patch of a webhook that allows a request. A failed webhook allows it without a patch if its failure policy
    /// is `Ignore`.
    ///
    /// # Errors
    /// If it denies the request, or failed and its failure policy is `Fail`.
    pub(super) fn admits(&self, verdict: Verdict) -> Result<Vec<Value>, Failure> {
        match verdict {
            Verdict::Allowed(patch) => Ok(patch),
            Verdict::Denied(status) => Err(Failure::denied(&self.name, &status)),
            Verdict::Failed(_) if self.failure_policy.as_deref() == Some("Ignore") => {
                Ok(Vec::new())
            }
            Verdict::Failed(why) => Err(Failure::missing_prerequisite(&format!(
                "failed calling webhook {:?}: failed to call webhook: {why}",
                self.name
            ))),
        }
    }
}

//! A webhook, as a configuration on the server has it.

use serde::Deserialize;
use serde_json::Value;

use super::rule::Rule;
use super::verdict::Verdict;
use crate::testing::api_server::client_config::ClientConfig;
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::selector::Selector;

/// What a webhook may do.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sort {
    Mutating,
    Validating,
}

impl Sort {
    /// Where the configurations are stored.
    pub(super) fn storage(self) -> &'static str {
        match self {
            Self::Mutating => "mutatingwebhookconfigurations.admissionregistration.k8s.io",
            Self::Validating => "validatingwebhookconfigurations.admissionregistration.k8s.io",
        }
    }
}

/// A webhook.
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

    /// The path that is called.
    pub(super) fn path(&self) -> &str {
        self.client_config.path()
    }

    /// Whether it is called for other versions of what its rules name, too.
    pub(super) fn is_equivalent(&self) -> bool {
        self.match_policy.as_deref() != Some("Exact")
    }

    /// Whether one of these objects has the labels that it asks for.
    pub(super) fn selects(&self, objects: [&Value; 2]) -> bool {
        let selector = Selector::of(&self.object_selector);
        let mut there = objects.into_iter().filter(|object| !object.is_null());
        there.any(|object| selector.matches(object))
    }

    /// Whether a namespace has the labels that it asks for.
    pub(super) fn selects_namespace(&self, namespace: &Value) -> bool {
        Selector::of(&self.namespace_selector).matches(namespace)
    }

    /// What the server says of a patch to an object that is deleted.
    pub(super) fn modifies_what_goes(&self) -> Failure {
        Failure::cannot_go_on(&format!(
            "admission webhook {:?} attempted to modify the object, which is not supported for this operation",
            self.name
        ))
    }

    /// What a webhook that allows what it was asked would change. One that cannot be called allows it if its failure
    /// policy says so.
    ///
    /// # Errors
    /// It denies it, or cannot be called.
    pub(super) fn admits(&self, verdict: Verdict) -> Result<Vec<Value>, Failure> {
        match verdict {
            Verdict::Allowed(patch) => Ok(patch),
            Verdict::Denied(status) => Err(Failure::denied(&self.name, &status)),
            Verdict::Failed(_) if self.failure_policy.as_deref() == Some("Ignore") => {
                Ok(Vec::new())
            }
            Verdict::Failed(why) => Err(Failure::cannot_go_on(&format!(
                "failed calling webhook {:?}: failed to call webhook: {why}",
                self.name
            ))),
        }
    }
}

use serde::{Deserialize, Serialize};

use crate::project::name::{Version, WebhookPath};

/// The webhooks of a kind. The names of the fields are kubebuilder's (`pkg/model/resource`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Webhooks {
    /// Whether objects are converted between this version, the hub, and others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conversion: bool,
    /// Whether there is a defaulting webhook.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defaulting: bool,
    /// Its path, unless it is the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaulting_path: Option<WebhookPath>,
    /// The versions that are converted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spoke: Vec<Version>,
    /// Whether there is a validating webhook.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub validation: bool,
    /// Its path, unless it is the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_path: Option<WebhookPath>,
    /// The version of the API of webhook configurations.
    #[serde(default)]
    pub webhook_version: ConfigurationVersion,
}

/// The version of the APIs of CRDs and of webhook configurations. Kubernetes 1.22 removed the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConfigurationVersion {
    /// The only supported version.
    #[default]
    #[serde(rename = "v1")]
    V1,
}

impl Webhooks {
    /// Whether there are no webhooks.
    pub fn is_none(&self) -> bool {
        !self.conversion && !self.admits()
    }

    /// Whether there is an admission webhook.
    pub fn admits(&self) -> bool {
        self.defaulting || self.validation
    }

    /// Whether there is a webhook of this sort.
    pub fn has(&self, sort: WebhookSort) -> bool {
        match sort {
            WebhookSort::Defaulting => self.defaulting,
            WebhookSort::Validation => self.validation,
        }
    }

    /// These, and `more`: what `more` leaves open stays as it is.
    #[must_use]
    pub fn with(&self, more: &Self) -> Self {
        let path = |new: &Option<_>, old: &Option<_>| new.clone().or_else(|| old.clone());
        let mut spoke = self.spoke.clone();
        spoke.extend(
            more.spoke
                .iter()
                .filter(|version| !self.spoke.contains(version))
                .cloned(),
        );
        Self {
            conversion: self.conversion || more.conversion,
            spoke,
            defaulting: self.defaulting || more.defaulting,
            defaulting_path: path(&more.defaulting_path, &self.defaulting_path),
            validation: self.validation || more.validation,
            validation_path: path(&more.validation_path, &self.validation_path),
            ..Self::default()
        }
    }
}

/// What a webhook is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookSort {
    /// Sets defaults.
    Defaulting,
    /// Rejects invalid objects.
    Validation,
}

impl WebhookSort {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Defaulting, Self::Validation];

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Defaulting => "defaulting",
            Self::Validation => "validating",
        }
    }

    /// The flag that asks for it, which the one of its path starts with.
    pub(in crate::project) fn flag(self) -> &'static str {
        match self {
            Self::Defaulting => "defaulting",
            Self::Validation => "validation",
        }
    }

    /// The file of its function, without `.rs`.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Defaulting => "default",
            Self::Validation => "validate",
        }
    }
}

//! The folder `config/webhook`, which is rendered by itself.

use serde::Serialize;

use crate::project::name::Plural;
use crate::project::{ManagerContainer, ProjectKind};

#[derive(Serialize)]
pub(in crate::template) struct WebhookConfigData {
    /// `mutating` and `validating`, as far as there are such webhooks.
    pub(in crate::template) kinds: Vec<&'static str>,
    /// The kinds whose objects are converted.
    pub(in crate::template) converted: Vec<MigratedKind>,
    /// The container that is the operator.
    pub(in crate::template) container: ManagerContainer,
}

/// A kind whose objects are converted, and rewritten where the hub moves.
#[derive(Serialize)]
pub(in crate::template) struct MigratedKind {
    plural: Plural,
    /// With the domain.
    group: String,
}

impl MigratedKind {
    pub(in crate::template) fn of(kind: &ProjectKind) -> Self {
        Self {
            plural: kind.plural.clone(),
            group: kind.api_group(),
        }
    }
}

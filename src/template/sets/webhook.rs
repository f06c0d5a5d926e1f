//! Each webhook of one sort.

use std::borrow::Cow;

use serde::Serialize;

use super::names::{KindNames, marker_group, samples_from};
use super::{Instance, Set};
use crate::error::Result;
use crate::project::{Admission, WebhookSort};
use crate::template::common::{Common, ProjectData};
use crate::template::path::Variables;

pub(super) struct Webhook(pub(super) WebhookSort);

impl Set for Webhook {
    fn folder(&self) -> Cow<'static, str> {
        match self.0 {
            WebhookSort::Defaulting => "webhook/defaulting".into(),
            WebhookSort::Validation => "webhook/validation".into(),
        }
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let kinds = common
            .project
            .webhook_kinds()
            .into_iter()
            .filter(|kind| kind.kind.webhooks.has(self.0));
        let instances = kinds.map(|kind| {
            let variables = Variables {
                webhook: kind.module.join("/"),
                ..Variables::default()
            };
            Instance::new(variables, &WebhookData::new(common, &kind, self.0))
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct WebhookData {
    project: ProjectData,
    /// Whether the kind is the project's own.
    own: bool,
    #[serde(flatten)]
    names: KindNames,
    /// What the marker says of it.
    path: String,
    name: String,
    groups: String,
    version: String,
    /// The way to the samples from the webhook's folder.
    samples: String,
    /// Whether the kind is one of another operator, whose object is in a file.
    external: bool,
}

impl WebhookData {
    fn new(common: &Common<'_>, of: &Admission<'_>, sort: WebhookSort) -> Self {
        let (data, kind) = (common.data.clone(), of.kind);
        Self {
            own: kind.is_own(),
            names: KindNames::new(&data, kind.hub()),
            path: of.path(sort),
            name: of.name(sort),
            groups: marker_group(&kind.api_group()),
            version: kind.hub.to_string(),
            samples: samples_from(&of.module),
            external: kind.is_external(),
            project: data,
        }
    }
}

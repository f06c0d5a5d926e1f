//! Once for a project that has webhooks, regenerated from their list.

use std::borrow::Cow;

use serde::Serialize;

use super::admission::AdmissionGroup;
use super::names::types;
use super::{Instance, Set};
use crate::error::Result;
use crate::project::name::joined;
use crate::project::{Conversion, ProjectKind, Versioned, WebhookSort};
use crate::template::common::{Common, ProjectData};

pub(super) struct Webhooks;

impl Set for Webhooks {
    fn folder(&self) -> Cow<'static, str> {
        "webhook/wiring".into()
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let has_webhooks = common.project.has_webhooks();
        Instance::once(has_webhooks, || WebhooksData::new(common))
    }
}

#[derive(Serialize)]
struct WebhooksData {
    groups: Vec<AdmissionGroup>,
    /// What is registered.
    defaulting: Vec<Registered>,
    validation: Vec<Registered>,
    conversions: Vec<Converted>,
}

/// A kind whose versions are converted.
#[derive(Serialize)]
struct Converted {
    kind: String,
    /// The function that registers the conversions.
    function: String,
    /// The path of the type that the others become.
    hub: String,
    spokes: Vec<SpokeType>,
}

/// A version that is converted.
#[derive(Serialize)]
struct SpokeType {
    /// What its type is called here, and the path of that.
    name: String,
    path: String,
}

impl Converted {
    fn new(project: &ProjectData, kind: &ProjectKind) -> Self {
        let path =
            |version: Versioned<'_>| format!("{}::{}", types(project, version), kind.type_name());
        let spokes = kind
            .conversions()
            .map(|Conversion { spoke, .. }| SpokeType {
                name: spoke.version.name.to_string().replacen('v', "V", 1),
                path: path(spoke),
            });
        Self {
            kind: kind.name.to_string(),
            function: joined(
                kind.group.module().trim_start_matches('_'),
                &kind.name.module(),
            ),
            hub: path(kind.hub()),
            spokes: spokes.collect(),
        }
    }
}

#[derive(Serialize)]
struct Registered {
    path: String,
    module: String,
}

impl WebhooksData {
    fn new(common: &Common<'_>) -> Self {
        let project = common.project;
        let kinds = project.webhook_kinds();
        let registered = |sort| {
            let kinds = kinds.iter().filter(|kind| kind.kind.webhooks.has(sort));
            let registered = kinds.map(|kind| Registered {
                path: kind.path(sort),
                module: kind.module.join("::"),
            });
            registered.collect()
        };
        let data = common.data.clone();
        let converted = project.own_kinds().filter(|kind| kind.is_converted());
        Self {
            conversions: converted.map(|kind| Converted::new(&data, kind)).collect(),
            defaulting: registered(WebhookSort::Defaulting),
            validation: registered(WebhookSort::Validation),
            groups: AdmissionGroup::all(&kinds, |kind| {
                kind.sorts().map(WebhookSort::file).collect()
            }),
        }
    }
}

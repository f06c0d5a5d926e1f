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
    /// The statements in it.
    statements: Vec<String>,
}

impl Converted {
    fn new(project: &ProjectData, kind: &ProjectKind) -> Self {
        let alias = |name: &str, one: Versioned<'_>| {
            let module = types(project, one);
            let path = format!("{module}::{};", kind.type_name());
            match name.len() + path.len() + 12 <= 100 {
                true => format!("type {name} = {path}"),
                false => format!("type {name} =\n        {path}"),
            }
        };
        let mut statements = vec![alias("Hub", kind.hub())];
        let mut calls = Vec::new();
        for Conversion { spoke, .. } in kind.conversions() {
            let name = spoke.version.name.to_string().replacen('v', "V", 1);
            statements.push(alias(&name, spoke));
            calls.push(format!(".spoke::<{name}>()"));
        }
        let new = "Conversion::<Hub>::new()";
        let one_line = format!("{new}{}", calls.concat());
        let statement = if calls.len() == 1 || one_line.len() <= 60 {
            format!("manager.conversion({one_line});")
        } else {
            let calls = calls.join("\n            ");
            format!("manager.conversion(\n        {new}\n            {calls},\n    );")
        };
        statements.push(statement);
        Self {
            kind: kind.name.to_string(),
            function: joined(
                kind.group.module().trim_start_matches('_'),
                &kind.name.module(),
            ),
            statements,
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

//! Webhook configurations from the comment markers in a project's code, without compiling it.
//!
//! The markers are kubebuilder's, `// +kubebuilder:webhook:path=…,mutating=false,…` (`+rop:webhook` is a synonym),
//! and they become what its controller-gen makes of them. What it leaves to the API server's defaults is written
//! out, and what it takes on trust is checked here.

mod declaration;
#[cfg(test)]
mod tests;

use heck::ToUpperCamelCase;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::disk::View;
use crate::error::{Code, Context, Error, Result};
use crate::plan::{Tree, without_header};
use crate::project::layout::{DEFAULT_KUSTOMIZATION, WEBHOOKS};
use crate::project::{Project, ProjectKind, WebhookSort};
use crate::yaml;

use super::marker::{self, Argument, Diagnostic, Marker, Name, Place, Source, markers};
use super::rbac::{Catalog, OwnKinds};
use super::role::own_kinds;
use super::sources::Sources;

use declaration::Declaration;

/// The folder of webhooks, seen from the kustomization that is deployed.
const COMPONENT: &str = "../webhook";
/// The folder with which cert-manager makes their certificate.
const CERT_MANAGER: &str = "../cert-manager";
/// The names that it needs.
const CERT_MANAGER_NAMES: &str = "cert_manager.yaml";

/// The webhooks that the sources of a project declare.
#[derive(Debug)]
pub(crate) struct Webhooks {
    /// The configurations.
    pub(crate) manifest: String,
    /// Their kinds: `mutating`, `validating`.
    pub(crate) kinds: Vec<&'static str>,
    /// The kinds whose objects are converted.
    pub(crate) converted: Vec<ProjectKind>,
}

/// The webhooks that the sources declare and PROJECT lists, if they do.
///
/// # Errors
/// Markers are malformed, or name what does not exist.
pub(crate) fn webhooks(
    view: &View,
    sources: &Sources,
    project: &Project,
) -> Result<Option<Webhooks>> {
    let declared = declared(&sources.list(), &own_kinds(project))?;
    check_listed(project, &declared)?;
    let converted: Vec<_> = project
        .own_kinds()
        .filter(|kind| kind.is_converted())
        .cloned()
        .collect();
    if declared.is_empty() && converted.is_empty() {
        return Ok(None);
    }
    let kustomization = kustomization(view)?;
    check_cert_manager(&kustomization)?;
    let namespace = kustomization
        .namespace
        .unwrap_or_else(|| format!("{}-system", project.project_name));
    let mut webhooks = Webhooks {
        manifest: String::new(),
        kinds: Vec::new(),
        converted,
    };
    for (kind, is_mutating) in [("mutating", true), ("validating", false)] {
        let of_kind: Vec<Value> = declared
            .iter()
            .filter(|declaration| declaration.is_mutating() == is_mutating)
            .map(|declaration| declaration.to_value(&namespace))
            .collect();
        if !of_kind.is_empty() {
            if !webhooks.kinds.is_empty() {
                webhooks.manifest.push_str("---\n");
            }
            let configuration = yaml::to_string(&configuration(kind, &of_kind))?;
            webhooks.manifest.push_str(&configuration);
            webhooks.kinds.push(kind);
        }
    }
    Ok(Some(webhooks))
}

/// The webhooks of the markers in `sources`, by name.
fn declared(sources: &[Source], own_kinds: &OwnKinds) -> Result<Vec<Declaration>> {
    let catalog = Catalog::new(own_kinds);
    let mut declared: Vec<(Place, Declaration)> = Vec::new();
    let mut problems = Vec::new();
    for Marker { place, arguments } in markers(sources, Name::Webhook) {
        match read(arguments, &catalog, own_kinds) {
            Ok(webhook) => match declared.iter().find(|(_, known)| known.meets(&webhook)) {
                Some((first, _)) => problems.push(place.problem(taken(&webhook, *first))),
                None => declared.push((place, webhook)),
            },
            Err(found) => problems.extend(found.into_iter().map(|found| place.problem(found))),
        }
    }
    if !problems.is_empty() {
        return Err(marker::error("webhook", problems));
    }
    let mut declared: Vec<_> = declared.into_iter().map(|(_, webhook)| webhook).collect();
    declared.sort_by(|a, b| a.name().cmp(b.name()));
    Ok(declared)
}

/// Checks that what the operator serves is asked: PROJECT says at which path, and a marker says when.
fn check_listed(project: &Project, declared: &[Declaration]) -> Result<()> {
    for kind in project.webhook_kinds() {
        for sort in kind.sorts() {
            let (path, is_mutating) = (kind.path(sort), sort == WebhookSort::Defaulting);
            let is_declared = |declaration: &Declaration| {
                declaration.path() == Some(&*path) && declaration.is_mutating() == is_mutating
            };
            if !declared.iter().any(is_declared) {
                let (gvk, name) = (kind.gvk(), sort.name());
                return Err(Error::new(
                    Code::MarkerMissing,
                    format!("no marker declares the {name} webhook of {gvk} that PROJECT lists"),
                )
                .hint(format!(
                    "add `// +kubebuilder:webhook:path={path},mutating={is_mutating},…` to {}",
                    kind.source(sort)
                )));
            }
        }
    }
    Ok(())
}

fn read(
    arguments: Result<Vec<Argument>, Diagnostic>,
    catalog: &Catalog,
    own_kinds: &OwnKinds,
) -> Result<Declaration, Vec<Diagnostic>> {
    let arguments = arguments.map_err(|diagnostic| vec![diagnostic])?;
    Declaration::new(arguments, catalog, own_kinds)
}

fn taken(webhook: &Declaration, first: Place) -> Diagnostic {
    Diagnostic::new(format!(
        "`{}` is the name of the webhook in {first} too",
        webhook.name()
    ))
    .hint("give each webhook of a configuration its own `name`")
}

/// A configuration, called as controller-gen calls it.
fn configuration(kind: &str, webhooks: &[Value]) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": format!("{}WebhookConfiguration", kind.to_upper_camel_case()),
        "metadata": { "name": format!("{kind}-webhook-configuration") },
        "webhooks": webhooks,
    })
}

/// The configurations that rop wrote once, if they are not among `generated`.
pub(crate) fn orphaned_webhooks(view: &View, generated: &Tree) -> Result<Option<String>> {
    let text = match generated.get(WEBHOOKS) {
        Some(_) => None,
        None => view.read(WEBHOOKS)?,
    };
    let is_rops = text.is_some_and(|text| without_header(&text) != text);
    Ok(is_rops.then(|| WEBHOOKS.to_owned()))
}

/// Whether `rop deploy` deploys the webhooks of the project.
pub(crate) fn deploys_webhooks(view: &View) -> Result<bool> {
    Ok(kustomization(view)?.has_component(COMPONENT))
}

/// Checks that `replacements` sets the names for cert-manager: without them, no API server trusts the operator.
fn check_cert_manager(kustomization: &Kustomization) -> Result<()> {
    let replacements = kustomization.replacements.iter().flatten();
    let mut paths = replacements.filter_map(|replacement| replacement.path.as_deref());
    let has_names = paths.any(|path| path.trim_start_matches("./") == CERT_MANAGER_NAMES);
    match (kustomization.has_component(CERT_MANAGER), has_names) {
        (true, false) => Err(Error::new(Code::CertManagerComponent, format!(
            "`{DEFAULT_KUSTOMIZATION}` lists `{CERT_MANAGER}` without the names that it needs"
        ))
        .hint(format!(
            "add `- path: {CERT_MANAGER_NAMES}` under `replacements:` there"
        ))),
        (false, true) => Err(Error::new(Code::CertManagerComponent, format!(
            "`{DEFAULT_KUSTOMIZATION}` has the names of `{CERT_MANAGER}`, and does not list it"
        ))
        .hint(format!(
            "add `{CERT_MANAGER}` under `components:` there, after `{COMPONENT}`, or remove `- path: {CERT_MANAGER_NAMES}`"
        ))),
        _ => Ok(()),
    }
}

/// What is read of the kustomization that is deployed.
#[derive(Default, Deserialize)]
struct Kustomization {
    /// The namespace that the operator is deployed to.
    namespace: Option<String>,
    components: Option<Vec<String>>,
    replacements: Option<Vec<Replacement>>,
}

#[derive(Deserialize)]
struct Replacement {
    path: Option<String>,
}

impl Kustomization {
    fn has_component(&self, folder: &str) -> bool {
        let is_folder = |component: &String| component.trim_end_matches('/') == folder;
        self.components.iter().flatten().any(is_folder)
    }
}

fn kustomization(view: &View) -> Result<Kustomization> {
    let Some(text) = view.read(DEFAULT_KUSTOMIZATION)? else {
        return Ok(Kustomization::default());
    };
    yaml::from_str(&text).context(Code::MalformedFile, || {
        format!("failed to read `{DEFAULT_KUSTOMIZATION}`")
    })
}

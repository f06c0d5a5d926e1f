//! Notes on what is left of what was deleted: in a cluster, and in files that the command does not change.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::bundle;
use crate::disk::View;
use crate::error::Result;
use crate::listed::listed;
use crate::output;
use crate::plan::Plan;
use crate::project::layout::CONFIG;
use crate::project::name::ProjectName;
use crate::project::{Project, ProjectKind};
use crate::shell_word::shell_word;
use crate::yaml;

/// How many manifests a note names.
const NAMED: usize = 5;

/// Kinds of objects that neither a namespace nor another object takes with it.
const LASTING: [&str; 8] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// Kinds of objects in a namespace that grant rights.
const ROLES: [&str; 2] = ["Role", "RoleBinding"];

/// Notes for the user after a kind, or versions of it, were deleted. `is_kept`: the kind has other versions.
pub(in crate::cli) fn notes(gone: &ProjectKind, is_kept: bool) -> Vec<String> {
    let crd = gone.crd_name();
    let left = if is_kept {
        format!(
            "`rop deploy` will fail while a cluster stores objects in `{}`",
            gone.hub
        )
    } else {
        format!("clusters keep the CRD and its objects; to delete both: `kubectl delete crd {crd}`")
    };
    let finalizer = (gone.finalizer && !is_kept).then(|| {
        "delete its objects before you upgrade the operator, which removes their finalizer"
            .to_owned()
    });
    [left].into_iter().chain(finalizer).collect()
}

/// A note on objects that `config` no longer has, and that lie in no object that goes with them.
pub(in crate::cli) fn objects(project: &Project, plan: &Plan) -> Option<String> {
    let (mut gone, mut kept) = (BTreeSet::new(), BTreeSet::new());
    let folder = format!("{CONFIG}/");
    for change in &plan.changes {
        if change.path.starts_with(&folder) && change.path.ends_with(".yaml") {
            gone.extend(lasting(&project.project_name, change.before.as_deref()));
            kept.extend(lasting(&project.project_name, change.after.as_deref()));
        }
    }
    let mut by_namespace: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (namespace, object) in gone.difference(&kept) {
        by_namespace.entry(namespace).or_default().push(&**object);
    }
    let commands = by_namespace.into_iter().map(|(namespace, mut objects)| {
        objects.sort_by_key(|object| !object.contains("binding/"));
        let flag = namespace
            .as_ref()
            .map_or(String::new(), |name| format!(" --namespace {name}"));
        format!("`kubectl delete {}{flag}`", objects.join(" "))
    });
    let commands: Vec<_> = commands.collect();
    (!commands.is_empty()).then(|| {
        format!(
            "`rop deploy` does not delete objects that the project no longer has. After the next deploy, run: {}",
            commands.join(" and ")
        )
    })
}

/// A note on manifests of the user that name a deleted kind or a deleted file.
///
/// # Errors
/// A manifest cannot be read.
pub(in crate::cli) fn manifests(
    view: &View,
    gone: &ProjectKind,
    plan: &Plan,
) -> Result<Option<String>> {
    let changes = plan.changes.iter();
    let changed: BTreeMap<&str, Option<&str>> = changes
        .map(|change| (&*change.path, change.after.as_deref()))
        .collect();
    let is_deleted = |path: &String| {
        let is_gone = |path: &str| changed.get(path).is_some_and(Option::is_none);
        is_gone(path) || is_gone(&format!("{path}/kustomization.yaml"))
    };
    let mut found = Vec::new();
    for path in view.own_files_in(CONFIG)? {
        let text = match changed.get(&*path) {
            Some(after) => after.map(str::to_owned),
            None if path.ends_with(".yaml") => view.read_own(&path)?,
            None => None,
        };
        let Some(text) = text else { continue };
        if is_of_kind(&text, gone) || listed_by(&path, &text).any(|path| is_deleted(&path)) {
            found.push(format!("`{path}`"));
        }
    }
    Ok((!found.is_empty()).then(|| {
        format!(
            "your manifests still name what was deleted, change or delete them: {}",
            listed(&found, NAMED)
        )
    }))
}

/// Whether a manifest has an object of a deleted kind.
fn is_of_kind(manifest: &str, gone: &ProjectKind) -> bool {
    let versions = gone
        .versions()
        .map(|version| version.version.name.to_string());
    let api_versions: Vec<_> = versions
        .map(|version| format!("{}/{version}", gone.api_group()))
        .collect();
    let mut documents = yaml::documents(manifest).into_iter().flatten();
    documents.any(|object| {
        let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
        text("kind") == gone.name.as_str() && api_versions.contains(&text("apiVersion"))
    })
}

/// The files that a kustomization lists, an entry on each line, as paths in the project.
fn listed_by<'a>(kustomization: &'a str, text: &'a str) -> impl Iterator<Item = String> + 'a {
    let entries = text.lines().filter_map(|line| {
        let entry = line.trim().strip_prefix("- ")?;
        Some(entry.strip_prefix("path: ").unwrap_or(entry))
    });
    entries.filter_map(|entry| {
        let mut path: Vec<&str> = kustomization.split('/').collect();
        path.pop();
        for part in entry.trim().split('/') {
            match part {
                "." => {}
                ".." => {
                    path.pop()?;
                }
                part => path.push(part),
            }
        }
        Some(path.join("/"))
    })
}

/// Notes on what only its own command generates from the manifests, if a plan changes those.
pub(in crate::cli) fn outdated(view: &View, plan: &Plan) -> Vec<String> {
    let folder = format!("{CONFIG}/");
    if !plan
        .reported()
        .any(|change| change.path.starts_with(&folder))
    {
        return Vec::new();
    }
    let outputs = output::of(view)
        .filter(|output| output.is_separate())
        .map(|output| (output.name(), output.command()));
    let bundle = bundle::generate::is_in(view).then_some(("bundle", "bundle"));
    let outdated = bundle.into_iter().chain(outputs);
    outdated
        .map(|(name, command)| {
            format!("`{name}` still has the old manifests: run `rop {command}` with the same flags")
        })
        .collect()
}

/// The lasting objects of a manifest, each with its namespace, as arguments of `kubectl delete`.
fn lasting(project: &ProjectName, manifest: Option<&str>) -> Vec<(Option<String>, String)> {
    let documents = yaml::documents(manifest.unwrap_or_default())
        .into_iter()
        .flatten();
    let names = documents.filter_map(|object| {
        let kind = object["kind"].as_str()?;
        let namespace = match object["metadata"]["namespace"].as_str() {
            _ if LASTING.contains(&kind) => None,
            _ if !ROLES.contains(&kind) => return None,
            // `config/default` sets it.
            None | Some("system") => Some(format!("{project}-system")),
            Some(namespace) => Some(shell_word(namespace)),
        };
        let name = object["metadata"]["name"].as_str()?;
        Some((
            namespace,
            format!("{}/{project}-{name}", kind.to_lowercase()),
        ))
    });
    names.collect()
}

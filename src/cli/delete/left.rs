//! Notes on what a cluster keeps of what was deleted.

use std::collections::BTreeSet;

use crate::plan::Plan;
use crate::project::layout::CONFIG;
use crate::project::name::ProjectName;
use crate::project::{Project, ProjectKind};
use crate::yaml;

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

/// A note on cluster-scoped objects that `config` no longer has.
pub(in crate::cli) fn objects(project: &Project, plan: &Plan) -> Option<String> {
    let name = &project.project_name;
    let (mut gone, mut kept) = (BTreeSet::new(), BTreeSet::new());
    let folder = format!("{CONFIG}/");
    for change in &plan.changes {
        if change.path.starts_with(&folder) && change.path.ends_with(".yaml") {
            gone.extend(lasting(name, change.before.as_deref()));
            kept.extend(lasting(name, change.after.as_deref()));
        }
    }
    let mut gone: Vec<_> = gone.difference(&kept).map(String::as_str).collect();
    gone.sort_by_key(|object| !object.contains("binding/"));
    (!gone.is_empty()).then(|| {
        format!(
            "clusters keep objects that the project no longer has; delete them when you deploy: \
            `kubectl delete {}`",
            gone.join(" ")
        )
    })
}

/// The lasting objects of a manifest, as arguments of `kubectl delete`.
fn lasting(project: &ProjectName, manifest: Option<&str>) -> Vec<String> {
    let documents = yaml::documents(manifest.unwrap_or_default())
        .into_iter()
        .flatten();
    let names = documents.filter_map(|object| {
        let kind = object["kind"]
            .as_str()
            .filter(|kind| LASTING.contains(kind))?;
        let name = object["metadata"]["name"].as_str()?;
        Some(format!("{}/{project}-{name}", kind.to_lowercase()))
    });
    names.collect()
}

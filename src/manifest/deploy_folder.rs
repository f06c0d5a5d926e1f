//! The folder `deploy/` of operator-sdk 0.x: files for `kubectl create -f`, one after another,
//! in a namespace that the command names.

use serde_json::{Value, json};

use crate::disk::View;
use crate::error::{Code, Context, Result};
use crate::plan::{File, Ownership, Tree, without_header};
use crate::project::layout::{
    DEPLOY_NAMESPACED_ROLES, DEPLOY_OPERATOR, DEPLOY_POLICIES, DEPLOY_ROLE, POLICIES,
};
use crate::project::{Project, Versioned};
use crate::yaml;

use super::rbac::{Account, Options};
use super::role;
use super::sources::Sources;

/// The namespace of the operator in the selector of a policy, which kustomize replaces.
const NAMESPACE: &str = "        - system # config/default puts the operator's namespace here\n";

/// The same in the folder, as the role binding has it.
const OPEN_NAMESPACE: &str = "        # Put the namespace here that the operator is created in.\n        - REPLACE_NAMESPACE\n";

/// Whether the project in `view` has the folder.
pub fn has_deploy_folder(view: &View) -> bool {
    view.is_file(DEPLOY_OPERATOR)
}

/// The CRDs and the samples in the folder: those on disk, or of `after` where they differ from those of
/// `before`.
///
/// # Errors
/// A manifest of the project cannot be read.
pub fn deploy_crds(view: &View, project: &Project, before: &Tree, after: &Tree) -> Result<Tree> {
    let mut tree = Tree::default();
    for one in project.own_versions().filter(|one| one.version.api) {
        let (group, kind) = (&one.kind.group, one.kind.name.lower());
        let version = &one.version.name;
        let stem = format!("deploy/crds/{group}_{version}_{kind}");
        // There is one for all versions.
        if one.kind.starts_with(version)
            && let Some(text) = text(view, before, after, &one.kind.crd())?
        {
            tree.insert(File::owned(format!("{stem}_crd.yaml"), text));
        }
        if let Some(sample) = sample(view, before, after, one)? {
            let path = format!("{stem}_cr.yaml");
            tree.insert(File::new(path, Ownership::Seeded, sample));
        }
    }
    Ok(tree)
}

/// The admission policies in the folder: those on disk, or of `after` where they differ from those of `before`.
/// The namespace of the operator is left open, as it is in the role binding.
///
/// # Errors
/// A manifest of the project cannot be read.
pub fn deploy_policies(
    view: &View,
    project: &Project,
    before: &Tree,
    after: &Tree,
) -> Result<Tree> {
    let mut tree = Tree::default();
    for kind in project.policy_kinds() {
        for sort in kind.kind.policies.sorts() {
            let path = kind.policy(sort);
            if let Some(text) = text(view, before, after, &path)? {
                let text = text.replace(NAMESPACE, OPEN_NAMESPACE);
                tree.insert(File::owned(path.replace(POLICIES, DEPLOY_POLICIES), text));
            }
        }
    }
    Ok(tree)
}

/// The roles of the markers in the folder, and whether the operator's own is one of the cluster: it is where it
/// has to be. Roles of other namespaces are in a file of their own: a command that names the operator's namespace
/// does not take them.
///
/// # Errors
/// As [`super::role()`].
pub fn deploy_roles(sources: &Sources, project: &Project) -> Result<(Tree, bool)> {
    let texts = |namespaced| {
        let options = Options {
            role_name: project.project_name.to_string(),
            namespaced,
            account: Account {
                name: project.project_name.to_string(),
                namespace: "REPLACE_NAMESPACE".to_owned(),
            },
        };
        let roles = role::roles(sources, project, &options)?;
        let text = |namespaced| -> Result<_> { Ok(roles.documents(namespaced)?.join("---\n")) };
        Ok((text(false)?, text(true)?))
    };
    let is_confined = project.own_kinds().all(|kind| kind.namespaced);
    let ((role, others), in_cluster) = match texts(true) {
        Ok(roles) if is_confined => (roles, false),
        Err(error) if project.namespaced => return Err(error),
        _ => (texts(false)?, true),
    };
    let mut tree = Tree::default();
    tree.insert(File::owned(DEPLOY_ROLE, with_lease(&role, project)?));
    if !others.is_empty() {
        tree.insert(File::owned(DEPLOY_NAMESPACED_ROLES, others));
    }
    Ok((tree, in_cluster))
}

/// Adds to the operator's own role, which comes first, what the election of a leader needs.
fn with_lease(role: &str, project: &Project) -> Result<String> {
    let (own, others) = match role.split_once("---\n") {
        Some((own, others)) => (own, Some(others)),
        None => (role, None),
    };
    let mut own: Value =
        yaml::from_str(own).context(Code::MalformedFile, || "the role is not YAML")?;
    let lease = json!({
        "apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
        "resourceNames": [project.lease_name()], "verbs": ["get", "update", "watch"],
    });
    let new_lease = json!({
        "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"],
    });
    match &mut own["rules"] {
        Value::Array(rules) => rules.extend([lease, new_lease]),
        rules => *rules = json!([lease, new_lease]),
    }
    let own = yaml::to_string(&own)?;
    Ok(match others {
        Some(others) => format!("{own}---\n{others}"),
        None => own,
    })
}

/// The sample of a kind, called as operator-sdk called it.
fn sample(view: &View, before: &Tree, after: &Tree, one: Versioned<'_>) -> Result<Option<String>> {
    let kind = one.kind.name.lower();
    let text = text(view, before, after, &one.sample())?;
    Ok(text.map(|text| {
        text.replace(
            &format!("  name: {kind}-sample\n"),
            &format!("  name: example-{kind}\n"),
        )
    }))
}

/// A manifest of the project without its header: what is about to be made, or what is on disk.
fn text(view: &View, before: &Tree, after: &Tree, path: &str) -> Result<Option<String>> {
    let new = after.get(path);
    let is_changed = new != before.get(path);
    let found = match new {
        Some(_) if is_changed => None,
        _ => view.read_own(path)?,
    };
    Ok(match (found, new) {
        (Some(text), _) => Some(without_header(&text).to_owned()),
        (None, new) => new.map(|new| new.body().to_owned()),
    })
}

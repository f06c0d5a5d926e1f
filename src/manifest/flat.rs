//! The flat folder `deploy/` of operator-sdk 0.x: files for `kubectl create -f`, one after another,
//! in a namespace that the command names.

use serde_json::{Value, json};

use crate::disk::View;
use crate::error::{Context, Result};
use crate::plan::{Class, File, Tree, without_seal};
use crate::project::{Project, Resource};
use crate::{template, yaml};

use super::rbac::Options;
use super::role;

/// The file by which a project is known to have the folder.
const OPERATOR: &str = "deploy/operator.yaml";
const ROLE: &str = "deploy/role.yaml";

/// Whether the project in `view` has the folder.
pub fn flat_is_used(view: &View) -> bool {
    view.is_file(OPERATOR)
}

/// What the folder is to hold: rop's files as they should be, and those that are the user's, where
/// they are missing.
///
/// CRDs and samples are those on disk, or of `after` where they differ from those of `before`;
/// sources are read as [`super::role()`] reads them.
///
/// # Errors
/// As [`super::role()`], or a manifest of the project is no YAML.
pub fn flat(view: &View, project: &Project, before: &Tree, after: &Tree) -> Result<Tree> {
    let (role, in_cluster) = operator_role(view, project, before, after)?;
    let mut tree = Tree::default();
    let is_missing = |path: &str| !view.is_file(path);
    for file in template::render_flat(project, in_cluster)?.files() {
        if is_missing(file.path()) {
            tree.insert(file.clone());
        }
    }
    tree.insert(File::owned(ROLE, role));
    for resource in project.resources.iter().filter(|r| r.api.is_some()) {
        let (group, kind) = (&resource.group, resource.kind.lower());
        let stem = format!("deploy/crds/{group}_{}_{kind}", resource.version);
        let crd = format!(
            "config/crd/bases/{group}.{}_{}.yaml",
            resource.domain, resource.plural
        );
        if let Some(text) = text(view, before, after, &crd)? {
            tree.insert(File::owned(format!("{stem}_crd.yaml"), text));
        }
        let path = format!("{stem}_cr.yaml");
        if is_missing(&path)
            && let Some(sample) = sample(view, before, after, resource)?
        {
            tree.insert(File::new(path, Class::Seeded, sample));
        }
    }
    Ok(tree)
}

/// The role, and whether it is one of the cluster: it is where it has to be.
fn operator_role(
    view: &View,
    project: &Project,
    before: &Tree,
    after: &Tree,
) -> Result<(String, bool)> {
    let text = |namespaced| {
        let options = Options {
            role_name: project.project_name.to_string(),
            namespaced,
        };
        role::text(view, project, before, after, &options)
    };
    let is_confined = project.resources.iter().all(Resource::is_namespaced);
    let (role, in_cluster) = match text(true) {
        Ok(role) if is_confined => (role, false),
        Err(error) if project.namespaced => return Err(error),
        _ => (text(false)?, true),
    };
    Ok((with_lease(&role, project)?, in_cluster))
}

/// Adds to the operator's own role, which comes first, what the election of a leader needs.
fn with_lease(role: &str, project: &Project) -> Result<String> {
    let (own, others) = match role.split_once("---\n") {
        Some((own, others)) => (own, Some(others)),
        None => (role, None),
    };
    let mut own: Value = yaml::from_str(own).context(|| "the role is not YAML")?;
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
fn sample(view: &View, before: &Tree, after: &Tree, resource: &Resource) -> Result<Option<String>> {
    let (group, kind) = (&resource.group, resource.kind.lower());
    let path = format!("config/samples/{group}_{}_{kind}.yaml", resource.version);
    let text = text(view, before, after, &path)?;
    Ok(text.map(|text| {
        text.replace(
            &format!("  name: {kind}-sample\n"),
            &format!("  name: example-{kind}\n"),
        )
    }))
}

/// A manifest of the project without its seal: what is about to be made, or what is on disk.
fn text(view: &View, before: &Tree, after: &Tree, path: &str) -> Result<Option<String>> {
    let new = after.get(path);
    let is_changed = new != before.get(path);
    let found = match new {
        Some(_) if is_changed => None,
        _ => view.read(path)?,
    };
    Ok(match (found, new) {
        (Some(text), _) => Some(without_seal(&text).to_owned()),
        (None, new) => new.map(|new| new.body().to_owned()),
    })
}

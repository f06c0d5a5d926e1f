//! The folder `deploy/` of operator-sdk 0.x: files for `kubectl create -f`, one after another,
//! in a namespace that the command names.

use serde::Serialize;
use serde_json::{Value, json};

use crate::disk::View;
use crate::error::{Code, Context, Result};
use crate::manifest::{self, Account, RoleOptions, Sources};
use crate::plan::{File, Ownership, Tree, without_header};
use crate::project::layout::POLICIES;
use crate::project::{Project, Versioned};
use crate::template::{self, ProjectData};
use crate::yaml;

use super::{Manifests, Output};

const FOLDER: &str = "deploy";

/// The Deployment of the operator: a project with this file has the folder.
const OPERATOR: &str = "deploy/operator.yaml";

/// The role of the operator.
const ROLE: &str = "deploy/role.yaml";

/// Its roles in other namespaces, in a file of their own: a command that names the operator's namespace does not take
/// them.
const NAMESPACED_ROLES: &str = "deploy/namespaced_roles.yaml";

/// The admission policies.
const OWN_POLICIES: &str = "deploy/policies";

/// The namespace of the operator in the selector of a policy, which kustomize replaces.
const NAMESPACE: &str =
    "        - system # config/default replaces this with the namespace of the operator\n";

/// The same in the folder, as the role binding has it.
const OPEN_NAMESPACE: &str =
    "        # Replace with the namespace of the operator.\n        - REPLACE_NAMESPACE\n";

/// The folder `deploy/` of operator-sdk 0.x.
#[derive(Debug)]
pub struct DeployFolder;

impl Output for DeployFolder {
    fn name(&self) -> &'static str {
        FOLDER
    }

    fn command(&self) -> &'static str {
        "generate deploy"
    }

    fn is_in(&self, view: &View) -> bool {
        view.is_file(OPERATOR)
    }

    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree> {
        let (roles, in_cluster) = roles(&manifests.sources()?, manifests.project)?;
        let project = ProjectData::new(manifests.project);
        let data = Data {
            project,
            in_cluster,
        };
        let mut tree = template::render_folder("deploy-folder", &data)?;
        tree.extend(crds(manifests)?);
        tree.extend(policies(manifests)?);
        tree.extend(roles);
        Ok(tree)
    }

    fn generated(&self, view: &View, last: &Project) -> Result<Tree> {
        let mut tree = Tree::default();
        if self.is_in(view) {
            let manifests = Manifests::on_disk(last, view);
            tree.extend(crds(&manifests)?);
            tree.extend(policies(&manifests)?);
        }
        if let Some(text) = view.read(NAMESPACED_ROLES)? {
            let body = without_header(&text);
            if body != text {
                tree.insert(File::owned(NAMESPACED_ROLES, body.to_owned()));
            }
        }
        Ok(tree)
    }

    fn note(&self, project: &Project) -> Option<&'static str> {
        project.has_webhooks().then_some(
            "the directory `deploy/` has no webhooks: use `rop deploy`, or `kubectl apply --server-side -k \
                config/default`",
        )
    }
}

/// What its templates need.
#[derive(Serialize)]
struct Data {
    project: ProjectData,
    /// Whether the operator's role is one of the cluster.
    in_cluster: bool,
}

/// The CRDs and the samples.
fn crds(manifests: &Manifests<'_>) -> Result<Tree> {
    let mut tree = Tree::default();
    let versions = manifests.project.own_versions();
    for versioned in versions.filter(|versioned| versioned.version.api) {
        let (group, kind) = (&versioned.kind.group, versioned.kind.name.lower());
        let version = &versioned.version.name;
        let stem = format!("deploy/crds/{group}_{version}_{kind}");
        // There is one for all versions.
        if versioned.kind.starts_with(version)
            && let Some(text) = manifests.text(&versioned.kind.crd())?
        {
            tree.insert(File::owned(format!("{stem}_crd.yaml"), text));
        }
        if let Some(sample) = sample(manifests, versioned)? {
            let path = format!("{stem}_cr.yaml");
            tree.insert(File::new(path, Ownership::Seeded, sample));
        }
    }
    Ok(tree)
}

/// The sample of a kind, called as operator-sdk called it.
fn sample(manifests: &Manifests<'_>, versioned: Versioned<'_>) -> Result<Option<String>> {
    let kind = versioned.kind.name.lower();
    let text = manifests.text(&versioned.sample())?;
    Ok(text.map(|text| {
        text.replace(
            &format!("  name: {kind}-sample\n"),
            &format!("  name: example-{kind}\n"),
        )
    }))
}

/// The admission policies. The namespace of the operator is left open, as it is in the role binding.
fn policies(manifests: &Manifests<'_>) -> Result<Tree> {
    let mut tree = Tree::default();
    for kind in manifests.project.policy_kinds() {
        for sort in kind.kind.policies.sorts() {
            let path = kind.policy(sort);
            if let Some(text) = manifests.text(&path)? {
                let text = text.replace(NAMESPACE, OPEN_NAMESPACE);
                tree.insert(File::owned(path.replace(POLICIES, OWN_POLICIES), text));
            }
        }
    }
    Ok(tree)
}

/// The roles of the markers, and whether the operator's own is one of the cluster: it is where it has to be.
fn roles(sources: &Sources, project: &Project) -> Result<(Tree, bool)> {
    let texts = |namespaced| {
        let options = RoleOptions {
            role_name: project.project_name.to_string(),
            namespaced,
            account: Account {
                name: project.project_name.to_string(),
                namespace: "REPLACE_NAMESPACE".to_owned(),
            },
        };
        let roles = manifest::roles(sources, project, &options)?;
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
    tree.insert(File::owned(ROLE, with_lease(&role, project)?));
    if !others.is_empty() {
        tree.insert(File::owned(NAMESPACED_ROLES, others));
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
        yaml::from_str(own).context(Code::MalformedFile, || "invalid YAML in the role")?;
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

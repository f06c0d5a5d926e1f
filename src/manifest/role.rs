use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::disk::View;
use crate::error::Result;
use crate::plan::{File, Tree};
use crate::project::layout::{ROLE, ROLE_NAMESPACES, ROLE_TRANSFORMERS};
use crate::project::{Project, Versioned};
use crate::yaml;

use super::external_resource;
use super::rbac::{self, Account, Catalog, NamespacedRole, Options, OwnKind, OwnKinds, Roles};
use super::sources::Sources;

/// The role that the markers in the sources ask for, and if they name namespaces, the folder that
/// keeps the Roles of those there: `namespace:` of a kustomization moves them into the operator's.
///
/// What the runtime needs is asked for in the wiring of the controllers: its own sources may be anywhere.
pub fn role(sources: &Sources, project: &Project) -> Result<Tree> {
    let account = Account {
        name: "controller-manager".to_owned(),
        namespace: "system".to_owned(),
    };
    let options = Options {
        role_name: "manager-role".to_owned(),
        namespaced: project.namespaced,
        account,
    };
    let roles = roles(sources, project, &options)?;
    let mut tree = Tree::default();
    for note in external_resource::notes(sources, project) {
        tree.note(note);
    }
    tree.insert(File::owned(ROLE, roles.to_yaml()?));
    let namespaced = roles.namespaced();
    if !namespaced.is_empty() {
        let transformers = transformers(&namespaced, &options.account)?;
        tree.insert(File::owned(ROLE_TRANSFORMERS, transformers));
        tree.insert(File::owned(
            format!("{ROLE_NAMESPACES}/kustomization.yaml"),
            KUSTOMIZATION.to_owned(),
        ));
    }
    Ok(tree)
}

const KUSTOMIZATION: &str = "\
# For each kustomization that sets `namespace:` or `namePrefix:`, such as config/default. List it
# there under `transformers:`.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- transformers.yaml
";

/// What kustomize does after it has set namespaces and names: Roles and bindings go back to the
/// namespaces of their markers, and the bindings name the service account as it is called now.
fn transformers(roles: &[NamespacedRole], account: &Account) -> Result<String> {
    let mut documents = Vec::new();
    for NamespacedRole { name, namespace } in roles {
        let patch = json!([{ "op": "replace", "path": "/metadata/namespace", "value": namespace }]);
        documents.push(json!({
            "apiVersion": "builtin",
            "kind": "PatchTransformer",
            "metadata": { "name": name },
            "target": { "kind": "Role|RoleBinding", "name": pattern(name) },
            "patch": patch.to_string(),
        }));
    }
    let replacement = |field: &str| {
        let target = |role: &NamespacedRole| {
            json!({
                "select": { "kind": "RoleBinding", "name": role.name },
                "fieldPaths": [format!("subjects.0.{field}")],
            })
        };
        json!({
            "source": {
                "kind": "ServiceAccount", "name": account.name,
                "fieldPath": format!("metadata.{field}"),
            },
            "targets": roles.iter().map(target).collect::<Vec<Value>>(),
        })
    };
    documents.push(json!({
        "apiVersion": "builtin",
        "kind": "ReplacementTransformer",
        "metadata": { "name": account.name },
        "replacements": [replacement("name"), replacement("namespace")],
    }));
    let documents = documents.iter().map(yaml::to_string);
    Ok(documents.collect::<Result<Vec<_>>>()?.join("---\n"))
}

/// A regular expression that a name alone fits.
fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for c in name.chars() {
        if c.is_ascii_punctuation() && c != '-' {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// The roles of the markers, as `options` says that they are written.
pub(crate) fn roles<'a>(
    sources: &Sources,
    project: &Project,
    options: &'a Options,
) -> Result<Roles<'a>> {
    rbac::roles(&sources.list(), &own_kinds(project), options)
}

/// The resources that are in no namespace, by group and name: those of Kubernetes and of the kinds in PROJECT.
pub(crate) fn cluster_scoped(project: &Project) -> BTreeSet<(String, String)> {
    let own = own_kinds(project);
    let catalog = Catalog::new(&own);
    let mut resources = catalog.cluster_scoped();
    for kind in project.kinds.iter().filter(|kind| !kind.namespaced) {
        resources.insert((kind.api_group(), kind.plural.to_string()));
    }
    resources
}

/// The rules by the group and the name of a kind.
pub(crate) type RulesOfKinds = BTreeMap<(String, String), Vec<Value>>;

/// What each own kind needs: what the markers of its controllers ask for, and those that belong to no controller. Empty
/// if there are no markers.
///
/// # Errors
/// A source cannot be read.
pub(crate) fn rules_of_kinds(view: &View, project: &Project) -> Result<RulesOfKinds> {
    let sources = Sources::on_disk(view)?;
    let own = own_kinds(project);
    let controllers = project.controllers();
    let owner = |path: &str| {
        let mut controllers = controllers.iter();
        controllers.find(|controller| {
            let rest = path.strip_prefix(&*controller.source());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    };
    let mut kinds: RulesOfKinds = project
        .own_kinds()
        .map(|kind| ((kind.api_group(), kind.name.to_string()), Vec::new()))
        .collect();
    for (path, rule) in rbac::rules(&sources.list(), &own) {
        match owner(path) {
            Some(controller) => {
                let kind = controller.of.kind;
                let key = (kind.api_group(), kind.name.to_string());
                kinds.entry(key).or_default().push(rule);
            }
            None => kinds
                .values_mut()
                .for_each(|rules| rules.push(rule.clone())),
        }
    }
    let has_rules = kinds.values().any(|rules| !rules.is_empty());
    Ok(if has_rules {
        kinds
    } else {
        RulesOfKinds::new()
    })
}

/// The kinds of the project, which markers are checked against.
pub(super) fn own_kinds(project: &Project) -> OwnKinds {
    let own = project
        .own_versions()
        .filter(|entry| entry.version.api)
        .map(|Versioned { kind, version }| OwnKind {
            group: kind.api_group(),
            kind: kind.name.to_string(),
            plural: kind.plural.to_string(),
            version: version.name.to_string(),
            namespaced: kind.namespaced,
        });
    OwnKinds {
        kinds: own.collect(),
    }
}

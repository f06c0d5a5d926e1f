//! Removal of an operator that OLM runs.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::{self, Action, CustomObjects, Effect, Look, Say, humane, until};
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::{self, ObjectId, Objects, is_crd, name};

use super::csv;
use super::live::{self, items, text};
use super::names::{
    CATALOGS, CLUSTER_CATALOGS, CSVS, EXTENSIONS, GROUPS, INSTALL_PLANS, OPERATORS, Place,
    SUBSCRIPTIONS,
};

/// The label of objects that OLM v1 installed for an extension.
const EXTENSION_OWNER: &str = "olm.operatorframework.io/owner-name";

/// What is deleted beside the operator itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    pub(crate) crds: bool,
    pub(crate) groups: bool,
}

/// What is deleted, in its order: each step ends before the next begins.
#[derive(Debug, Default)]
pub(crate) struct Cleanup {
    steps: Vec<Vec<Value>>,
    /// What is kept, and why.
    pub(crate) kept: Vec<String>,
}

impl Cleanup {
    /// Looks what a package has in OLM v0.
    ///
    /// The Subscription goes first, so that OLM installs nothing again; then the CRDs, with the operator still at work for
    /// their finalizers; then the operator. `InstallPlan`s go last: they list objects that OLM leaves behind.
    ///
    /// # Errors
    /// The objects cannot be read.
    pub(crate) fn of_package(kubectl: &Kubectl, place: &Place, scope: Scope) -> Result<Self> {
        let mut cleanup = Self::default();
        let namespace = &place.namespace;
        let all = live::list(kubectl, SUBSCRIPTIONS, namespace)?;
        let (subscriptions, others): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|it| it["spec"]["name"] == *place.package);
        let all_csvs = live::select(kubectl, CSVS, namespace, "!olm.copiedFrom")?;
        let label = place.component_selector();
        let named: BTreeSet<&str> = subscriptions.iter().flat_map(csv_names).collect();
        let (csvs, other_csvs): (Vec<_>, Vec<_>) = all_csvs.into_iter().partition(|it| {
            named.contains(name(it)) || !it["metadata"]["labels"][&*label].is_null()
        });
        let plans = live::list(kubectl, INSTALL_PLANS, namespace)?;
        let names: BTreeSet<&str> = csvs.iter().map(name).chain(named.iter().copied()).collect();
        let (installed, plans) = cleanup.installed(kubectl, place, plans, &names)?;
        let crds = if scope.crds {
            cleanup.crds(kubectl, &csvs)?
        } else {
            Vec::new()
        };
        let servers = "configmaps,pods";
        let mut catalogs = live::select(kubectl, CATALOGS, namespace, &place.selector())?;
        catalogs.extend(live::select(
            kubectl,
            servers,
            namespace,
            &place.selector(),
        )?);
        for subscription in &subscriptions {
            let source = text(subscription, "/spec/source");
            if !catalogs.iter().any(|it| name(it) == source) {
                cleanup.kept.push(format!(
                    "keeping the CatalogSource {}/{source}: rop did not create it",
                    text(subscription, "/spec/sourceNamespace")
                ));
            }
        }
        let is_found = !(subscriptions.is_empty() && csvs.is_empty() && catalogs.is_empty());
        let groups = if scope.groups && others.is_empty() && other_csvs.is_empty() {
            live::select(kubectl, GROUPS, namespace, &place.selector())?
        } else {
            Vec::new()
        };
        let operator = if is_found {
            live::get(kubectl, OPERATORS, None, &place.operator())?
        } else {
            Value::Null
        };
        cleanup.steps = vec![
            subscriptions,
            crds,
            csvs,
            installed,
            catalogs,
            groups,
            plans,
        ];
        cleanup.steps.push(vec![operator]);
        cleanup.tidy();
        Ok(cleanup)
    }

    /// What the `InstallPlan`s of the package installed: OLM leaves cluster-scoped objects of bundles behind. With the
    /// plans that are for nothing else.
    fn installed(
        &mut self,
        kubectl: &Kubectl,
        place: &Place,
        plans: Vec<Value>,
        csvs: &BTreeSet<&str>,
    ) -> Result<(Vec<Value>, Vec<Value>)> {
        let label = place.component_selector();
        let is_of = |plan: &Value| {
            let mut names = items(plan, "/spec/clusterServiceVersionNames")
                .filter_map(Value::as_str)
                .peekable();
            let is_labelled = !plan["metadata"]["labels"][&*label].is_null();
            names.peek().is_some() && (is_labelled || names.any(|name| csvs.contains(name)))
        };
        let plans: Vec<Value> = plans.into_iter().filter(is_of).collect();
        let mut listed = Vec::new();
        for step in plans.iter().flat_map(|plan| items(plan, "/status/plan")) {
            let [kind, group, version, name] = ["kind", "group", "version", "name"]
                .map(|field| text(&step["resource"], &format!("/{field}")).to_owned());
            let is_own = csvs.contains(text(step, "/resolving")) && step["optional"] != true;
            let is_olm = group == "operators.coreos.com" || kind == "CustomResourceDefinition";
            if is_own && !is_olm {
                let version = if group.is_empty() {
                    version
                } else {
                    format!("{group}/{version}")
                };
                let object = json!({
                    "apiVersion": version, "kind": kind,
                    "metadata": { "name": name, "namespace": place.namespace },
                });
                if !listed.contains(&object) {
                    listed.push(object);
                }
            }
        }
        let mut live = if listed.is_empty() {
            Vec::new()
        } else {
            kubectl.live(&objects::list(&listed))?
        };
        // What was there before, OLM did not label.
        live.retain(|it| it["metadata"]["labels"]["olm.managed"] == "true");
        let (alone, shared): (Vec<_>, Vec<_>) = plans.into_iter().partition(|plan| {
            let names = items(plan, "/spec/clusterServiceVersionNames");
            names
                .filter_map(Value::as_str)
                .all(|name| csvs.contains(name))
        });
        self.kept.extend(shared.iter().map(|plan| {
            format!(
                "keeping the InstallPlan {}: it installed other packages too",
                name(plan)
            )
        }));
        Ok((live, alone))
    }

    /// The CRDs of some `ClusterServiceVersion`s that no other one owns. None of OLM's own, whatever a bundle says.
    fn crds(&mut self, kubectl: &Kubectl, csvs: &[Value]) -> Result<Vec<Value>> {
        let mut owned: BTreeSet<&str> = csvs.iter().flat_map(csv::owned_crds).collect();
        owned.retain(|crd| self.may_delete(crd));
        if owned.is_empty() {
            return Ok(Vec::new());
        }
        let all = live::everywhere(kubectl, CSVS, "!olm.copiedFrom")?;
        let is_ours = |other: &Value| {
            csvs.iter()
                .any(|csv| csv["metadata"]["uid"] == other["metadata"]["uid"])
        };
        let mut crds = Vec::new();
        for crd in owned {
            let mut others = all.iter().filter(|it| !csv::is_copy(it) && !is_ours(it));
            match others.find(|other| csv::owned_crds(other).any(|owned| owned == crd)) {
                Some(other) => self.kept.push(format!(
                    "keeping the CRD {crd}: {}/{} owns it too",
                    text(other, "/metadata/namespace"),
                    name(other)
                )),
                None => crds.push(live::get(kubectl, "crd", None, crd)?),
            }
        }
        Ok(crds)
    }

    /// Whether a CRD may be deleted. One of OLM's own is kept.
    fn may_delete(&mut self, crd: &str) -> bool {
        let is_olms = csv::is_olms(crd);
        if is_olms {
            self.kept
                .push(format!("keeping the CRD {crd}: it is part of OLM"));
        }
        !is_olms
    }

    /// Looks what a package has in OLM v1, which deletes all that an extension installed.
    ///
    /// # Errors
    /// The objects cannot be read.
    pub(crate) fn of_extension(kubectl: &Kubectl, place: &Place, scope: Scope) -> Result<Self> {
        let mut cleanup = Self::default();
        let all = live::everywhere(kubectl, EXTENSIONS, "")?;
        let of_package =
            |it: &Value| it["spec"]["source"]["catalog"]["packageName"] == *place.package;
        let extensions: Vec<_> = all.into_iter().filter(of_package).collect();
        let mut crds = Vec::new();
        for extension in &extensions {
            let selector = format!("{EXTENSION_OWNER}={}", name(extension));
            crds.extend(live::everywhere(kubectl, "crd", &selector)?);
        }
        crds.retain(|crd| cleanup.may_delete(name(crd)));
        if !(scope.crds || crds.is_empty()) {
            return Err(Error::new(
                Code::ConflictingFlags,
                "OLM v1 deletes the CRDs with the ClusterExtension: they cannot be kept",
            )
            .hint("leave out `--delete-all=false` and `--delete-crds=false`"));
        }
        let selector = place.selector();
        let mut catalogs = live::everywhere(kubectl, CLUSTER_CATALOGS, &selector)?;
        catalogs.extend(live::everywhere(kubectl, "clusterrolebindings", &selector)?);
        catalogs.extend(live::everywhere(kubectl, "serviceaccounts", &selector)?);
        cleanup.steps = vec![crds, extensions, catalogs];
        cleanup.tidy();
        Ok(cleanup)
    }

    fn tidy(&mut self) {
        for step in &mut self.steps {
            step.retain(|object| !object.is_null());
        }
        self.steps.retain(|step| !step.is_empty());
    }

    /// What is deleted.
    pub(crate) fn effects(&self) -> Vec<Effect> {
        let effect = |object: &Value| Effect {
            id: ObjectId::of(object),
            action: Action::Delete,
        };
        self.steps.iter().flatten().map(effect).collect()
    }

    /// The objects that are deleted with CRDs.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn at_risk(&self, kubectl: &Kubectl) -> Result<Vec<CustomObjects>> {
        let crds = self.steps.iter().flatten().filter(|object| is_crd(object));
        let crds: Objects = crds.cloned().collect();
        cluster::of_crds(kubectl, &crds)
    }

    /// Deletes step after step.
    ///
    /// # Errors
    /// The API server refuses it, or something is not deleted in time. Then the following steps are not begun.
    pub(crate) fn delete(&self, kubectl: &Kubectl, timeout: Duration, say: Say<'_>) -> Result<()> {
        let is_of = |step: &[Value], kind: &str| step.iter().all(|object| object["kind"] == kind);
        let has_plans = self.steps.iter().any(|step| is_of(step, "InstallPlan"));
        for step in &self.steps {
            let list = objects::list(step);
            let mut arguments = vec!["delete", "--ignore-not-found", "--wait=false", "-f", "-"];
            if has_plans && is_of(step, "Subscription") {
                // Garbage collection would take the InstallPlans before what they list is deleted.
                arguments.push("--cascade=orphan");
            }
            kubectl.text(&arguments, Some(&list))?;
            let gone = until(timeout, &mut *say, || {
                let left = kubectl.live(&list)?;
                let names: Vec<_> = left.iter().map(|it| ObjectId::of(it).to_string()).collect();
                Ok(if names.is_empty() {
                    Look::Done(())
                } else {
                    Look::NotYet(names.join(", "))
                })
            })?;
            gone.map_err(|left| stuck(&left, timeout))?;
        }
        Ok(())
    }
}

/// The `ClusterServiceVersion`s that a Subscription names.
fn csv_names(subscription: &Value) -> impl Iterator<Item = &str> {
    let fields = [
        "/status/installedCSV",
        "/status/currentCSV",
        "/spec/startingCSV",
    ];
    let names = fields.map(|field| text(subscription, field)).into_iter();
    names.filter(|name| !name.is_empty())
}

fn stuck(left: &str, timeout: Duration) -> Error {
    let time = humane(timeout);
    live::error(Code::NotDeleted, &format!("not deleted after {time}: {left}"))
        .hint("finalizers are removed by the operator, for its objects, and by OLM: check that both are running, and run the \
            command again")
        .hint("or wait longer with `--timeout`")
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    /// A kubectl that knows each object by its name, and has no list.
    fn kubectl() -> Kubectl {
        let script = r#"case "$*" in
            *--all-namespaces*) echo '{"kind": "List", "items": []}' ;;
            *) for name; do :; done; echo "{\"kind\": \"CustomResourceDefinition\", \"metadata\": {\"name\": \"$name\"}}" ;;
        esac"#;
        let mut command = Command::new("sh");
        command.args(["-c", script, "kubectl"]);
        Kubectl::from(&command)
    }

    #[test]
    fn crds_of_olm_are_kept() {
        let olms = [
            "clusterserviceversions.operators.coreos.com",
            "packagemanifests.packages.operators.coreos.com",
            "clustercatalogs.olm.operatorframework.io",
        ];
        let names = ["apps.example.com", "apps.myoperators.coreos.com"];
        let owned: Vec<_> = olms
            .iter()
            .chain(&names)
            .map(|name| json!({ "name": name }))
            .collect();
        let csv = json!({ "spec": { "customresourcedefinitions": { "owned": owned } } });
        let mut cleanup = Cleanup::default();
        let crds = cleanup.crds(&kubectl(), &[csv]).expect("CRDs");
        let found: Vec<_> = crds.iter().map(name).collect();
        assert_eq!(found, names);
        assert_eq!(cleanup.kept.len(), olms.len());
        assert!(
            cleanup.kept[0].ends_with("it is part of OLM"),
            "{:?}",
            cleanup.kept
        );
    }
}

//! The common setup of all seeds.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::jiff::Timestamp;
use serde_json::{Value, json};

use super::config::is_admission;
use super::crew::Launch;
use super::longest;
use super::plan::Plan;
use super::subject::{Conditions, Copies, Owners, Subject};
use super::target::Target;
use super::world::{Drawn, Names, World};
use crate::breakage::Breakage;
use crate::testing::api_server::{ApiServer, Clock, User};

/// The default namespace of objects.
const PEOPLE: &str = "shop";

/// Returns why an invariant does not hold.
pub(super) type Holds = Arc<dyn Fn(&World) -> Result<(), String> + Send + Sync>;

/// Acts in a world until its end.
pub(super) type Act = Arc<dyn Fn(World) -> BoxFuture<'static, ()> + Send + Sync>;

/// The setup that all seeds share.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) names: Names,
    pub(super) launch: Launch,
    pub(super) crds: Vec<CustomResourceDefinition>,
    /// The objects of the user.
    pub(super) objects: Vec<Value>,
    /// The objects that exist from the beginning.
    pub(super) given: Vec<Value>,
    /// The role of the operator; by default, everything is allowed.
    pub(super) role: Option<Value>,
    pub(super) always: Vec<(String, Holds)>,
    pub(super) eventually: Vec<(String, Duration, Holds)>,
    pub(super) actors: Vec<Act>,
    /// The deliberate fault of the library, if there is one.
    pub(super) breakage: Option<Breakage>,
    /// The maximum duration of the faults.
    pub(super) trouble: Duration,
    /// How long the samples may take to get ready in a cluster without faults.
    pub(super) ready_within: Duration,
    /// The kinds whose objects depend on their history.
    pub(super) historic: Vec<String>,
    /// The kinds whose objects compete for something outside the cluster.
    pub(super) competing: Vec<String>,
    /// The fields that have an effect outside the cluster alone.
    pub(super) external: Vec<String>,
    /// Whether the program does not use this library: it has one replica, without leader election.
    pub(super) is_foreign: bool,
    /// Whether the operator only watches some namespaces.
    pub(super) watches_namespaces: bool,
    /// See [`Self::drawn`].
    pub(super) drawn: OnceLock<Drawn>,
}

impl Setup {
    /// Adds CRDs. A Rust type only knows its own version, so the versions of a kind may be in separate CRDs: the first
    /// that claims to be the storage version is stored, or otherwise the first.
    pub(super) fn add_crds(&mut self, crds: impl IntoIterator<Item = CustomResourceDefinition>) {
        for crd in crds {
            let mut known = self.crds.iter_mut();
            match known.find(|known| known.metadata.name == crd.metadata.name) {
                None => self.crds.push(crd),
                Some(known) => {
                    let versions = &mut known.spec.versions;
                    for version in crd.spec.versions {
                        if versions.iter().all(|other| other.name != version.name) {
                            versions.push(version);
                        }
                    }
                }
            }
        }
        for crd in &mut self.crds {
            let versions = &mut crd.spec.versions;
            let stored = versions.iter().position(|version| version.storage);
            for (index, version) in versions.iter_mut().enumerate() {
                version.storage = index == stored.unwrap_or_default();
            }
        }
    }

    /// The fields that the operator fills with random strings, such as the password in a Secret. They are known after the
    /// cluster without faults.
    pub(super) fn drawn(&self) -> &Drawn {
        static NONE: Drawn = Drawn::new();
        self.drawn.get().unwrap_or(&NONE)
    }

    /// Whether there are kinds, and no object of any kind.
    pub(super) fn lacks_samples(&self) -> bool {
        let mut given = self.given.iter().filter(|object| !is_admission(object));
        !self.crds.is_empty() && self.objects.is_empty() && given.next().is_none()
    }

    /// Whether objects of a kind depend on their history.
    pub(super) fn has_history(&self, kind: Option<&str>) -> bool {
        self.historic.iter().any(|known| kind == Some(known))
    }

    /// Whether objects of a kind compete for something outside the cluster.
    pub(super) fn competes(&self, kind: Option<&str>) -> bool {
        self.competing.iter().any(|known| kind == Some(known))
    }

    /// Whether a field such as `sites.spec.host` has an effect outside the cluster alone, or what it is in has.
    pub(super) fn is_external(&self, field: &str) -> bool {
        let mut external = self.external.iter();
        external.any(|known| {
            let rest = field.strip_prefix(&**known);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    /// Whether the operator only works with objects in one namespace.
    fn is_single_namespace(&self) -> bool {
        let role = self.role.as_ref();
        self.watches_namespaces || role.is_some_and(|role| role["kind"] == "Role")
    }

    /// Whether the operator may write the status of a kind: not for kinds of other operators.
    fn writes_status(&self, target: &Target) -> bool {
        let Some(role) = &self.role else {
            return true;
        };
        let (group, _) = target.version.split_once('/').unwrap_or_default();
        let status = format!("{}/status", target.plural);
        let has = |rule: &Value, field: &str, names: &[&str]| {
            let mut listed = rule[field]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            listed.any(|entry| entry == "*" || names.contains(&entry))
        };
        let mut rules = role["rules"].as_array().into_iter().flatten();
        rules.any(|rule| {
            has(rule, "apiGroups", &[group])
                && has(rule, "resources", &[&status, "*/status"])
                && has(rule, "verbs", &["patch", "update"])
        })
    }

    /// Creates the world of a plan, and the objects that the user will create.
    pub(super) fn world(&self, plan: &Plan) -> (World, Vec<Subject>) {
        let server = ApiServer::new();
        for crd in &self.crds {
            server.add_crd(crd);
        }
        let namespace = &self.names.namespace;
        let objects = self.objects.iter().chain(&self.given);
        let known: Result<Vec<_>, _> = objects
            .map(|object| {
                let mut subject = Subject::of(object, &self.crds, PEOPLE)?;
                if !self.writes_status(&subject.target) {
                    subject.conditions = Conditions::None;
                }
                Ok::<_, String>(subject)
            })
            .collect();
        let mut subjects = known.unwrap_or_else(|why| panic!("cannot simulate {why}"));
        let mut given = subjects.split_off(self.objects.len());
        let copies = plan.copies(self.is_single_namespace());
        if copies.iter().any(Copies::is_long) {
            longest::find(&mut subjects, &self.crds);
        }
        let subjects = &subjects;
        let copied = |copy| {
            subjects
                .iter()
                .map(move |subject| subject.copied(copy, subjects))
        };
        let many: Vec<_> = copies.iter().flat_map(copied).collect();
        given.extend(given_elsewhere(&given, subjects, &copies));
        let world = World::new(
            server,
            plan.clone(),
            self.names.clone(),
            self.user(),
            Owners::of(&many),
            self.is_foreign,
            self.drawn().clone(),
        );

        let all = many.iter().chain(&given);
        let mut namespaces: Vec<_> = all
            .filter_map(|subject| subject.target.namespace.clone())
            .collect();
        namespaces.push(namespace.clone());
        namespaces.sort();
        namespaces.dedup();
        for name in namespaces {
            let object =
                json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
            world.given("/api/v1/namespaces", &object);
        }
        // No webhook is served yet.
        given.sort_by_key(|manifest| is_admission(&manifest.object));
        for manifest in &given {
            world.given(&manifest.collection(), &manifest.object);
        }
        world.serve_webhooks();
        if let Some(role) = &self.role {
            world.allow(role, namespace, &self.names.operator);
        }
        (world, many)
    }

    /// Creates another world without faults, with these objects and the current time of `world`.
    pub(super) fn fresh_world(
        &self,
        world: &World,
        objects: &[Value],
        now: Timestamp,
        subjects: &[Subject],
    ) -> World {
        let server = ApiServer::with_clock(Clock::start_at(now));
        for crd in &self.crds {
            server.add_crd(crd);
        }
        server.restore(objects);
        let fresh = World::new(
            server,
            Plan {
                replicas: 1,
                ..world.plan().only(|_| false)
            },
            self.names.clone(),
            self.user(),
            Owners::of(subjects),
            self.is_foreign,
            self.drawn().clone(),
        );
        fresh.share_with(world);
        fresh.serve_webhooks();
        fresh
    }

    /// The user of the operator in the API server.
    fn user(&self) -> User {
        if self.role.is_some() {
            User::service_account(&self.names.namespace, &self.names.operator)
        } else {
            User::admin()
        }
    }
}

/// Copies of given objects: what is next to the user's objects is next to their copies in a second namespace, too.
fn given_elsewhere(given: &[Subject], subjects: &[Subject], copies: &[Copies]) -> Vec<Subject> {
    let is_next = |given: &&Subject| {
        let namespace = &given.target.namespace;
        let mut others = subjects.iter();
        namespace.is_some() && others.any(|other| other.target.namespace == *namespace)
    };
    let next: Vec<_> = given.iter().filter(is_next).collect();
    let elsewhere = copies.iter().filter(|copy| copy.is_elsewhere);
    elsewhere
        .flat_map(|copy| next.iter().map(|given| copy.moved(given)))
        .collect()
}

impl World {
    /// Creates an object before the beginning.
    fn given(&self, collection: &str, object: &Value) {
        let method = hyper::Method::POST;
        let refused = self.tries("setup", &method, collection, object).err();
        if let Some(refusal) = refused.filter(|_| !collection.ends_with("/namespaces")) {
            let why = refusal["message"].as_str().unwrap_or_default();
            panic!("the API server rejects an object of the simulation: {why}: {object}");
        }
    }

    /// Binds a role to the operator in all namespaces, even the role of one namespace.
    fn allow(&self, role: &Value, namespace: &str, account: &str) {
        let rbac = "/apis/rbac.authorization.k8s.io/v1";
        let mut everywhere = role.clone();
        everywhere["kind"] = "ClusterRole".into();
        self.given(&format!("{rbac}/clusterroles"), &everywhere);
        let metadata = |name: &str| json!({ "name": name });
        let version = "rbac.authorization.k8s.io/v1";
        let subject =
            json!([{ "kind": "ServiceAccount", "name": account, "namespace": namespace }]);
        let bind = |name: &str, role: &Value| {
            let group = "rbac.authorization.k8s.io";
            let role = json!({ "apiGroup": group, "kind": "ClusterRole", "name": role });
            let binding = json!({
                "apiVersion": version, "kind": "ClusterRoleBinding", "metadata": metadata(name),
                "subjects": subject, "roleRef": role,
            });
            self.given(&format!("{rbac}/clusterrolebindings"), &binding);
        };
        bind("simulated-operator", &role["metadata"]["name"]);
        // The permissions that `config/rbac` grants in addition to the role from the markers.
        let election = json!({
            "apiVersion": version, "kind": "ClusterRole", "metadata": metadata("simulated-election"),
            "rules": [
                { "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"] },
                { "apiGroups": ["events.k8s.io"], "resources": ["events"], "verbs": ["create", "patch"] },
            ],
        });
        self.given(&format!("{rbac}/clusterroles"), &election);
        bind("simulated-election", &"simulated-election".into());
    }
}

#[cfg(test)]
mod tests {
    use kube::CustomResourceExt;

    use crate::simulation::Simulation;
    use crate::{Identity, Manager};

    mod v1 {
        #[derive(
            kube::CustomResource,
            Clone,
            Debug,
            serde::Deserialize,
            schemars::JsonSchema,
            serde::Serialize,
        )]
        #[kube(
            group = "example.org",
            version = "v1",
            kind = "Widget",
            storage = false
        )]
        pub(super) struct WidgetSpec {}
    }

    mod v1beta1 {
        #[derive(
            kube::CustomResource,
            Clone,
            Debug,
            serde::Deserialize,
            schemars::JsonSchema,
            serde::Serialize,
        )]
        #[kube(
            group = "example.org",
            version = "v1beta1",
            kind = "Widget",
            storage = false
        )]
        pub(super) struct WidgetSpec {}
    }

    #[test]
    fn versions_of_a_kind_come_one_by_one() {
        let identity = Identity::new("example", "1.0.0");
        let crds = [v1beta1::Widget::crd(), v1::Widget::crd(), v1::Widget::crd()];
        let simulation = Simulation::new(identity, |_: &mut Manager<()>| (), || ()).crds(crds);
        let [crd] = &simulation.setup.crds[..] else {
            panic!("one CRD");
        };
        let versions: Vec<_> = crd
            .spec
            .versions
            .iter()
            .map(|version| (&*version.name, version.storage))
            .collect();
        assert_eq!(versions, [("v1beta1", true), ("v1", false)]);
    }
}

//! What the suites share that need no control plane of their own: one for all of them, with one
//! operator that is built once. Each case runs it for a namespace of its own.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::operator::{Installed, Operator};
use super::resource::{DEPLOYMENTS, PODS, Resource, SERVICES, state};
use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::proxy::Proxy;
use crate::support::shared::Shared;

pub(crate) const APP_SERVICES: Resource = app("appservices", "AppService");
pub(crate) const STORES: Resource = app("stores", "Store");
/// With a finalizer.
pub(crate) const VAULTS: Resource = app("vaults", "Vault");
pub(crate) const RUNNERS: Resource = app("runners", "Runner");

/// Of the group that all kinds of the operator are in.
const fn app(plural: &'static str, kind: &'static str) -> Resource {
    Resource::new("app.example.com", "v1alpha1", plural, kind)
}

/// How long a busy machine may take for what takes no time.
pub(crate) const SOON: Duration = Duration::from_secs(30);

/// What the operator is called.
pub(crate) const OPERATOR: &str = "crew-operator";

/// A control plane and an operator in it, of three kinds of workloads and one of pods.
pub(crate) struct Crew {
    pub(crate) plane: ControlPlane,
    pub(crate) installed: Installed,
}

/// The crew that all cases of the moment share.
pub(crate) fn crew() -> Option<Arc<Crew>> {
    static CREW: Shared<Crew> = Shared::new();
    CREW.get(|| {
        let plane = ControlPlane::new()?;
        let world = World::new();
        world
            .rop(&format!(
                "init --domain example.com --project-name {OPERATOR} --api app/AppService --api app/Store"
            ))
            .ok();
        world
            .rop("create api --group app --version v1alpha1 --kind Runner --template pod")
            .ok();
        world
            .rop("create api --group app --version v1alpha1 --kind Vault --template workload --finalizer")
            .ok();
        let installed = Installed::new(&world, &plane, OPERATOR);
        Some(Crew { plane, installed })
    })
}

/// An operator at work in a namespace, behind a proxy.
pub(crate) struct Case {
    pub(crate) crew: Arc<Crew>,
    pub(crate) proxy: Proxy,
    pub(crate) namespace: String,
    /// The namespace and the name of the operator's service account.
    account: [String; 2],
    operator: Option<Operator>,
}

impl Case {
    /// Starts the operator for a new namespace. `None` where there is no control plane.
    pub(crate) fn start(namespace: &str) -> Option<Self> {
        let mut case = Self::prepare(namespace)?;
        case.start_operator();
        Some(case)
    }

    /// The same without the operator.
    pub(crate) fn prepare(namespace: &str) -> Option<Self> {
        let crew = crew()?;
        let Crew { plane, installed } = &*crew;
        let object = json!({"metadata": {"name": namespace}});
        plane.api().create("/api/v1/namespaces", &object);
        Some(Self {
            proxy: Proxy::start(plane.upstream()),
            namespace: namespace.to_owned(),
            account: [installed.namespace(), installed.service_account()],
            operator: None,
            crew,
        })
    }

    pub(crate) fn plane(&self) -> &ControlPlane {
        &self.crew.plane
    }

    /// Lets the operator be another service account, of the case's own namespace.
    pub(crate) fn use_account(&mut self, name: &str) {
        let path = format!("/api/v1/namespaces/{}/serviceaccounts", self.namespace);
        let object = json!({"metadata": {"name": name}});
        self.plane().api().create(&path, &object);
        self.account = [self.namespace.clone(), name.to_owned()];
    }

    pub(crate) fn start_operator(&mut self) {
        self.operator = Some(self.launch(&[]));
    }

    /// Starts an operator that is not the case's.
    pub(crate) fn launch(&self, arguments: &[&str]) -> Operator {
        self.launch_with(&[("WATCH_NAMESPACE", &*self.namespace)], arguments)
    }

    /// The same, with this environment alone.
    pub(crate) fn launch_with(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Operator {
        let Crew { plane, installed } = &*self.crew;
        let [namespace, account] = &self.account;
        let kubeconfig = plane.kubeconfig_through(&self.proxy.url(), namespace, account);
        installed.run(plane, &kubeconfig, environment, arguments)
    }

    /// Ends the operator with SIGKILL.
    pub(crate) fn kill_operator(&mut self) {
        self.operator.take().expect("an operator").kill();
    }

    /// Creates an object.
    #[track_caller]
    pub(crate) fn create(&self, kind: Resource, name: &str, spec: &Value) -> Value {
        let path = kind.all(&self.namespace);
        self.plane().api().create(&path, &kind.object(name, spec))
    }

    /// An object, or null.
    #[track_caller]
    pub(crate) fn get(&self, kind: Resource, name: &str) -> Value {
        self.plane().api().get(&kind.one(&self.namespace, name))
    }

    /// Changes an object by a merge patch.
    #[track_caller]
    pub(crate) fn merge(&self, kind: Resource, name: &str, patch: &Value) -> Value {
        let path = kind.one(&self.namespace, name);
        self.plane().api().merge(&path, patch)
    }

    /// Changes an object by the operations of a JSON patch.
    #[track_caller]
    pub(crate) fn edit(&self, kind: Resource, name: &str, operations: &Value) -> Value {
        let path = kind.one(&self.namespace, name);
        self.plane().api().edit(&path, operations)
    }

    /// Deletes an object.
    #[track_caller]
    pub(crate) fn delete(&self, kind: Resource, name: &str) {
        self.plane().api().delete(&kind.one(&self.namespace, name));
    }

    /// Plays the garbage collector, which this control plane has not: what is deleted in the
    /// foreground goes when all that it owns has gone, and here it owns nothing.
    #[track_caller]
    pub(crate) fn collect_garbage(&self) {
        let api = self.plane().api();
        for kind in [DEPLOYMENTS, SERVICES, PODS] {
            let list = api.get(&kind.all(&self.namespace));
            for object in list["items"].as_array().into_iter().flatten() {
                let metadata = &object["metadata"];
                if metadata["finalizers"][0] == "foregroundDeletion" {
                    let name = metadata["name"].as_str().expect("a name");
                    self.merge(kind, name, &json!({"metadata": {"finalizers": null}}));
                }
            }
        }
    }

    /// Every object of the operator, and all of its children.
    pub(crate) fn state(&self) -> Value {
        self.collect_garbage();
        let kinds = [
            APP_SERVICES,
            STORES,
            VAULTS,
            RUNNERS,
            DEPLOYMENTS,
            SERVICES,
            PODS,
        ];
        state(self.plane(), &self.namespace, &kinds)
    }

    /// Waits until the operator has seen the latest spec of an object, and has nothing to do.
    #[track_caller]
    pub(crate) fn settles(&self, kind: Resource, name: &str) {
        soon(&format!("the status of {} {name}", kind.plural), || {
            let object = self.get(kind, name);
            let (seen, now) = (
                &object["status"]["observedGeneration"],
                &object["metadata"]["generation"],
            );
            seen.is_number() && seen == now
        });
        self.rests();
    }

    /// Waits until the operator asks for nothing any more.
    #[track_caller]
    pub(crate) fn rests(&self) {
        rests(&self.proxy, Duration::from_millis(300));
    }
}

/// Waits until nothing comes through a proxy for a time.
#[track_caller]
pub(crate) fn rests(proxy: &Proxy, time: Duration) {
    soon("a pause of the operator", || {
        let requests = proxy.requests();
        let last = requests.last().map(|request| request.at.elapsed());
        last.is_none_or(|since| since > time)
    });
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn soon(what: &str, is_so: impl FnMut() -> bool) {
    assert!(is_soon(is_so), "not within {SOON:?}: {what}");
}

/// Waits until something is so, and tells whether it is.
pub(crate) fn is_soon(mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + SOON;
    loop {
        let is_late = Instant::now() > deadline;
        if is_so() {
            return true;
        }
        if is_late {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

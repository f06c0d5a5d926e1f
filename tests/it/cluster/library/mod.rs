//! The library as a stranger uses it: operators by hand, from `runtime/examples`, against a real API
//! server. One control plane and one operator for all of these tests, each in a namespace of its own.

mod beside;
mod children;
mod lifecycle;
mod missing;
mod overlap;
mod related;
mod releases;
pub(super) mod rights;
mod unanswered;
mod unreadable;
mod webhooks;

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::case::{is_soon, soon};
use super::denied;
use super::operator::{Installed, Operator, PROBES};
use super::resource::{Resource, SERVICES};
use crate::support::control_plane::{ControlPlane, free_port};
use crate::support::net;
use crate::support::shared::Shared;

pub(super) const SHOPS: Resource = Resource::new("shop.example.com", "v1", "shops", "Shop");
const REGIONS: Resource = Resource::new("shop.example.com", "v1", "regions", "Region");
const TICKETS: Resource = Resource::new("desk.example.com", "v1", "tickets", "Ticket");
pub(super) const CONFIG_MAPS: Resource = Resource::new("", "v1", "configmaps", "ConfigMap");
const SECRETS: Resource = Resource::new("", "v1", "secrets", "Secret");
const NODES: Resource = Resource::new("", "v1", "nodes", "Node");
const ROLES: Resource = Resource::new(
    "rbac.authorization.k8s.io",
    "v1",
    "clusterroles",
    "ClusterRole",
);

/// A control plane with the operator `shop` at work in it.
struct Suite {
    plane: ControlPlane,
    installed: Installed,
    operator: Operator,
    probes: u16,
    metrics: u16,
    webhooks: u16,
    /// The operator is not ready while this file exists.
    closed: PathBuf,
}

/// The suite that all tests of the moment share.
fn suite() -> Option<Arc<Suite>> {
    static SUITE: Shared<Suite> = Shared::new();
    SUITE.get(Suite::start)
}

impl Suite {
    fn start() -> Option<Self> {
        let plane = ControlPlane::with_controllers()?;
        let installed = Installed::example(&plane, "shop");
        rights::install(&plane);
        unreadable::prepare(&plane);
        let (probes, metrics, webhooks) = (free_port(), free_port(), free_port());
        let closed = plane.dir().join("closed");
        webhooks::prepare(&plane);
        let kubeconfig = installed.kubeconfig(&plane, None);
        let flags = [
            PROBES,
            &format!("127.0.0.1:{probes}"),
            &format!("--metrics-bind-address=127.0.0.1:{metrics}"),
            "--metrics-secure=false",
            "--salutation=Welcome",
            &format!("--webhook-port={webhooks}"),
            "--webhook-secret-name=webhook-server-cert",
            "--mutating-webhook-configuration-name=shops",
            "--validating-webhook-configuration-name=shops",
            &format!("--closed={}", closed.display()),
        ];
        let operator = installed.run(&plane, &kubeconfig, &[], &flags);
        soon("the operator is ready", || {
            net::get(probes, "/readyz") == Some(200)
        });
        Some(Self {
            plane,
            installed,
            operator,
            probes,
            metrics,
            webhooks,
            closed,
        })
    }

    fn namespace(&self, name: &str) {
        let object = json!({"metadata": {"name": name}});
        self.plane.api().create("/api/v1/namespaces", &object);
    }

    #[track_caller]
    fn shop(&self, namespace: &str, name: &str, spec: &Value) -> Value {
        let object = SHOPS.object(name, spec);
        self.plane.api().create(&SHOPS.all(namespace), &object)
    }

    #[track_caller]
    fn get(&self, kind: Resource, namespace: &str, name: &str) -> Value {
        self.plane.api().get(&kind.one(namespace, name))
    }

    #[track_caller]
    fn merge(&self, kind: Resource, namespace: &str, name: &str, patch: &Value) {
        self.plane.api().merge(&kind.one(namespace, name), patch);
    }

    #[track_caller]
    fn delete(&self, kind: Resource, namespace: &str, name: &str) {
        self.plane.api().delete(&kind.one(namespace, name));
    }

    /// Status and reason of a condition of a shop.
    fn condition(&self, namespace: &str, name: &str, type_: &str) -> Option<(String, String)> {
        let shop = self.get(SHOPS, namespace, name);
        let conditions = shop["status"]["conditions"].as_array()?;
        let found = conditions.iter().find(|known| known["type"] == type_)?;
        let text = |field: &str| Some(found[field].as_str()?.to_owned());
        Some((text("status")?, text("reason")?))
    }

    /// Waits until a shop is ready, or not ready for a reason.
    #[track_caller]
    fn is_ready(&self, namespace: &str, name: &str, status: &str, reason: &str) {
        let wanted = Some((status.to_owned(), reason.to_owned()));
        let is_so = is_soon(|| self.condition(namespace, name, "Ready") == wanted);
        let object = format!("{namespace}/{name}");
        assert!(
            is_so,
            "not {wanted:?}: {:#}\n{:#?}",
            self.get(SHOPS, namespace, name),
            self.told("shop", &object)
        );
    }

    /// What the operator has logged of an object in a controller.
    fn told(&self, controller: &str, object: &str) -> Vec<Value> {
        let log = self.operator.log();
        let lines = log.lines().map(serde_json::from_str::<Value>);
        let is_of = |line: &Value| {
            line["span"]["controller"] == controller && line["span"]["object"] == object
        };
        lines.flatten().filter(is_of).collect()
    }

    /// How many reconciles of an object have begun.
    fn reconciles(&self, controller: &str, object: &str) -> usize {
        let told = self.told(controller, object);
        told.iter()
            .filter(|line| line["message"] == "begins")
            .count()
    }

    /// The operator was never refused anything.
    #[track_caller]
    fn nothing_was_denied(&self) {
        assert_eq!(denied(&self.plane, rights::USER), Vec::<String>::new());
    }
}

/// Whether the clusterIP of a Service is in the status of its shop.
fn has_address(suite: &Suite, namespace: &str, name: &str) -> bool {
    let address = suite.get(SERVICES, namespace, name)["spec"]["clusterIP"].take();
    let seen = suite.get(SHOPS, namespace, name)["status"]["clusterIp"].take();
    address.is_string() && seen == address
}

//! Operators of every shape at work beside each other: for workloads and for pods, of one kind and
//! of three, of the whole cluster and of a namespace.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::case::{is_soon, rests, soon};
use super::operator::{Installed, Operator};
use super::resource::{DEPLOYMENTS, PODS, Resource, SERVICES, state};
use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::proxy::Proxy;
use crate::support::shared::Shared;

/// How long an operator asks for nothing before it counts as at rest.
const REST: Duration = Duration::from_millis(1500);

/// What the objects of all shapes are called.
pub(crate) const NAME: &str = "web";

/// What an object asks for: one thing, and then the other, and then the first again.
const WORKLOAD: fn() -> [Value; 2] = || {
    [
        json!({"image": "nginx:1", "replicas": 2, "env": [{"name": "A", "value": "b"}],
               "ports": [{"port": 80}]}),
        json!({"image": "nginx:2", "replicas": 3, "env": null,
               "ports": [{"port": 80}, {"port": 443}]}),
    ]
};
const POD: fn() -> [Value; 2] = || [json!({"image": "busybox:1"}), json!({"image": "busybox:2"})];
const MINIMAL: fn() -> [Value; 2] = || [json!({"message": "one"}), json!({"message": "two"})];

/// An object of an operator.
pub(crate) struct Subject {
    pub(crate) kind: Resource,
    pub(crate) namespace: String,
    children: &'static [Resource],
    specs: [Value; 2],
}

/// An operator of one shape.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) proxy: Proxy,
    pub(crate) subjects: Vec<Subject>,
    /// How many watches it has.
    pub(crate) watches: usize,
    /// How many requests a change costs when nothing goes wrong.
    pub(crate) usual: usize,
    pub(crate) operator: Option<Operator>,
    installed: Installed,
    is_namespaced: bool,
    /// What everything is like for each of the two specs.
    expected: [Value; 2],
}

/// All of them, in a control plane that is theirs alone.
pub(crate) struct Fleet {
    pub(crate) plane: ControlPlane,
    pub(crate) shapes: Vec<Shape>,
    /// Which of the two specs the objects have.
    spec: usize,
}

impl Fleet {
    /// The fleet with every operator freshly started and at rest, for this test alone. `None` where
    /// there is no control plane.
    pub(crate) fn at_rest() -> Option<OwnedMutexGuard<Self>> {
        let mut fleet = Self::at_work()?;
        fleet.start();
        Some(fleet)
    }

    /// The same before the operators are started.
    pub(crate) fn at_work() -> Option<OwnedMutexGuard<Self>> {
        let mut fleet = Self::shared()?.blocking_lock_owned();
        // What a failed test left behind ends here.
        fleet.stop();
        Some(fleet)
    }

    /// The fleet, for as long as somebody has it.
    pub(crate) fn shared() -> Option<Arc<Mutex<Self>>> {
        static FLEET: Shared<Mutex<Fleet>> = Shared::new();
        FLEET.get(|| Some(Mutex::new(Self::build()?)))
    }

    fn build() -> Option<Self> {
        let plane = ControlPlane::new()?;
        let shapes = vec![
            Shape::new(
                &plane,
                "wide-3",
                false,
                &[
                    ("AppService", "appservices", "workload"),
                    ("Runner", "runners", "pod"),
                    ("Region", "regions", "workload --cluster-scoped"),
                ],
            ),
            Shape::new(&plane, "wide-1", false, &[("Runner", "runners", "pod")]),
            Shape::new(
                &plane,
                "own-3",
                true,
                &[
                    ("AppService", "appservices", "workload"),
                    ("Runner", "runners", "pod"),
                    ("Setting", "settings", "minimal"),
                ],
            ),
            Shape::new(
                &plane,
                "own-1",
                true,
                &[("AppService", "appservices", "workload")],
            ),
        ];
        let mut fleet = Self {
            plane,
            shapes,
            spec: 0,
        };
        fleet.start();
        // Both ways, for a field that was once set leaves traces.
        for _ in 0..2 {
            fleet.change();
            for shape in &mut fleet.shapes {
                rests(&shape.proxy, REST);
                shape.expected[fleet.spec] = shape.state(&fleet.plane);
                shape.usual = shape.proxy.take_requests().len();
            }
        }
        Some(fleet)
    }

    /// Starts every operator and waits until it is at rest.
    pub(crate) fn start(&mut self) {
        self.launch();
        for shape in &mut self.shapes {
            soon("its watches", || {
                shape.proxy.requests().len() > shape.watches
            });
            rests(&shape.proxy, REST);
            shape.proxy.take_requests();
        }
    }

    /// Starts every operator.
    pub(crate) fn launch(&mut self) {
        for shape in &mut self.shapes {
            shape.launch(&self.plane, &[]);
        }
    }

    /// Whether an object and its children are as they should be.
    pub(crate) fn is_done(&self, shape: &Shape, subject: usize) -> bool {
        shape.state(&self.plane)[subject] == shape.expected[self.spec][subject]
    }

    fn stop(&mut self) {
        for shape in &mut self.shapes {
            shape.operator = None;
            shape.proxy.heal();
            shape.proxy.take_requests();
        }
    }

    /// Lets every object ask for something else.
    pub(crate) fn change(&mut self) {
        self.spec = 1 - self.spec;
        for shape in &self.shapes {
            for subject in &shape.subjects {
                let path = subject.kind.one(&subject.namespace, NAME);
                let spec = json!({"spec": subject.specs[self.spec]});
                self.plane.api().merge(&path, &spec);
            }
        }
    }

    /// Waits until everything is as it is where nothing goes wrong, then until nothing is asked for
    /// any more; and nobody has ended.
    #[track_caller]
    pub(crate) fn ends_as_ever(&mut self) {
        for shape in &mut self.shapes {
            let expected = &shape.expected[self.spec];
            let is_expected = || shape.state(&self.plane) == *expected;
            if !is_soon(is_expected) {
                let state = shape.state(&self.plane);
                panic!(
                    "{} ends elsewhere:\n{}",
                    shape.name,
                    difference(expected, &state)
                );
            }
        }
        for shape in &mut self.shapes {
            rests(&shape.proxy, REST);
            let state = shape.state(&self.plane);
            let expected = &shape.expected[self.spec];
            assert!(
                state == *expected,
                "{} goes elsewhere:\n{}",
                shape.name,
                difference(expected, &state)
            );
            let operator = shape.operator.as_mut().expect("an operator");
            assert!(operator.is_running(), "{} ended", shape.name);
        }
    }
}

impl Shape {
    fn new(
        plane: &ControlPlane,
        name: &'static str,
        is_namespaced: bool,
        kinds: &[(&'static str, &'static str, &str)],
    ) -> Self {
        let world = World::new();
        let scope = if is_namespaced { "--namespaced" } else { "" };
        world
            .rop(&format!(
                "init --domain example.com --project-name {name} {scope}"
            ))
            .ok();
        for (kind, _, template) in kinds {
            world
                .rop(&format!(
                    "create api --group {name} --version v1 --kind {kind} --template {template}"
                ))
                .ok();
        }
        let installed = Installed::new(&world, plane, name);
        let shop = format!("{name}-shop");
        let namespace = json!({"metadata": {"name": shop}});
        plane.api().create("/api/v1/namespaces", &namespace);
        let group: &'static str = format!("{name}.example.com").leak();
        let subject = |(kind, plural, template): &(&'static str, &'static str, &str)| {
            let is_in_cluster = template.ends_with("--cluster-scoped");
            let kind = Resource::new(group, "v1", plural, kind);
            let namespace = match (is_namespaced, is_in_cluster) {
                (true, _) => installed.namespace(),
                (false, true) => String::new(),
                (false, false) => shop.clone(),
            };
            let (specs, children): (_, &[_]) = match template.split(' ').next() {
                Some("workload") => (WORKLOAD(), &[DEPLOYMENTS, SERVICES]),
                Some("pod") => (POD(), &[PODS]),
                _ => (MINIMAL(), &[]),
            };
            let object = kind.object(NAME, &specs[0]);
            plane.api().create(&kind.all(&namespace), &object);
            Subject {
                kind,
                namespace,
                children,
                specs,
            }
        };
        let subjects: Vec<_> = kinds.iter().map(subject).collect();
        let watches = subjects.iter().map(|subject| 1 + subject.children.len());
        Self {
            name,
            proxy: Proxy::start(plane.upstream()),
            watches: watches.sum(),
            subjects,
            usual: 0,
            operator: None,
            installed,
            is_namespaced,
            expected: [Value::Null, Value::Null],
        }
    }

    /// Starts the operator, as its manifests would for the namespaces that it watches.
    pub(crate) fn launch(&mut self, plane: &ControlPlane, arguments: &[&str]) {
        let own = self.installed.namespace();
        let watched = if self.is_namespaced { &*own } else { "" };
        let environment = [("WATCH_NAMESPACE", watched)];
        let kubeconfig = self.installed.kubeconfig(plane, Some(&self.proxy.url()));
        let operator = self
            .installed
            .run(plane, &kubeconfig, &environment, arguments);
        self.operator = Some(operator);
    }

    /// Its objects and their children, without what is another in each run. Null for one whose status
    /// is not up to date.
    fn state(&self, plane: &ControlPlane) -> Value {
        let own = self.installed.namespace();
        let states = self.subjects.iter().map(|subject| {
            let mut states = state(plane, &subject.namespace, &[subject.kind]);
            // What a cluster-scoped object owns is where the operator is.
            let namespace = match &*subject.namespace {
                "" => &own,
                namespace => namespace,
            };
            states["children"] = state(plane, namespace, subject.children);
            if without_generations(&mut states) {
                states
            } else {
                Value::Null
            }
        });
        states.collect()
    }
}

/// Takes generations out, which grow with every test, and tells whether each status is of the
/// object's own.
fn without_generations(value: &mut Value) -> bool {
    let mut is_up_to_date = true;
    match value {
        Value::Object(fields) => {
            let now = fields
                .get("metadata")
                .and_then(|meta| meta.get("generation"));
            let seen = fields
                .get("status")
                .and_then(|status| status.get("observedGeneration"));
            is_up_to_date = seen.is_none() || seen == now;
            for (_, value) in fields.iter_mut() {
                is_up_to_date &= without_generations(value);
            }
            fields.retain(|name, _| name != "generation" && name != "observedGeneration");
        }
        Value::Array(values) => {
            for value in values {
                is_up_to_date &= without_generations(value);
            }
        }
        _ => {}
    }
    is_up_to_date
}

/// What is other than expected, line by line.
pub(crate) fn difference(expected: &Value, is: &Value) -> String {
    let [expected, is] = [expected, is].map(|value| format!("{value:#}"));
    let difference = similar::TextDiff::from_lines(&expected, &is);
    difference.unified_diff().to_string()
}

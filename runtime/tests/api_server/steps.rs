//! Random requests that affect each other: few names, few managers, few fields.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use crate::twin::Step;

/// The collection, version and name of a kind.
type Kind = (&'static str, &'static str, &'static str);

pub(crate) const KINDS: [Kind; 5] = [
    (
        "/apis/shop.example.com/v1/namespaces/shop/gadgets",
        "shop.example.com/v1",
        "Gadget",
    ),
    (
        "/apis/apps/v1/namespaces/shop/deployments",
        "apps/v1",
        "Deployment",
    ),
    ("/api/v1/namespaces/shop/services", "v1", "Service"),
    ("/api/v1/namespaces/shop/configmaps", "v1", "ConfigMap"),
    (
        "/apis/coordination.k8s.io/v1/namespaces/shop/leases",
        "coordination.k8s.io/v1",
        "Lease",
    ),
];

const NAMES: [&str; 3] = ["a", "b", "c"];
const MANAGERS: [&str; 3] = ["one", "two", "three"];
const JSON: &str = "application/json";

fn step(
    method: &'static str,
    path: &str,
    query: String,
    content_type: &'static str,
    body: Value,
) -> Step {
    Step {
        method,
        path: path.to_owned(),
        query,
        content_type,
        on_known: false,
        body,
    }
}

/// Generates requests.
pub(crate) struct Steps {
    rng: Rng,
}

impl Steps {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: Rng::with_seed(seed),
        }
    }

    fn one_of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.rng.usize(..list.len())].clone()
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    /// The next request.
    pub(crate) fn next(&mut self) -> Step {
        let kind = match self.rng.u32(..10) {
            0..=3 => KINDS[0],
            4..=5 => KINDS[1],
            6 => KINDS[2],
            7..=8 => KINDS[3],
            _ => KINDS[4],
        };
        let name = self.one_of(&NAMES);
        let (collection, ..) = kind;
        let path = format!("{collection}/{name}");
        let manager = self.one_of(&MANAGERS);
        let of_manager = format!("fieldManager={manager}");
        match self.rng.u32(..100) {
            0..=17 => step(
                "POST",
                collection,
                self.dry(of_manager),
                JSON,
                self.object(kind, name),
            ),
            18..=24 => Step {
                on_known: true,
                body: self.changes(kind),
                ..step("PUT", &path, of_manager, JSON, Value::Null)
            },
            25..=29 => {
                let mut object = self.object(kind, name);
                if self.chance(50) {
                    object["metadata"]["resourceVersion"] = json!(self.revision(&path));
                }
                if self.chance(20) {
                    object["metadata"]["uid"] = json!(format!("@uid({path})"));
                }
                step("PUT", &path, of_manager, JSON, object)
            }
            30..=52 => {
                let force = if self.chance(40) { "&force=true" } else { "" };
                let query = self.dry(format!("{of_manager}{force}"));
                step(
                    "PATCH",
                    &path,
                    query,
                    "application/apply-patch+yaml",
                    self.applied(kind, name, &path),
                )
            }
            53..=62 => {
                let mut changes = self.changes(kind);
                if self.chance(20) {
                    changes["metadata"]["resourceVersion"] = json!(self.revision(&path));
                }
                step(
                    "PATCH",
                    &path,
                    self.dry(of_manager),
                    "application/merge-patch+json",
                    changes,
                )
            }
            63..=69 => step(
                "PATCH",
                &path,
                of_manager,
                "application/json-patch+json",
                self.operations(kind),
            ),
            choice => self.other(choice, kind, name, &of_manager),
        }
    }

    /// A request that neither creates nor changes an object.
    fn other(&mut self, choice: u32, kind: Kind, name: &str, of_manager: &str) -> Step {
        let (collection, ..) = kind;
        let path = format!("{collection}/{name}");
        match choice {
            70..=79 => self.of_status(kind, name, &path, of_manager),
            80..=88 => step("DELETE", &path, String::new(), JSON, self.deletion(&path)),
            89..=91 => step("GET", &path, String::new(), JSON, Value::Null),
            92..=95 => step("GET", collection, self.selection(), JSON, Value::Null),
            96 => step("DELETE", collection, self.selection(), JSON, Value::Null),
            97 => step(
                "GET",
                &format!("{path}/scale"),
                String::new(),
                JSON,
                Value::Null,
            ),
            _ => self.nonsense(kind, name, &path),
        }
    }

    fn dry(&mut self, query: String) -> String {
        let dry = if self.chance(6) { "&dryRun=All" } else { "" };
        let strict = match self.rng.u32(..10) {
            0 => "&fieldValidation=Strict",
            1 => "&fieldValidation=Ignore",
            _ => "",
        };
        format!("{query}{dry}{strict}")
    }

    fn revision(&mut self, path: &str) -> String {
        let which = if self.chance(70) { "rv" } else { "old" };
        format!("@{which}({path})")
    }

    fn selection(&mut self) -> String {
        let selections = [
            "",
            "labelSelector=app%3Dx",
            "labelSelector=app+in+(x,y),!tier",
            "labelSelector=app!%3Dx",
            "labelSelector=tier",
            "fieldSelector=metadata.name%3Da",
            "fieldSelector=metadata.name!%3Da",
            "fieldSelector=spec.nothing%3Da",
            "fieldSelector=metadata.namespace%3Dshop&labelSelector=app%3Dy",
        ];
        self.one_of(&selections).to_owned()
    }

    fn deletion(&mut self, path: &str) -> Value {
        let mut options = match self.rng.u32(..7) {
            0..=2 => json!({}),
            3 => json!({"propagationPolicy": "Foreground"}),
            4 => json!({"propagationPolicy": "Orphan"}),
            5 => json!({"propagationPolicy": "Background"}),
            _ => json!({"gracePeriodSeconds": 5}),
        };
        if self.chance(15) {
            options["preconditions"] = match self.rng.u32(..3) {
                0 => json!({"uid": format!("@uid({path})")}),
                1 => json!({"resourceVersion": self.revision(path)}),
                _ => json!({"uid": "00000000-0000-4000-8000-000000000000"}),
            };
        }
        if self.chance(8) {
            options["dryRun"] = json!(["All"]);
        }
        options
    }

    fn metadata(&mut self) -> Value {
        let mut metadata = json!({});
        if self.chance(40) {
            let mut labels = Map::new();
            for key in ["app", "tier"] {
                if self.chance(50) {
                    labels.insert(key.to_owned(), json!(self.one_of(&["x", "y"])));
                }
            }
            metadata["labels"] = json!(labels);
        }
        if self.chance(20) {
            metadata["annotations"] = json!({self.one_of(&["n1", "n2"]): self.one_of(&["x", "y"])});
        }
        if self.chance(12) {
            let both = [
                json!(["example.com/one"]),
                json!(["example.com/two", "example.com/one"]),
                json!([]),
            ];
            metadata["finalizers"] = self.one_of(&both);
        }
        if self.chance(12) {
            metadata["ownerReferences"] = self.owners();
        }
        metadata
    }

    fn owners(&mut self) -> Value {
        let owner = |uid: &str, name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid});
        match self.rng.u32(..4) {
            0 => json!([]),
            1 => json!([owner("u1", "a"), owner("u2", "b")]),
            2 => {
                let mut owner = owner("u1", "a");
                owner["controller"] = json!(true);
                json!([owner])
            }
            _ => json!([owner("u2", "b")]),
        }
    }

    fn object(&mut self, kind: Kind, name: &str) -> Value {
        let mut object = self.content(kind, true);
        object["metadata"]["name"] = json!(name);
        if self.chance(85) {
            object["apiVersion"] = json!(kind.1);
            object["kind"] = json!(kind.2);
        }
        object
    }

    fn applied(&mut self, kind: Kind, name: &str, path: &str) -> Value {
        let is_whole = self.chance(70);
        let mut object = self.content(kind, is_whole);
        object["apiVersion"] = json!(kind.1);
        object["kind"] = json!(kind.2);
        if self.chance(95) {
            object["metadata"]["name"] = json!(name);
        }
        if self.chance(8) {
            object["metadata"]["resourceVersion"] = json!(self.revision(path));
        }
        object
    }

    fn changes(&mut self, kind: Kind) -> Value {
        self.content(kind, false)
    }

    /// An object without its name: complete, and so mostly valid, or with some of its fields.
    fn content(&mut self, kind: Kind, is_whole: bool) -> Value {
        let mut object = match kind.2 {
            "Gadget" => crate::contents::gadget(&mut self.rng, is_whole),
            "Deployment" => crate::contents::deployment(&mut self.rng, is_whole),
            "Service" => crate::contents::service(&mut self.rng, is_whole),
            "Lease" => crate::contents::lease(&mut self.rng),
            _ => crate::contents::config_map(&mut self.rng),
        };
        object["metadata"] = self.metadata();
        object
    }

    fn operations(&mut self, kind: Kind) -> Value {
        let finalizer = json!("example.com/one");
        let pool = [
            json!({"op": "test", "path": "/metadata/finalizers", "value": null}),
            json!({"op": "add", "path": "/metadata/finalizers", "value": [finalizer]}),
            json!({"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/two"}),
            json!({"op": "test", "path": "/metadata/finalizers/0", "value": finalizer}),
            json!({"op": "remove", "path": "/metadata/finalizers/0"}),
            json!({"op": "remove", "path": "/metadata/finalizers"}),
            json!({"op": "add", "path": "/metadata/labels", "value": {"app": "y"}}),
            json!({"op": "replace", "path": "/metadata/labels/app", "value": "x"}),
            json!({"op": "remove", "path": "/metadata/labels/app"}),
            json!({"op": "replace", "path": "/spec/replicas", "value": 2}),
            json!({"op": "copy", "from": "/metadata/labels/app", "path": "/metadata/labels/tier"}),
            json!({"op": "move", "from": "/metadata/labels/tier", "path": "/metadata/labels/app"}),
            json!({"op": "test", "path": "/kind", "value": kind.2}),
        ];
        let count = self.rng.usize(1..4);
        (0..count).map(|_| self.one_of(&pool)).collect()
    }

    fn of_status(&mut self, kind: Kind, name: &str, path: &str, of_manager: &str) -> Step {
        let status = match kind.2 {
            "Deployment" => crate::contents::deployment_status(&mut self.rng),
            "Service" => json!({"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}),
            _ => crate::contents::gadget_status(&mut self.rng),
        };
        let mut body = json!({"status": status});
        if self.chance(20) {
            body["metadata"] = self.metadata();
        }
        if self.chance(10) {
            body["spec"] = json!({"replicas": 4});
        }
        let (method, content_type, on_known) = match self.rng.u32(..4) {
            0 => ("PUT", JSON, true),
            1 => ("PATCH", "application/merge-patch+json", false),
            _ => {
                body["apiVersion"] = json!(kind.1);
                body["kind"] = json!(kind.2);
                body["metadata"]["name"] = json!(name);
                ("PATCH", "application/apply-patch+yaml", false)
            }
        };
        let force = if content_type.contains("apply") && self.chance(50) {
            "&force=true"
        } else {
            ""
        };
        Step {
            method,
            path: format!("{path}/status"),
            query: format!("{of_manager}{force}"),
            content_type,
            on_known,
            body,
        }
    }

    /// A request that no client should send.
    fn nonsense(&mut self, kind: Kind, name: &str, path: &str) -> Step {
        let (collection, api_version, of_kind) = kind;
        let object =
            json!({"apiVersion": api_version, "kind": of_kind, "metadata": {"name": name}});
        let (method, path, query, content_type, body) = match self.rng.u32(..8) {
            0 => (
                "POST",
                collection.to_owned(),
                "",
                JSON,
                json!({"metadata": {"name": "No Name"}, "apiVersion": api_version, "kind": of_kind}),
            ),
            1 => (
                "PATCH",
                path.to_owned(),
                "",
                "application/apply-patch+yaml",
                object,
            ),
            2 => (
                "PATCH",
                path.to_owned(),
                "force=true",
                "application/merge-patch+json",
                json!({}),
            ),
            3 => (
                "PUT",
                path.to_owned(),
                "",
                JSON,
                json!({"apiVersion": api_version, "kind": of_kind, "metadata": {"name": "other"}}),
            ),
            4 => (
                "POST",
                collection.replace("/shop/", "/nowhere/"),
                "",
                JSON,
                object,
            ),
            5 => ("GET", format!("{path}/nothing"), "", JSON, Value::Null),
            6 => (
                "POST",
                collection.to_owned(),
                "",
                JSON,
                json!({"apiVersion": api_version, "kind": of_kind, "metadata": {"name": name, "namespace": "elsewhere"}}),
            ),
            _ => (
                "GET",
                collection.to_owned(),
                "resourceVersion=0&resourceVersionMatch=Exact",
                JSON,
                Value::Null,
            ),
        };
        Step {
            method,
            path,
            query: query.to_owned(),
            content_type,
            on_known: false,
            body,
        }
    }
}

//! The content of random objects.

use fastrand::Rng;
use serde_json::{Map, Value, json};

fn chance(rng: &mut Rng, percent: u32) -> bool {
    rng.u32(..100) < percent
}

fn one_of(rng: &mut Rng, list: &[Value]) -> Value {
    list[rng.usize(..list.len())].clone()
}

/// Some of these fields, each with one of its values.
fn some(rng: &mut Rng, percent: u32, fields: &[(&str, &[Value])]) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, values) in fields {
        if chance(rng, percent) {
            object.insert((*name).to_owned(), one_of(rng, values));
        }
    }
    object
}

/// Fields of a gadget, some of which are invalid.
fn fields_of_gadget(rng: &mut Rng) -> Map<String, Value> {
    some(
        rng,
        25,
        &[
            (
                "replicas",
                &[json!(0), json!(2), json!(3), json!(12), json!("two")],
            ),
            ("mode", &[json!("fast"), json!("safe"), json!("wild")]),
            ("code", &[json!("abc"), json!("ABC"), Value::Null]),
            ("port", &[json!(80), json!("http"), json!(true)]),
            (
                "free",
                &[
                    json!({"a": {"b": 1}}),
                    json!({"c": [1, {"d": null}]}),
                    json!({}),
                ],
            ),
            (
                "labels",
                &[
                    json!({"l1": "x"}),
                    json!({"l1": "y", "l2": "x"}),
                    json!({}),
                    json!({"l1": 5}),
                ],
            ),
            (
                "tags",
                &[
                    json!(["t1"]),
                    json!(["t2", "t1"]),
                    json!([]),
                    json!(["t1", "t1"]),
                ],
            ),
            (
                "steps",
                &[
                    json!(["s1", "s2"]),
                    json!(["s1", "s2", "s3", "s4"]),
                    json!([]),
                ],
            ),
            (
                "parts",
                &[
                    json!([{"name": "p1"}]),
                    json!([{"name": "p2", "size": 4}, {"name": "p1", "note": "x"}]),
                    json!([{"name": "p1"}, {"name": "p1"}]),
                    json!([{"size": 4}]),
                    json!([]),
                ],
            ),
            (
                "limits",
                &[
                    json!({"memory": "1Gi"}),
                    json!({"cpu": "2"}),
                    json!({}),
                    Value::Null,
                ],
            ),
            (
                "target",
                &[json!({"name": "x"}), json!({"name": "x", "kind": "K"})],
            ),
            ("unknown", &[json!(1), json!({"x": 1})]),
        ],
    )
}

pub(crate) fn gadget(rng: &mut Rng, is_whole: bool) -> Value {
    let mut spec = fields_of_gadget(rng);
    // Too many invalid fields hide other errors.
    if chance(rng, 70) {
        for (field, wrong) in [
            ("replicas", json!("two")),
            ("mode", json!("wild")),
            ("port", json!(true)),
            ("labels", json!({"l1": 5})),
            ("parts", json!([{"size": 4}])),
            ("parts", json!([{"name": "p1"}, {"name": "p1"}])),
            ("tags", json!(["t1", "t1"])),
            ("unknown", json!(1)),
            ("unknown", json!({"x": 1})),
        ] {
            if spec.get(field) == Some(&wrong) {
                spec.remove(field);
            }
        }
    }
    if is_whole && chance(rng, 95) {
        spec.insert(
            "image".to_owned(),
            one_of(
                rng,
                &[
                    json!("web:1"),
                    json!("web:2"),
                    json!("web:1"),
                    json!("web:2"),
                    json!("x"),
                    json!("forbidden"),
                ],
            ),
        );
    }
    let mut object = json!({ "spec": spec });
    if chance(rng, 10) {
        object["status"] = gadget_status(rng);
    }
    object
}

pub(crate) fn gadget_status(rng: &mut Rng) -> Value {
    let ready = |status: &str| json!({"type": "Ready", "status": status});
    let status = some(
        rng,
        60,
        &[
            ("replicas", &[json!(1), json!(2)]),
            ("phase", &[json!("Up"), json!("Down")]),
            (
                "conditions",
                &[
                    json!([ready("True")]),
                    json!([ready("False"), {"type": "Busy", "status": "True", "message": "m"}]),
                    json!([{"type": "Busy", "status": "False"}]),
                ],
            ),
        ],
    );
    json!(status)
}

pub(crate) fn deployment(rng: &mut Rng, is_whole: bool) -> Value {
    let mut spec = some(
        rng,
        35,
        &[
            ("replicas", &[json!(0), json!(2), json!(3)]),
            ("paused", &[json!(true), json!(false)]),
            ("minReadySeconds", &[json!(0), json!(5)]),
            ("revisionHistoryLimit", &[json!(3)]),
            (
                "strategy",
                &[
                    json!({"type": "Recreate"}),
                    json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}),
                    json!({}),
                ],
            ),
            ("wrong", &[json!(1)]),
        ],
    );
    if chance(rng, 80) {
        spec.remove("wrong");
    }
    if is_whole || chance(rng, 40) {
        let labels = if chance(rng, 95) {
            json!({"app": "x"})
        } else {
            json!({"app": "z"})
        };
        spec.insert("selector".to_owned(), json!({"matchLabels": {"app": "x"}}));
        spec.insert(
            "template".to_owned(),
            json!({
                "metadata": {"labels": labels},
                "spec": pod(rng),
            }),
        );
    }
    json!({ "spec": spec })
}

fn pod(rng: &mut Rng) -> Value {
    let names = if chance(rng, 70) {
        vec!["web"]
    } else {
        vec!["side", "web"]
    };
    let containers = names.into_iter().map(|name| {
        let mut container = some(
            rng,
            30,
            &[
                ("env", &[json!([{"name": "A", "value": "1"}]), json!([{"name": "B", "value": "2"}, {"name": "A", "value": "3"}])]),
                ("ports", &[json!([{"containerPort": 80}]), json!([{"containerPort": 80, "name": "http"}, {"containerPort": 81, "protocol": "UDP"}])]),
                ("args", &[json!(["a"]), json!(["a", "b"])]),
                (
                    "resources",
                    &[json!({"limits": {"cpu": "500m"}}), json!({"requests": {"memory": "1024Mi", "cpu": "0.5"}})],
                ),
                ("volumeMounts", &[json!([{"name": "data", "mountPath": "/data"}])]),
                ("livenessProbe", &[json!({"httpGet": {"port": 80}})]),
            ],
        );
        container.insert("name".to_owned(), json!(name));
        container.insert("image".to_owned(), one_of(rng, &[json!("web"), json!("web:1"), json!("web:2")]));
        Value::Object(container)
    });
    let containers = containers.collect::<Vec<_>>();
    let mut pod = json!({"containers": containers, "volumes": [{"name": "data"}]});
    if chance(rng, 20) {
        pod["serviceAccountName"] = json!("robot");
    }
    if chance(rng, 20) {
        pod["volumes"] = json!([{"name": "data"}, {"name": "conf", "configMap": {"name": "a"}}, {"name": "more", "secret": {"secretName": "s"}}]);
    }
    pod
}

pub(crate) fn deployment_status(rng: &mut Rng) -> Value {
    let condition = json!([{"type": "Available", "status": "True", "lastUpdateTime": "2030-01-01T00:00:00Z", "lastTransitionTime": "2030-01-01T00:00:00Z"}]);
    let status = some(
        rng,
        50,
        &[
            ("replicas", &[json!(2), json!(3)]),
            ("readyReplicas", &[json!(1), json!(0)]),
            ("observedGeneration", &[json!(1), json!(2)]),
            ("conditions", &[condition]),
        ],
    );
    json!(status)
}

pub(crate) fn service(rng: &mut Rng, is_whole: bool) -> Value {
    let mut spec = some(
        rng,
        40,
        &[
            ("selector", &[json!({"app": "x"}), json!({"app": "y"})]),
            ("type", &[json!("ClusterIP"), json!("NodePort")]),
            ("sessionAffinity", &[json!("None")]),
        ],
    );
    if is_whole || chance(rng, 40) {
        let ports = [
            json!([{"port": 80}]),
            json!([{"port": 80, "name": "http", "targetPort": 8080}]),
            json!([{"port": 80, "name": "http"}, {"port": 81, "name": "more", "targetPort": "more"}]),
            json!([]),
        ];
        spec.insert("ports".to_owned(), one_of(rng, &ports));
    }
    // The real server has special rules for a change of the type.
    spec.remove("type");
    json!({ "spec": spec })
}

pub(crate) fn config_map(rng: &mut Rng) -> Value {
    let data = [
        json!({"x": "1"}),
        json!({"x": "2", "y": "1"}),
        json!({"y": "2"}),
        json!({}),
        json!({"x": null}),
        json!({"z": 5}),
    ];
    let mut object = json!({});
    if chance(rng, 85) {
        let most = if chance(rng, 90) { 4 } else { 6 };
        object["data"] = data[rng.usize(..most)].clone();
    }
    if chance(rng, 5) {
        let data = ["YQ==", "YR==", "YQ=\n=", "YQ", "YQ=", "YQ==x", "not base64"];
        object["binaryData"] = json!({ "b": data[rng.usize(..data.len())] });
    }
    object
}

pub(crate) fn lease(rng: &mut Rng) -> Value {
    let spec = some(
        rng,
        60,
        &[
            ("holderIdentity", &[json!("one"), json!("two"), json!("")]),
            ("leaseDurationSeconds", &[json!(15), json!(30)]),
            ("leaseTransitions", &[json!(0), json!(1)]),
            ("renewTime", &[json!("2030-01-01T00:00:00.000000Z")]),
        ],
    );
    json!({ "spec": spec })
}

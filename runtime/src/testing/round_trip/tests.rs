//! Correct conversions, and one for each kind of mistake.

use kube::core::crd::merge_crds;
use kube::{CustomResource, CustomResourceExt, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;

mod v1 {
    use super::*;

    #[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, Serialize)]
    #[kube(
        group = "shop.example.com",
        version = "v1",
        kind = "App",
        namespaced,
        status = "AppStatus",
        validation = Rule::new("!has(self.spec.least) || self.spec.least <= self.spec.most")
            .message("least is at most most")
    )]
    #[serde(rename_all = "camelCase")]
    pub(super) struct AppSpec {
        #[schemars(regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
        pub(super) at: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub(super) time_zone: Option<String>,
        pub(super) least: Option<i32>,
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 50))]
        pub(super) most: i32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub(super) ports: Vec<Port>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub(super) labels: BTreeMap<String, Label>,
        pub(super) level: Level,
    }

    #[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
    pub(super) struct Port {
        pub(super) number: u16,
        pub(super) protocol: Option<Level>,
    }

    #[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
    pub(super) struct Label {
        pub(super) value: String,
        pub(super) note: Option<String>,
    }

    #[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
    pub(super) struct AppStatus {
        pub(super) ready: bool,
        pub(super) share: Option<f64>,
    }
}

mod v2 {
    use super::*;

    #[derive(Clone, CustomResource, Debug, Deserialize, KubeSchema, Serialize)]
    #[kube(
        group = "shop.example.com",
        version = "v2",
        kind = "App",
        namespaced,
        status = "AppStatus",
        validation = Rule::new("!has(self.spec.least) || self.spec.least <= self.spec.most")
            .message("least is at most most")
    )]
    pub(super) struct AppSpec {
        #[schemars(range(max = 23))]
        pub(super) hour: u8,
        #[schemars(range(max = 59))]
        pub(super) minute: u8,
        pub(super) least: Option<i32>,
        #[serde(default = "one")]
        #[schemars(range(min = 1, max = 50))]
        pub(super) most: i32,
        pub(super) ports: Option<Vec<u16>>,
        pub(super) labels: Option<BTreeMap<String, String>>,
        pub(super) level: Level,
        pub(super) color: Option<String>,
    }

    #[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
    pub(super) struct AppStatus {
        pub(super) ready: bool,
        pub(super) share: Option<f64>,
    }
}

fn one() -> i32 {
    1
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
enum Level {
    Low,
    High,
}

impl From<v1::App> for v2::App {
    fn from(app: v1::App) -> Self {
        let v1::AppSpec {
            at,
            least,
            most,
            ports,
            labels,
            level,
            ..
        } = app.spec;
        let (hour, minute) = at.split_once(':').unwrap_or_default();
        let ports: Vec<_> = ports.into_iter().map(|port| port.number).collect();
        let labels: BTreeMap<_, _> = labels
            .into_iter()
            .map(|(name, label)| (name, label.value))
            .collect();
        Self {
            metadata: app.metadata,
            spec: v2::AppSpec {
                hour: hour.parse().unwrap_or_default(),
                minute: minute.parse().unwrap_or_default(),
                least,
                most,
                ports: (!ports.is_empty()).then_some(ports),
                labels: (!labels.is_empty()).then_some(labels),
                level,
                color: None,
            },
            status: app
                .status
                .map(|v1::AppStatus { ready, share }| v2::AppStatus { ready, share }),
        }
    }
}

impl From<v2::App> for v1::App {
    fn from(app: v2::App) -> Self {
        let v2::AppSpec {
            hour,
            minute,
            least,
            most,
            ports,
            labels,
            level,
            ..
        } = app.spec;
        let ports = ports.unwrap_or_default().into_iter();
        let labels = labels.unwrap_or_default().into_iter();
        Self {
            metadata: app.metadata,
            spec: v1::AppSpec {
                at: format!("{hour:02}:{minute:02}"),
                time_zone: None,
                least,
                most,
                ports: ports
                    .map(|number| v1::Port {
                        number,
                        protocol: None,
                    })
                    .collect(),
                labels: labels
                    .map(|(name, value)| (name, v1::Label { value, note: None }))
                    .collect(),
                level,
            },
            status: app
                .status
                .map(|v2::AppStatus { ready, share }| v1::AppStatus { ready, share }),
        }
    }
}

fn crds() -> Vec<CustomResourceDefinition> {
    let all = vec![v1::App::crd(), v2::App::crd()];
    vec![merge_crds(all, "v1").unwrap()]
}

const ONLY_IN_V1: [&str; 3] = [
    "spec.timeZone",
    "spec.ports[].protocol",
    "spec.labels.*.note",
];

fn of(crds: &[CustomResourceDefinition]) -> RoundTrip<v1::App, v2::App> {
    let test = RoundTrip::new(crds).only_in_hub(&ONLY_IN_V1);
    test.only_in_spoke(&["spec.color", "spec.labels", "spec.ports"])
}

/// The message of the test for conversions that `change` breaks.
fn wrong(change: impl FnOnce(&mut RoundTrip<v1::App, v2::App>)) -> String {
    let mut test = of(&crds());
    change(&mut test);
    verify(&test.hub, &test.spoke).unwrap_err()
}

/// The message of the test with another schema.
fn with_schema(version: usize, path: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut crds = json!(crds());
    let versions = &mut crds[0]["spec"]["versions"];
    let schema = &mut versions[version]["schema"]["openAPIV3Schema"];
    change(schema.pointer_mut(path).expect("a field"));
    let test = of(&serde_json::from_value::<Vec<_>>(crds).unwrap());
    verify(&test.hub, &test.spoke).unwrap_err()
}

/// Applies a change to the converted objects of a side.
fn then(side: &mut Side, change: impl Fn(&Value, &mut Value) + 'static) {
    let convert = std::mem::replace(&mut side.convert, Box::new(|_| unreachable!()));
    side.convert = Box::new(move |object| {
        let mut converted = convert(object);
        change(object, &mut converted.object);
        converted
    });
}

/// Replaces the object with the content of an annotation, ignoring any changes.
fn put_back(annotation: &'static str) -> impl Fn(&Value, &mut Value) {
    move |object, converted| {
        if let Some(kept) = object["metadata"]["annotations"][annotation].as_str() {
            let kept: Value = serde_json::from_str(kept).unwrap();
            converted["spec"] = kept["spec"].clone();
        }
    }
}

fn without_annotation(object: &mut Value, name: &str) {
    let metadata = object["metadata"].as_object_mut().unwrap();
    let annotations = metadata["annotations"].as_object_mut().unwrap();
    annotations.remove(name);
    if annotations.is_empty() {
        metadata.remove("annotations");
    }
}

#[track_caller]
fn begins(text: &str, beginning: &str) {
    assert!(text.starts_with(beginning), "{text}");
}

const KEPT_IN_V1: &str = "shop.example.com/conversion-data.v1";

#[test]
fn right_conversions_pass() {
    of(&crds()).check();
}

#[test]
fn what_is_not_declared_is_named_with_the_way_out() {
    let why = wrong(|test| test.hub.only.retain(|path| path != "spec.timeZone"));
    let text = "v2 does not hold all of v1:\n  spec.timeZone: \"";
    begins(&why, text);
    let text = "Convert it in `From<v1::App> for v2::App` and back. If v2 cannot represent it, declare it, so that it is kept in an annotation:\n  .only_in_hub(&[\"spec.timeZone\"])\n";
    assert!(why.ends_with(text), "{why}");
    let why = wrong(|test| test.spoke.only.retain(|path| path != "spec.color"));
    assert!(
        why.ends_with(".only_in_spoke(&[\"spec.color\"])\n"),
        "{why}"
    );
}

#[test]
fn what_is_declared_and_not_lost_is_named() {
    let why = wrong(|test| test.hub.only.push("spec.level".to_owned()));
    let text = "v2 holds what the test declares to be in v1 only: take \"spec.level\" out of `.only_in_hub`\n";
    assert_eq!(why, text);
}

#[test]
fn a_type_that_is_stricter_than_its_schema_is_found() {
    let more = |level: &mut Value| *level = json!(["Middle"]);
    let why = with_schema(0, "/properties/spec/properties/level/enum", more);
    begins(
        &why,
        "an object that the schema of v1 allows cannot be read as the type of v1: unknown variant `Middle`",
    );
}

#[test]
fn a_field_that_the_other_schema_lacks_is_found() {
    let without = |fields: &mut Value| drop(fields.as_object_mut().unwrap().remove("share"));
    let why = with_schema(1, "/properties/status/properties", without);
    begins(
        &why,
        "an object of v1 has fields in v2 that the schema of v2 lacks: status.share (seed ",
    );
}

#[test]
fn an_object_that_is_invalid_in_the_other_version_is_found() {
    let stricter = |most: &mut Value| most["maximum"] = json!(10);
    let why = with_schema(1, "/properties/spec/properties/most", stricter);
    begins(
        &why,
        "a valid object of v1 is invalid in v2: spec.most: Invalid value: ",
    );
}

#[test]
fn an_object_that_does_not_come_back_is_found() {
    let why = wrong(|test| {
        then(&mut test.spoke, |_, converted| {
            converted["metadata"]["labels"]["from"] = json!("v2");
        });
    });
    begins(
        &why,
        "v1 → v2 → v1 does not give the same object: metadata.labels",
    );
    assert!(
        why.contains("was absent and is ") && why.contains("\n# back in v1\n"),
        "{why}"
    );
}

#[test]
fn an_object_that_becomes_another_each_time_is_found() {
    let why = wrong(|test| {
        let count = std::cell::Cell::new(0);
        then(&mut test.hub, move |_, converted| {
            count.set(count.get() + 1);
            converted["metadata"]["annotations"]["count"] = json!(count.get().to_string());
        });
        then(&mut test.spoke, |_, converted| {
            without_annotation(converted, "count");
        });
    });
    begins(
        &why,
        "an object of v1 converts differently to v2 the second time, although it was not changed: metadata.annotations.count was ",
    );
}

#[test]
fn a_change_that_is_lost_is_found() {
    let why = wrong(|test| then(&mut test.spoke, put_back(KEPT_IN_V1)));
    begins(
        &why,
        "a change made in v2 is lost after the object was converted to v1 and back: ",
    );
}

#[test]
fn a_change_that_only_one_version_sees_is_found() {
    let why = wrong(|test| {
        // A change in v2 is kept for v2, and v1 stays unchanged.
        then(&mut test.spoke, |object, converted| {
            let changed = converted["spec"].clone();
            put_back(KEPT_IN_V1)(object, converted);
            if converted["spec"] != changed {
                converted["metadata"]["annotations"]["spec"] = json!(object["spec"].to_string());
            }
        });
        then(&mut test.hub, |object, converted| {
            if let Some(spec) = object["metadata"]["annotations"]["spec"].as_str() {
                converted["spec"] = serde_json::from_str(spec).unwrap();
                without_annotation(converted, "spec");
            }
        });
    });
    begins(
        &why,
        "after a change in v2 an object of v1 does not say the same: ",
    );
}

#[test]
fn a_panic_is_shown_with_its_object() {
    let why = wrong(|test| then(&mut test.hub, |_, _| panic!("on purpose")));
    begins(
        &why,
        "a conversion between v1 and v2 panicked: on purpose (seed 0)\n\n# v1\napiVersion: shop.example.com/v1\n",
    );
}

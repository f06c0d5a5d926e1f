//! Conversions like those of users, for a kind in three versions.

use k8s_openapi::jiff;
use kube::CustomResource;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::{Conversion, Kind, Kinds};

pub(in crate::webhook) mod v1 {
    use super::*;

    /// The hub. Only it has `zone`, the seconds of `at`, and the protocol of a port.
    #[derive(Clone, CustomResource, Debug, Deserialize, Serialize)]
    #[kube(
        group = "shop.example.com",
        version = "v1",
        kind = "App",
        schema = "disabled",
        namespaced
    )]
    pub(in crate::webhook) struct AppSpec {
        pub at: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub zone: Option<String>,
        #[serde(default)]
        pub ports: Vec<Port>,
        pub share: Option<f64>,
    }

    #[derive(Clone, Debug, Deserialize, Serialize)]
    pub(in crate::webhook) struct Port {
        pub number: u16,
        pub protocol: Option<String>,
    }
}

pub(in crate::webhook) mod v2 {
    use super::*;

    /// Only it has `color`.
    #[derive(Clone, CustomResource, Debug, Deserialize, Serialize)]
    #[kube(
        group = "shop.example.com",
        version = "v2",
        kind = "App",
        schema = "disabled",
        namespaced
    )]
    pub(in crate::webhook) struct AppSpec {
        pub hour: u8,
        pub minute: u8,
        pub color: Option<String>,
        #[serde(default)]
        pub ports: Vec<u16>,
        pub share: Option<f64>,
    }
}

pub(in crate::webhook) mod v3 {
    use super::*;

    #[derive(Clone, CustomResource, Debug, Deserialize, Serialize)]
    #[kube(
        group = "shop.example.com",
        version = "v3",
        kind = "App",
        schema = "disabled",
        namespaced
    )]
    pub(in crate::webhook) struct AppSpec {
        pub start: String,
        pub shape: Option<String>,
    }
}

impl From<v1::App> for v2::App {
    fn from(app: v1::App) -> Self {
        let time: jiff::civil::Time = app.spec.at.parse().unwrap_or_default();
        assert_ne!(app.spec.at, "13:13:13", "on purpose");
        let (hour, minute) = (time.hour().cast_unsigned(), time.minute().cast_unsigned());
        let spec = v2::AppSpec {
            hour,
            minute,
            color: None,
            ports: app.spec.ports.iter().map(|port| port.number).collect(),
            share: app.spec.share,
        };
        let mut metadata = app.metadata;
        if let Some(annotations) = &mut metadata.annotations {
            annotations.remove("shop.example.com/of-v1");
        }
        Self { metadata, spec }
    }
}

impl From<v2::App> for v1::App {
    fn from(app: v2::App) -> Self {
        let ports = app.spec.ports.iter().map(|&number| v1::Port {
            number,
            protocol: None,
        });
        let spec = v1::AppSpec {
            at: format!("{:02}:{:02}:00", app.spec.hour, app.spec.minute),
            zone: None,
            ports: ports.collect(),
            share: app.spec.share,
        };
        Self {
            metadata: app.metadata,
            spec,
        }
    }
}

impl From<v1::App> for v3::App {
    fn from(app: v1::App) -> Self {
        let spec = v3::AppSpec {
            start: app.spec.at,
            shape: None,
        };
        // The metadata is not copied, which loses nothing.
        Self::new("", spec)
    }
}

impl From<v3::App> for v1::App {
    fn from(app: v3::App) -> Self {
        let spec = v1::AppSpec {
            at: app.spec.start,
            zone: None,
            ports: Vec::new(),
            share: None,
        };
        Self::new("", spec)
    }
}

/// A kind in three versions.
pub(in crate::webhook) fn kind() -> Kind {
    let conversion = Conversion::<v1::App>::new()
        .spoke::<v2::App>()
        .spoke::<v3::App>();
    let (kind, faults) = conversion.into_parts();
    assert!(faults.is_empty(), "{faults:?}");
    kind
}

fn app(version: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": format!("shop.example.com/{version}"),
        "kind": "App",
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "uid": "1b7e",
            "labels": { "app": "web" },
            "managedFields": [{ "manager": "kubectl", "fieldsV1": { "f:spec": {} } }],
        },
        "spec": spec,
    })
}

fn convert(object: &Value, to: &str) -> Value {
    let converted = kind().convert(object, to).expect("known versions");
    assert!(converted.unreadable.is_none() && converted.lost.is_empty());
    converted.object
}

fn annotations(object: &Value) -> Vec<&str> {
    let annotations = object["metadata"]["annotations"].as_object();
    let names = annotations.into_iter().flat_map(|all| all.keys());
    names.map(String::as_str).collect()
}

#[test]
fn what_both_versions_have_needs_no_annotation() {
    let hub = app("v1", &json!({"at": "10:30:00", "ports": [], "share": 2}));
    let spoke = convert(&hub, "v2");
    let spec = json!({"hour": 10, "minute": 30, "ports": [], "share": 2});
    assert_eq!(spoke, app("v2", &spec));
    assert_eq!(convert(&spoke, "v1"), hub);
    assert_eq!(convert(&hub, "v1"), hub);
}

#[test]
fn what_a_version_cannot_hold_is_back_in_its_own() {
    for (version, spec) in [
        (
            "v1",
            json!({"at": "10:30:20", "zone": "UTC", "ports": [{"number": 1, "protocol": "a"}]}),
        ),
        // In another form than the type serializes.
        ("v1", json!({"at": "10:30:00"})),
        (
            "v1",
            json!({"at": "10:30:00", "zone": null, "ports": [], "share": 1.0}),
        ),
        (
            "v2",
            json!({"hour": 1, "minute": 2, "color": "red", "ports": [1], "unknown": {"a": 1}}),
        ),
        ("v3", json!({"start": "soon", "shape": "round"})),
    ] {
        let object = app(version, &spec);
        for other in ["v1", "v2", "v3"] {
            let converted = convert(&object, other);
            assert_eq!(converted["apiVersion"], format!("shop.example.com/{other}"));
            let kept = &object["metadata"]["managedFields"];
            assert_eq!(converted["metadata"]["managedFields"], *kept);
            assert_eq!(convert(&converted, version), object, "by {other}");
        }
    }
}

#[test]
fn a_change_made_in_another_version_is_seen_in_both() {
    let ports = json!([{"number": 1, "protocol": "a"}, {"number": 2, "protocol": "b"}]);
    let hub = app(
        "v1",
        &json!({"at": "10:30:20", "zone": "UTC", "ports": ports}),
    );
    let mut spoke = convert(&hub, "v2");
    assert_eq!(annotations(&spoke), ["shop.example.com/conversion-data.v1"]);
    // Both versions have kept fields from here on.
    spoke["spec"]["color"] = json!("red");
    spoke["spec"]["ports"] = json!([3, 2]);
    spoke["metadata"]["labels"]["app"] = json!("other");
    let hub = convert(&spoke, "v1");
    assert_eq!(annotations(&hub), ["shop.example.com/conversion-data.v2"]);
    assert_eq!(hub["metadata"]["labels"]["app"], "other");
    let ports = json!([{"number": 3, "protocol": null}, {"number": 2, "protocol": "b"}]);
    let ports_short = json!([{"number": 3}, {"number": 2, "protocol": "b"}]);
    assert!(
        [ports, ports_short].contains(&hub["spec"]["ports"]),
        "{hub}"
    );
    assert_eq!(
        (&hub["spec"]["at"], &hub["spec"]["zone"]),
        (&json!("10:30:20"), &json!("UTC"))
    );
    let again = convert(&hub, "v2");
    assert_eq!(again["spec"], spoke["spec"]);
    assert_eq!(convert(&again, "v1"), hub);

    let mut changed = hub.clone();
    changed["spec"]["at"] = json!("11:31:40");
    let spoke = convert(&changed, "v2");
    let spec = json!({"hour": 11, "minute": 31, "color": "red", "ports": [3, 2]});
    assert_eq!(spoke["spec"], spec);
    assert_eq!(convert(&spoke, "v1")["spec"], changed["spec"]);
}

/// The conversion between spokes goes through the hub, and three versions have kept fields.
#[test]
fn annotations_of_third_versions_stay() {
    let mut object = app("v2", &json!({"hour": 1, "minute": 2, "color": "red"}));
    object["metadata"]["annotations"] = json!({"note": "a"});
    let mut other = convert(&object, "v3");
    other["spec"]["shape"] = json!("round");
    let back = convert(&other, "v2");
    assert_eq!(back["spec"], object["spec"]);
    assert_eq!(
        annotations(&back),
        ["note", "shop.example.com/conversion-data.v3"]
    );
    assert_eq!(convert(&back, "v3"), other);
    let again = convert(&convert(&back, "v1"), "v2");
    assert_eq!(again, back);
}

#[test]
fn what_is_kept_is_written_alike_and_what_is_broken_is_ignored() {
    let object = app("v1", &json!({"at": "10:30:20", "zone": "UTC"}));
    let other = app("v1", &json!({"zone": "UTC", "at": "10:30:20"}));
    let converted = convert(&object, "v2");
    let key = "shop.example.com/conversion-data.v1";
    let kept = &converted["metadata"]["annotations"][key];
    assert_eq!(*kept, r#"{"spec":{"at":"10:30:20","zone":"UTC"}}"#);
    assert_eq!(converted.to_string(), convert(&other, "v2").to_string());

    let mut broken = app("v2", &json!({"hour": 1, "minute": 2, "ports": []}));
    let whole = convert(&broken, "v1");
    for text in ["", "{", "[]", "1", r#"{"spec":1}"#, r#"{"metadata":1}"#] {
        broken["metadata"]["annotations"] = json!({ key: text });
        assert_eq!(convert(&broken, "v1"), whole, "{text}");
    }
    // The original of which this object is a copy.
    let mut copy = app("v1", &json!({"at": "10:30:00", "ports": []}));
    copy["metadata"]["annotations"] = json!({ key: kept });
    assert!(annotations(&convert(&copy, "v2")).is_empty());
}

#[test]
fn a_conversion_may_change_annotations() {
    let mut object = app("v1", &json!({"at": "10:30:00", "ports": []}));
    object["metadata"]["annotations"] = json!({"shop.example.com/of-v1": "a", "note": "b"});
    assert_eq!(annotations(&convert(&object, "v2")), ["note"]);
    assert_eq!(annotations(&convert(&object, "v3")).len(), 2);
}

#[test]
fn what_has_no_room_is_not_kept() {
    let zone = "x".repeat(256 << 10);
    let object = app("v1", &json!({"at": "10:30:20", "zone": zone}));
    let converted = kind().convert(&object, "v2").unwrap();
    assert_eq!(converted.lost, ["spec.at", "spec.zone"]);
    assert!(annotations(&converted.object).is_empty());
}

#[test]
fn an_object_that_cannot_be_read_is_converted_and_nothing_is_lost() {
    for (version, spec) in [
        ("v1", json!({"at": 1, "zone": "UTC"})),
        ("v1", json!({"zone": "UTC"})),
        ("v2", json!({"hour": 1000, "minute": 1})),
    ] {
        let object = app(version, &spec);
        for other in ["v1", "v2", "v3"]
            .into_iter()
            .filter(|other| *other != version)
        {
            let converted = kind().convert(&object, other).unwrap();
            assert!(converted.unreadable.is_some());
            let mut converted = converted.object;
            assert_eq!(converted["spec"], Value::Null);
            assert_eq!(converted["metadata"]["labels"]["app"], "web");
            // The object is changed all the same.
            converted["metadata"]["labels"]["app"] = json!("other");
            let back = kind().convert(&converted, version).unwrap();
            assert!(back.unreadable.is_some());
            let back = back.object;
            assert_eq!(
                (&back["spec"], &back["metadata"]["labels"]["app"]),
                (&Value::Null, &json!("other"))
            );
            let again = kind().convert(&back, other).unwrap().object;
            for object in [back, again] {
                let key = format!("shop.example.com/conversion-data.{version}");
                let kept = object["metadata"]["annotations"][key].as_str().unwrap();
                let kept: Value = serde_json::from_str(kept).unwrap();
                assert_eq!(kept["spec"], spec);
            }
        }
        // Or corrected in the other version.
        let mut converted = kind().convert(&object, "v3").unwrap().object;
        converted["spec"] = json!({"start": "10:30:00"});
        let back = convert(&converted, version);
        assert_eq!(convert(&back, "v3")["spec"], json!({"start": "10:30:00"}));
    }
}

/// Anyone who can write an object can write its annotations.
#[test]
fn nothing_is_put_back_that_the_type_cannot_read() {
    let key = "shop.example.com/conversion-data.v1";
    let mut object = app("v2", &json!({"hour": 10, "minute": 30, "ports": []}));
    let whole = convert(&object, "v1");
    for spec in [
        json!({"at": "10:30:20", "zone": 1}),
        json!({"zone": "UTC", "ports": [{"number": -1}]}),
        json!("none"),
    ] {
        let kept = json!({"spec": spec, "metadata": {"usual": {"spec": object["spec"]}}});
        object["metadata"]["annotations"] = json!({ key: kept.to_string() });
        assert_eq!(convert(&object, "v1"), whole, "{spec}");
    }
    // Nor if the object has no content.
    let mut empty = app("v2", &Value::Null);
    empty.as_object_mut().unwrap().remove("spec");
    empty["metadata"]["annotations"] = json!({ key: json!({"spec": {"at": 1}}).to_string() });
    let converted = kind().convert(&empty, "v1").unwrap();
    assert!(converted.object.get("spec").is_none() && converted.unreadable.is_some());
    assert_eq!(annotations(&converted.object), [key]);
    // Readable data becomes content again.
    empty["metadata"]["annotations"] = json!({ key: json!({"spec": {"at": "1"}}).to_string() });
    assert_eq!(convert(&empty, "v1")["spec"]["at"], "1");
}

#[test]
fn odd_metadata_are_no_panic() {
    let object = app("v1", &json!({"at": "10:30:20"}));
    for odd in [json!(1), json!([]), json!("a"), Value::Null] {
        let mut object = object.clone();
        object["metadata"]["annotations"] = odd.clone();
        let converted = kind().convert(&object, "v2").unwrap();
        assert_eq!(
            annotations(&converted.object),
            ["shop.example.com/conversion-data.v1"],
            "{odd}"
        );
        object["metadata"] = odd;
        assert!(kind().convert(&object, "v2").is_err());
    }
    assert!(kind().convert(&json!(1), "v2").is_err());
}

/// The API server has objects that are nested 200 levels deep, and managed fields, which types do not need.
#[test]
fn deep_objects_and_managed_fields_pass() {
    let mut kinds = Kinds::default();
    assert_eq!(kinds.add(kind()), None);
    let ask = |object: &str, most| {
        let request =
            format!(r#"{{"desiredAPIVersion":"shop.example.com/v1","objects":[{object}]}}"#);
        let request: Box<RawValue> = serde_json::from_str(&request).unwrap();
        serde_json::to_string(&kinds.answer(&request, most)).unwrap()
    };
    let object = |depth: usize, managed: &str| {
        let deep = "[".repeat(depth) + &"]".repeat(depth);
        format!(
            r#"{{"apiVersion":"shop.example.com/v2","kind":"App","metadata":{{"managedFields":{managed},"name":"a"}},"spec":{{"hour":1,"minute":2,"deep":{deep}}}}}"#
        )
    };
    let managed = r#"[{"fieldsV1":{"f:spec":{}}}]"#;
    let answer = ask(&object(200, managed), usize::MAX);
    assert!(answer.contains(r#""at":"01:02:00""#), "{answer}");
    assert!(answer.contains(&"[".repeat(200)), "{answer}");
    assert!(
        answer.contains(&format!(r#""metadata":{{"managedFields":{managed},"#)),
        "{answer}"
    );
    // An object that cannot be converted does not affect others.
    for (object, most) in [
        (object(100_000, managed), usize::MAX),
        (object(20, managed), 4 << 10),
    ] {
        let answer = ask(&object, most);
        assert!(answer.contains(r#""status":"Success""#), "{answer}");
        assert!(
            !answer.contains("hour") && !answer.contains("\"spec\":"),
            "{answer}"
        );
        assert!(answer.contains(managed), "{answer}");
    }
    let name = "x".repeat(1 << 20);
    let answer = ask(&object(1, managed).replace("App", &name), usize::MAX);
    assert!(
        answer.len() < 1 << 10 && answer.contains("no conversion of"),
        "{answer}"
    );
}

#[test]
fn reviews_are_answered_as_the_api_server_wants_it() {
    let mut kinds = Kinds::default();
    assert_eq!(kinds.add(kind()), None);
    let objects = [
        app("v1", &json!({"at": "10:30:00", "ports": []})),
        app("v1", &json!({"at": 1})),
        app("v2", &json!({"hour": 1, "minute": 2, "ports": []})),
    ];
    let request = |to: &str, objects: &Value| {
        let request = json!({"desiredAPIVersion": to, "objects": objects});
        let answer = kinds.answer(&to_raw_value(&request).unwrap(), usize::MAX);
        (serde_json::to_value(&answer).unwrap(), answer.has_panicked)
    };
    let (answer, _) = request("shop.example.com/v2", &json!(objects));
    assert_eq!(answer["result"], json!({"status": "Success"}));
    let converted = answer["convertedObjects"].as_array().unwrap();
    assert_eq!(converted.len(), 3);
    assert_eq!(converted[0]["spec"]["hour"], 10);
    assert_eq!(converted[1]["spec"], Value::Null);
    assert_eq!(converted[2], objects[2]);

    let panics = app("v1", &json!({"at": "13:13:13"}));
    let unknown = app("v9", &json!({}));
    let mut other = objects[0].clone();
    other["kind"] = json!("Other");
    for (to, object, why) in [
        (
            "v2",
            &panics,
            "the conversion of App shop/web of shop.example.com/v1 to shop.example.com/v2 panicked",
        ),
        (
            "v2",
            &unknown,
            "App.shop.example.com has no version \"v9\" here",
        ),
        (
            "v9",
            &objects[0],
            "App.shop.example.com has no version \"v9\" here",
        ),
        (
            "v2",
            &other,
            "no conversion of \"Other\" to \"shop.example.com/v2\"",
        ),
    ] {
        let (answer, has_panicked) = request(
            &format!("shop.example.com/{to}"),
            &json!([objects[2], object]),
        );
        let result = json!({"status": "Failure", "message": why});
        assert_eq!(answer["result"], result);
        assert_eq!(has_panicked, object == &panics);
    }
    for broken in [
        json!({"objects": []}),
        json!(1),
        json!({"desiredAPIVersion": "shop.example.com/v2", "objects": [1]}),
    ] {
        let answer = kinds.answer(&to_raw_value(&broken).unwrap(), usize::MAX);
        assert!(answer.why().is_some(), "{broken}");
    }
}

#[test]
fn versions_that_contradict_each_other_are_faults() {
    let faults = |conversion: Conversion<v1::App>| conversion.into_parts().1;
    let new = Conversion::<v1::App>::new;
    let twice = new().spoke::<v2::App>().spoke::<v2::App>();
    let why = "the conversion of App.shop.example.com has the spoke v2 twice";
    assert_eq!(faults(twice), [why]);
    let hub = new().spoke::<v1::App>();
    let why = "v1 is both the hub and a spoke of the conversion of App.shop.example.com";
    assert_eq!(faults(hub), [why]);
    let mut kinds = Kinds::default();
    assert_eq!(kinds.add(kind()), None);
    let why = "App.shop.example.com has two conversions";
    assert_eq!(kinds.add(kind()).unwrap(), why);
}

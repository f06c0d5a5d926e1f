//! A bundle as the blob of a catalog, as `opm render --migrate` writes it.

use std::collections::BTreeSet;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use semver::Version;
use serde_json::{Map, Value, json};

use crate::dns::{label_value, subdomain_1123};
use crate::error::{Code, Error, Result};
use crate::project::name::Image;

use super::blob::BUNDLE;
use super::bundle_dir::BundleDir;

/// The fields of a `ClusterServiceVersion` that `olm.csv.metadata` has, by their names there.
const CSV_METADATA: [(&str, &str); 14] = [
    ("annotations", "/metadata/annotations"),
    ("apiServiceDefinitions", "/spec/apiservicedefinitions"),
    ("crdDescriptions", "/spec/customresourcedefinitions"),
    ("description", "/spec/description"),
    ("displayName", "/spec/displayName"),
    ("installModes", "/spec/installModes"),
    ("keywords", "/spec/keywords"),
    ("labels", "/metadata/labels"),
    ("links", "/spec/links"),
    ("maintainers", "/spec/maintainers"),
    ("maturity", "/spec/maturity"),
    ("minKubeVersion", "/spec/minKubeVersion"),
    ("nativeAPIs", "/spec/nativeAPIs"),
    ("provider", "/spec/provider"),
];

/// Of these, opm writes the ones that are always there.
const ALWAYS: [&str; 3] = ["apiServiceDefinitions", "crdDescriptions", "provider"];

/// A bundle that is to be in a catalog.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) name: String,
    pub(crate) package: String,
    pub(crate) version: Version,
    pub(crate) csv: Value,
    /// The channels that the bundle names for itself.
    pub(crate) channels: Vec<String>,
    pub(crate) default_channel: Option<String>,
    /// The `olm.bundle`.
    pub(crate) blob: Value,
}

/// Renders the bundle in a directory. Without an image, its manifests are embedded.
///
/// # Errors
/// It cannot be read, or opm would refuse it.
pub(crate) fn render(path: &Path, image: Option<&Image>) -> Result<Rendered> {
    let bundle = BundleDir::read(path)?;
    let name = text(&bundle.csv, "/metadata/name");
    if let Err(rule) = subdomain_1123(name).and_then(|()| label_value(name)) {
        return Err(wrong(format!(
            "the name `{name}` of the ClusterServiceVersion: {rule}"
        )));
    }
    let version = text(&bundle.csv, "/spec/version");
    let version = Version::parse(version).map_err(|error| {
        wrong(format!(
            "`spec.version` of the ClusterServiceVersion is `{version}`, which is no version: {error}"
        ))
    })?;
    let mut properties = properties(&bundle)?;
    match image {
        Some(_) => properties.push(property("olm.csv.metadata", csv_metadata(&bundle.csv))),
        None => properties.extend(embedded(&bundle)),
    }
    let image = image.map_or("", Image::as_str);
    Ok(Rendered {
        blob: json!({
            "schema": BUNDLE,
            "name": name,
            "package": bundle.package,
            "image": image,
            "properties": properties,
            "relatedImages": related_images(&bundle.csv, image),
        }),
        name: name.to_owned(),
        version,
        csv: bundle.csv.clone(),
        package: bundle.package,
        channels: bundle.channels,
        default_channel: bundle.default_channel,
    })
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    let value = value.pointer(pointer).and_then(Value::as_str);
    value.unwrap_or_default()
}

fn items<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    let items = value.pointer(pointer).and_then(Value::as_array);
    items.into_iter().flatten()
}

fn property(kind: &str, value: Value) -> Value {
    json!({"type": kind, "value": value})
}

/// All properties but the manifests, by type and value.
fn properties(bundle: &BundleDir) -> Result<Vec<Value>> {
    let csv = &bundle.csv;
    let mut package = json!({
        "packageName": bundle.package,
        "version": text(csv, "/spec/version"),
    });
    let release = text(csv, "/spec/release");
    if !release.is_empty() {
        package["release"] = release.into();
    }
    let mut properties = vec![property("olm.package", package)];
    let provided = provided(&bundle.objects);
    for crd in items(csv, "/spec/customresourcedefinitions/owned") {
        let owned = of_crd(crd)?;
        if !provided.contains(&owned) {
            return Err(wrong(format!(
                "the ClusterServiceVersion owns `{}` in the version `{}`, and no CRD in `manifests` has it",
                text(crd, "/name"),
                text(crd, "/version")
            )));
        }
    }
    properties.extend(provided.into_iter().map(|gvk| property("olm.gvk", gvk)));
    for api in items(csv, "/spec/apiservicedefinitions/owned") {
        properties.push(property("olm.gvk", of_api(api)));
    }
    for crd in items(csv, "/spec/customresourcedefinitions/required") {
        properties.push(property("olm.gvk.required", of_crd(crd)?));
    }
    for api in items(csv, "/spec/apiservicedefinitions/required") {
        properties.push(property("olm.gvk.required", of_api(api)));
    }
    for dependency in &bundle.dependencies {
        let value = &dependency["value"];
        properties.push(match text(dependency, "/type") {
            "olm.gvk" => property("olm.gvk.required", gvk(value)),
            "olm.package" => {
                let (name, range) = (text(value, "/packageName"), text(value, "/version"));
                let required = json!({"packageName": name, "versionRange": range});
                property("olm.package.required", required)
            }
            kind => property(kind, sorted(value)),
        });
    }
    for own in own_properties(bundle)? {
        properties.push(match text(&own, "/type") {
            "olm.gvk" => property("olm.gvk", gvk(&own["value"])),
            // The annotations of the bundle have the last word.
            "olm.package" => continue,
            kind => property(kind, sorted(&own["value"])),
        });
    }
    properties.sort_by_cached_key(|it| (text(it, "/type").to_owned(), it["value"].to_string()));
    properties.dedup();
    Ok(properties)
}

/// The properties of the bundle's metadata, and those in an annotation.
fn own_properties(bundle: &BundleDir) -> Result<Vec<Value>> {
    let annotations = &bundle.csv["metadata"]["annotations"];
    let mut properties = bundle.properties.clone();
    if let Some(annotation) = annotations["olm.properties"].as_str() {
        let more: Vec<Value> = serde_json::from_str(annotation).map_err(|error| {
            wrong(format!(
                "the annotation `olm.properties` is no list in JSON: {error}"
            ))
        })?;
        properties.extend(more);
    }
    Ok(properties)
}

/// Group, version and kind of each version of each CRD.
fn provided(objects: &[Value]) -> Vec<Value> {
    let mut provided = Vec::new();
    for crd in objects
        .iter()
        .filter(|it| it["kind"] == "CustomResourceDefinition")
    {
        let (group, kind) = (text(crd, "/spec/group"), text(crd, "/spec/names/kind"));
        let version = text(crd, "/spec/version");
        let versions = items(crd, "/spec/versions")
            .map(|it| text(it, "/name"))
            .chain([version].into_iter().filter(|it| !it.is_empty()));
        provided.extend(
            versions.map(|version| json!({"group": group, "kind": kind, "version": version})),
        );
    }
    provided.dedup();
    provided
}

/// The kind that an entry of the `ClusterServiceVersion` names by `plural.group`.
fn of_crd(entry: &Value) -> Result<Value> {
    let name = text(entry, "/name");
    let (_, group) = name
        .split_once('.')
        .ok_or_else(|| wrong(format!("the name `{name}` of a CRD is not `plural.group`")))?;
    let (kind, version) = (text(entry, "/kind"), text(entry, "/version"));
    Ok(json!({"group": group, "kind": kind, "version": version}))
}

fn of_api(entry: &Value) -> Value {
    gvk(entry)
}

fn gvk(value: &Value) -> Value {
    let [group, kind, version] = ["/group", "/kind", "/version"].map(|field| text(value, field));
    json!({"group": group, "kind": kind, "version": version})
}

fn csv_metadata(csv: &Value) -> Value {
    let mut metadata = Map::new();
    for (field, pointer) in CSV_METADATA {
        let value = csv.pointer(pointer).map(sorted).unwrap_or_default();
        let is_empty = match &value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        if !is_empty {
            metadata.insert(field.to_owned(), value);
        } else if ALWAYS.contains(&field) {
            metadata.insert(field.to_owned(), json!({}));
        }
    }
    metadata.into()
}

/// Each manifest, for catalogs that are served without a registry.
fn embedded(bundle: &BundleDir) -> Vec<Value> {
    let mut objects = Vec::new();
    for object in &bundle.objects {
        let data = STANDARD.encode(go_json(&sorted(object)));
        objects.push(property("olm.bundle.object", json!({"data": data})));
    }
    objects.sort_by_cached_key(|object| text(object, "/value/data").to_owned());
    objects
}

/// The images of the bundle's list, then its own and those of its Deployments, sorted.
fn related_images(csv: &Value, image: &str) -> Vec<Value> {
    let mut images: Vec<_> = items(csv, "/spec/relatedImages")
        .map(|it| (text(it, "/image").to_owned(), text(it, "/name").to_owned()))
        .collect();
    let mut known: BTreeSet<_> = images.iter().map(|(image, _)| image.clone()).collect();
    let mut more = vec![image.to_owned()];
    let is_deployment = text(csv, "/spec/install/strategy") == "deployment";
    for deployment in items(csv, "/spec/install/spec/deployments").filter(|_| is_deployment) {
        for containers in ["containers", "initContainers"] {
            let pointer = format!("/spec/template/spec/{containers}");
            more.extend(items(deployment, &pointer).map(|it| text(it, "/image").to_owned()));
        }
    }
    for image in more {
        if !image.is_empty() && known.insert(image.clone()) {
            images.push((image, String::new()));
        }
    }
    images.sort();
    images
        .into_iter()
        .map(|(image, name)| json!({"name": name, "image": image}))
        .collect()
}

/// The JSON of a value as Go writes it, fit for HTML.
fn go_json(value: &Value) -> String {
    let escapes = [
        ('<', "\\u003c"),
        ('>', "\\u003e"),
        ('&', "\\u0026"),
        ('\u{2028}', "\\u2028"),
        ('\u{2029}', "\\u2029"),
    ];
    // Outside of strings, JSON has none of these characters.
    let json = value.to_string();
    escapes
        .iter()
        .fold(json, |json, (from, to)| json.replace(*from, to))
}

/// A value whose objects are in the order of their keys, as Go writes them.
fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    value.sort_all_objects();
    value
}

fn wrong(message: String) -> Error {
    Error::new(Code::MalformedFile, message).hint("check the bundle, and generate it again")
}

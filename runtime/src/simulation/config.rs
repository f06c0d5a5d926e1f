//! Reads the CRDs, the role, the webhooks and the samples of a project.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::target::text;

/// Reads the CRDs, the role, the webhooks and the samples of a project.
pub(super) struct Config {
    pub(super) crds: Vec<CustomResourceDefinition>,
    pub(super) role: Option<Value>,
    /// Samples of the kinds of the CRDs, each with a unique name. Without a conversion, only those of the storage
    /// versions.
    pub(super) objects: Vec<Value>,
    /// Samples of other kinds, and the webhook configurations.
    pub(super) given: Vec<Value>,
}

/// Reads the folder `config` of a project.
///
/// # Errors
/// If a file is not YAML, or a CRD is invalid.
pub(super) fn read(folder: &Path) -> Result<Config, String> {
    let mut crds: Vec<CustomResourceDefinition> = Vec::new();
    for (name, object) in objects(&folder.join("crd/bases"))? {
        let crd = serde_json::from_value(object).map_err(|error| format!("{name}: {error}"))?;
        crds.push(crd);
    }
    let role = role(&folder.join("rbac/role.yaml"))?;
    let is_own = |object: &Value| crds_of(&crds, object).next().is_some();
    let samples = objects(&folder.join("samples"))?;
    for (name, object) in &samples {
        let checked = has_name(object).and_then(|()| has_version(&crds, object));
        checked.map_err(|why| format!("{name}: {why}"))?;
    }
    let samples = samples.into_iter().map(|(_, object)| object);
    let (mut own, mut given): (Vec<_>, Vec<_>) = samples.partition(is_own);
    own.retain(|object| crds_of(&crds, object).any(|crd| is_readable(crd, object)));
    rename(&mut own);
    let webhooks = objects(&folder.join("webhook"))?.into_iter();
    given.extend(webhooks.map(|(_, object)| object).filter(is_admission));
    Ok(Config {
        crds,
        role,
        objects: own,
        given,
    })
}

/// The role of the operator, unless the project has none.
fn role(path: &Path) -> Result<Option<Value>, String> {
    // A link to nowhere is an error.
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    let is_role = |object: &Value| object["kind"] == "ClusterRole" || object["kind"] == "Role";
    let role = documents(path)?.into_iter().find(is_role);
    let none = || format!("{}: there is no ClusterRole and no Role", path.display());
    role.ok_or_else(none).map(Some)
}

/// The CRDs of an object's kind.
fn crds_of<'a>(
    crds: &'a [CustomResourceDefinition],
    object: &Value,
) -> impl Iterator<Item = &'a CustomResourceDefinition> {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    let (group, _) = version.split_once('/').unwrap_or_default();
    crds.iter()
        .filter(move |crd| crd.spec.group == group && object["kind"] == *crd.spec.names.kind)
}

/// Checks that an object says what and which one it is.
fn has_name(object: &Value) -> Result<(), String> {
    for field in ["/apiVersion", "/kind", "/metadata/name"] {
        let text = object.pointer(field).and_then(Value::as_str);
        if text.is_none_or(str::is_empty) {
            let field = field[1..].replace('/', ".");
            return Err(format!("the object has no text in `{field}`"));
        }
    }
    Ok(())
}

/// Checks that the CRD of an object's kind, if there is one, has its version.
fn has_version(crds: &[CustomResourceDefinition], object: &Value) -> Result<(), String> {
    let Some(crd) = crds_of(crds, object).next() else {
        return Ok(());
    };
    let version = object["apiVersion"].as_str().unwrap_or_default();
    let (_, version) = version.split_once('/').unwrap_or_default();
    let versions = crd.spec.versions.iter();
    let names: Vec<_> = versions.map(|version| &*version.name).collect();
    if names.contains(&version) {
        return Ok(());
    }
    let (kind, known) = (&crd.spec.names.kind, names.join(", "));
    Err(format!(
        "{kind} has no version {version:?}: its CRD has {known}"
    ))
}

/// Whether the operator can read the version of an object of a CRD.
fn is_readable(crd: &CustomResourceDefinition, object: &Value) -> bool {
    let is_converted = crd
        .spec
        .conversion
        .as_ref()
        .is_some_and(|conversion| conversion.strategy == "Webhook");
    let mut versions = crd.spec.versions.iter();
    versions.any(|version| {
        let name = format!("{}/{}", crd.spec.group, version.name);
        let counts = version.storage || is_converted && version.served;
        counts && object["apiVersion"] == *name
    })
}

/// Gives samples of the same object in several versions unique names.
fn rename(objects: &mut [Value]) {
    let mut seen = BTreeSet::new();
    for object in objects {
        let [namespace, name] = ["namespace", "name"].map(|field| text(object, field).to_owned());
        let kind = object["kind"].to_string();
        if !seen.insert((kind, namespace, name.clone())) {
            let version = object["apiVersion"].as_str().unwrap_or_default();
            let (_, version) = version.split_once('/').unwrap_or_default();
            object["metadata"]["name"] = format!("{name}-{version}").into();
        }
    }
}

/// Whether an object configures which webhooks are called.
pub(super) fn is_admission(object: &Value) -> bool {
    let group = object["apiVersion"].as_str().unwrap_or_default();
    group.starts_with("admissionregistration.k8s.io/")
}

/// The objects in the files of a folder, with the file names.
fn objects(folder: &Path) -> Result<Vec<(String, Value)>, String> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    };
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.retain(|path| {
        let is_yaml = path
            .extension()
            .is_some_and(|ending| ending == "yaml" || ending == "yml");
        is_yaml && path.file_stem().is_some_and(|stem| stem != "kustomization")
    });
    // Independent of the file system.
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        found.extend(
            documents(&path)?
                .into_iter()
                .map(|object| (name.clone(), object)),
        );
    }
    Ok(found)
}

/// The documents of a YAML file.
fn documents(path: &Path) -> Result<Vec<Value>, String> {
    let wrong = |error: &dyn std::error::Error| format!("{}: {error}", path.display());
    // A pipe or a device may have no end.
    let is_file = fs::metadata(path).map_err(|error| wrong(&error))?.is_file();
    if !is_file {
        return Err(format!("{}: it is not a regular file", path.display()));
    }
    let text = fs::read_to_string(path).map_err(|error| wrong(&error))?;
    let parsed: Result<Vec<Value>, _> = serde_saphyr::from_multiple(&text);
    let mut all = parsed.map_err(|error| wrong(&error))?;
    all.retain(Value::is_object);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use super::*;

    /// What is wrong with a folder that has these files.
    fn wrong(files: &[(&str, &str)]) -> String {
        let folder = env::temp_dir().join(format!("simulation-config-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (path, content) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let why = read(&folder).err().unwrap_or_default();
        fs::remove_dir_all(&folder).unwrap();
        why.replace(&folder.display().to_string(), "config")
    }

    #[test]
    fn what_is_no_sample_or_role_is_named() {
        let crd = "spec: { group: app.example.com, names: { kind: App, plural: apps }, scope: Namespaced, versions: \
                   [{ name: v1, served: true, storage: true }] }";
        let crd = ("crd/bases/apps.yaml", crd);
        let sample = "apiVersion: app.example.com/v2\nkind: App\nmetadata: { name: app }";
        assert_eq!(
            wrong(&[crd, ("samples/app.yaml", sample)]),
            "config/samples/app.yaml: App has no version \"v2\": its CRD has v1"
        );
        assert!(wrong(&[("samples", "")]).starts_with("config/samples: "));
        assert_eq!(
            wrong(&[("samples/app.yaml/more", "")]),
            "config/samples/app.yaml: it is not a regular file"
        );
        assert_eq!(
            wrong(&[("rbac/role.yaml", "hello")]),
            "config/rbac/role.yaml: there is no ClusterRole and no Role"
        );
        assert_eq!(
            wrong(&[(
                "samples/app.yaml",
                "apiVersion: v1\nkind: App\nmetadata: []"
            )]),
            "config/samples/app.yaml: the object has no text in `metadata.name`"
        );
        assert_eq!(wrong(&[]), "");
    }
}

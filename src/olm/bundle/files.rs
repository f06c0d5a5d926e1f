//! The manifests beside the `ClusterServiceVersion`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::objects::{ObjectId, Objects, is_crd, is_webhook_configuration};
use crate::olm::csv::Permissions;
use crate::olm::kinds::SUPPORTED_KINDS;
use crate::yaml;

/// No name of a file is longer on any common file system, in bytes.
const LONGEST: usize = 255;

/// Files by name. `notes` says what no file has.
///
/// # Errors
/// As the library says.
pub(super) fn of(
    objects: &Objects,
    permissions: &Permissions,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let namespace = objects.namespace()?;
    let (mut left_out, mut bound) = (Vec::new(), Vec::new());
    let accounts = accounts(objects);
    for object in objects.iter() {
        let kind = object["kind"].as_str().unwrap_or_default();
        let is_olms = matches!(kind, "Deployment" | "Namespace")
            || is_webhook_configuration(object)
            || permissions.cover_object(object);
        if is_olms {
            continue;
        }
        if !(is_crd(object) || SUPPORTED_KINDS.contains(&kind)) {
            left_out.push(ObjectId::of(object).to_string());
            continue;
        }
        if is_bound_to(object, namespace) {
            bound.push(ObjectId::of(object).to_string());
        }
        notes.extend(misses(object, &accounts, namespace));
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.shift_remove("namespace");
        }
        let text = yaml::to_string(&object)?;
        let name = name(&object);
        check(&name, &object)?;
        let mut free = name.clone();
        for number in 0.. {
            if !files.contains_key(&free) {
                break;
            }
            free = format!("dup{number}_{name}");
        }
        files.insert(free, text);
    }
    if !left_out.is_empty() {
        notes.push(format!(
            "an OLM bundle cannot contain {}: apply them separately",
            left_out.join(", ")
        ));
    }
    if !bound.is_empty() {
        notes.push(format!(
            "if the bundle is installed in another namespace than `{namespace}`, {} grants nothing: a binding names the \
            namespace of its service accounts",
            bound.join(", ")
        ));
    }
    if !permissions.elsewhere.is_empty() {
        notes.push(format!(
            "OLM grants no permissions in other namespaces, so the bundle omits {}: apply them separately",
            permissions.elsewhere.join(", ")
        ));
    }
    Ok(files)
}

/// Whether a binding grants something to service accounts in a namespace.
fn is_bound_to(object: &Value, namespace: &str) -> bool {
    let subjects = object["subjects"].as_array().into_iter().flatten();
    let mut accounts = subjects.filter(|subject| subject["kind"] == "ServiceAccount");
    accounts.any(|account| account["namespace"] == namespace)
}

/// The names of the operator's service accounts.
fn accounts(objects: &Objects) -> BTreeSet<&str> {
    let names = objects
        .iter()
        .filter_map(|object| match object["kind"].as_str()? {
            "ServiceAccount" => object["metadata"]["name"].as_str(),
            "Deployment" => object["spec"]["template"]["spec"]["serviceAccountName"].as_str(),
            _ => None,
        });
    names.collect()
}

/// Says that a binding names a service account of the operator in a namespace where it is not. kustomize gives such a
/// subject no prefix.
fn misses(binding: &Value, accounts: &BTreeSet<&str>, namespace: &str) -> Option<String> {
    let mut subjects = binding["subjects"].as_array()?.iter();
    subjects.find_map(|subject| {
        let name = subject["name"].as_str()?;
        if subject["kind"] != "ServiceAccount" || subject["namespace"] == namespace {
            return None;
        }
        let account = accounts.iter().find(|account| {
            let prefix = account.strip_suffix(name);
            prefix.is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('-'))
        })?;
        Some(format!(
            "{} grants nothing to the operator's service account `{account}`, which is in `{namespace}`: it names `{name}` \
            in `{}`",
            ObjectId::of(binding),
            subject["namespace"].as_str().unwrap_or_default()
        ))
    })
}

/// Names of objects become names of files. An API server refuses those that are parts of paths, too.
fn check(name: &str, object: &Value) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    let rule = if !name.chars().all(is_plain) {
        "only letters, digits, `-`, `_`, `.` and `:` are allowed"
    } else if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        "it must start with a letter or a digit"
    } else if name.len() > LONGEST {
        "it is too long for the name of a file"
    } else {
        return Ok(());
    };
    let object = ObjectId::of(object);
    let message = format!("no file of the bundle can be named after {object}: {rule}");
    Err(Error::new(Code::InvalidName, message).hint("rename the object in `config/`"))
}

/// The name of an object's file.
fn name(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if is_crd(object) {
        let spec = &object["spec"];
        return format!(
            "{}_{}.yaml",
            text(&spec["group"]),
            text(&spec["names"]["plural"])
        );
    }
    let version = text(&object["apiVersion"]).replace('/', "_");
    let kind = text(&object["kind"]).to_lowercase();
    format!(
        "{}_{version}_{kind}.yaml",
        text(&object["metadata"]["name"])
    )
}

//! Kinds of other operators.

use serde_json::Value;

use crate::disk::View;
use crate::error::Result;
use crate::yaml;

use super::{MANIFESTS, Request, SUFFIX, base};

/// Says which kinds of other operators the project uses and no file of the bundle requires, so that OLM does not make
/// sure that a cluster has them.
///
/// # Errors
/// As the disk says.
pub(super) fn note(view: &View, request: &Request<'_>, csv: &Value) -> Result<Option<String>> {
    let (folder, package) = (&request.settings.folder, request.package());
    let read = |path: &str| -> Result<Value> {
        let text = view.read_own(path)?.unwrap_or_default();
        // One that is not YAML is a finding of the validation.
        Ok(yaml::from_str(&text).unwrap_or_default())
    };
    let path = format!("{folder}/metadata/dependencies.yaml");
    let dependencies = read(&path)?;
    let dependencies = dependencies["dependencies"].as_array();
    let dependencies: Vec<_> = dependencies.into_iter().flatten().collect();
    // A package can bring any kind.
    if dependencies.iter().any(|it| it["type"] != "olm.gvk") {
        return Ok(None);
    }
    // An edit of the bundle stays in it.
    let edited = read(&format!("{folder}/{MANIFESTS}/{package}{SUFFIX}"))?;
    let required = [csv, &edited].into_iter().flat_map(|csv| {
        let required = csv["spec"]["customresourcedefinitions"]["required"].as_array();
        required.into_iter().flatten()
    });
    let required: Vec<_> = required.collect();
    let missing: Vec<_> = request
        .project
        .external_kinds()
        .filter(|kind| {
            let is_listed = |entry: &&Value| entry["name"] == kind.crd_name();
            let is_dependency = |dependency: &&Value| {
                let value = &dependency["value"];
                value["group"] == kind.api_group() && value["kind"] == kind.name.as_str()
            };
            !required.iter().any(is_listed) && !dependencies.iter().any(is_dependency)
        })
        .map(|kind| format!("`{}`", kind.crd_name()))
        .collect();
    Ok((!missing.is_empty()).then(|| {
        format!(
            "the operator uses kinds of other operators, which OLM does not know of: list {} in \
                `spec.customresourcedefinitions.required` of `{}`, or as `olm.gvk` in `{path}`",
            missing.join(", "),
            base(package)
        )
    }))
}

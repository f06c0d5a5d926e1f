use std::collections::BTreeSet;

use serde_json::Value;
use walkdir::WalkDir;

use crate::disk::View;
use crate::error::{Code, Context as _, Error, Result};
use crate::plan::{File, Tree, without_header};
use crate::project::layout::{self, CRD_BASES};
use crate::project::{ProjectKind, Root};
use crate::yaml;

use super::{check, crdgen, format, kinds, versions};

/// Integers up to here are the same as a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The most that etcd stores of an object.
const MOST: usize = 3 << 19;

/// The most that an annotation has, in which `kubectl apply` keeps a copy.
const MOST_ANNOTATED: usize = 256 << 10;

/// CRDs of a project's types.
#[derive(Debug, Default)]
pub struct Crds {
    /// Their files.
    pub files: Vec<File>,
    /// What to know of them: an API server accepts them.
    pub notes: Vec<String>,
}

/// The CRDs of a project's types, by running their derive.
///
/// `quiet` keeps cargo from showing its progress.
///
/// # Errors
/// The types do not compile, or the derive panics; cargo has said why. Their kinds are not those of PROJECT, or an
/// API server would refuse the CRDs.
pub fn crds(root: &Root, quiet: bool) -> Result<Crds> {
    let mut found = crdgen::run(&root.path, &root.project, quiet)?;
    kinds::check(&found, &root.project)?;
    for crd in &mut found {
        format::drop_unknown(crd);
        write_integers(crd);
        let mut kinds = root.project.own_kinds();
        if let Some(kind) = kinds.find(|kind| crd["metadata"]["name"] == kind.crd_name()) {
            versions::check(crd, kind)?;
            versions::set_conversion(crd, kind);
        }
    }
    check(&found)?;
    let mut crds = Crds::default();
    for crd in &found {
        crds.notes.extend(notes(crd));
        let file = File::owned(path(crd)?, yaml::to_string(crd)?);
        crds.files.push(file);
    }
    Ok(crds)
}

/// Checks that an API server accepts CRDs, and keeps what their types hold.
fn check(crds: &[Value]) -> Result<()> {
    let (mut lines, mut hints) = (Vec::new(), BTreeSet::new());
    for crd in crds {
        let name = crd["metadata"]["name"].as_str().unwrap_or_default();
        let size = crd.to_string().len();
        if size > MOST {
            lines.push(format!(
                "{name}: has {size} bytes, and etcd stores at most {MOST}"
            ));
            hints.insert(
                "remove fields or descriptions: those of Kubernetes types are long".to_owned(),
            );
        }
        for problem in check::problems(crd).into_iter().chain(check::lost(crd)) {
            lines.push(format!("{name} {problem}"));
            hints.extend(Some(problem.hint).filter(|hint| !hint.is_empty()));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    let error = Error::new(
        Code::CrdRefused,
        format!(
            "an API server would reject the CRDs of the types in `api/`:\n  {}",
            lines.join("\n  ")
        ),
    );
    Err(hints.into_iter().fold(error, Error::hint))
}

/// What is lost, or does not fit, if nobody knows it.
fn notes(crd: &Value) -> Vec<String> {
    let name = crd["metadata"]["name"].as_str().unwrap_or_default();
    let mut notes: Vec<_> = check::empty_objects(crd)
        .into_iter()
        .map(|problem| format!("{name} {problem}; {}", problem.hint))
        .collect();
    let size = crd.to_string().len();
    if size > MOST_ANNOTATED {
        notes.push(format!(
            "{name} has {size} bytes, too large for client-side `kubectl apply`: use \
            `rop install`, or `kubectl apply --server-side`"
        ));
    }
    notes
}

/// The CRD of a kind with all its versions, where it is not so on disk: a new version has the schema of the newest
/// one of its template, until the types say otherwise.
///
/// # Errors
/// The CRD on disk cannot be read.
pub(crate) fn with_versions(
    view: &View,
    kind: &ProjectKind,
    desired: &Tree,
) -> Result<Option<File>> {
    let path = kind.crd();
    let on_disk = view.read(&path)?;
    let is_edited = on_disk
        .as_ref()
        .is_some_and(|text| without_header(text) == text);
    let rendered = desired.get(&path).map(File::body);
    let Some(text) = on_disk
        .as_deref()
        .map(without_header)
        .or(rendered)
        .filter(|_| !is_edited)
    else {
        return Ok(None);
    };
    if !versions::has_several(text, kind) {
        return Ok(None);
    }
    let crd: Value =
        yaml::from_str(text).context(Code::MalformedFile, || format!("failed to read `{path}`"))?;
    let mut aligned = crd.clone();
    versions::align(&mut aligned, kind);
    if aligned == crd {
        Ok(None)
    } else {
        Ok(Some(File::owned(path, yaml::to_string(&aligned)?)))
    }
}

/// Whether a file of a project is a CRD.
pub(crate) fn is_crd(path: &str) -> bool {
    path.strip_prefix(CRD_BASES)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// CRDs of the project that rop wrote once, and that are not among `generated`.
pub fn orphans(view: &View, generated: &Tree) -> Result<Vec<String>> {
    let folder = view.root().join(CRD_BASES);
    let mut orphans = Vec::new();
    for entry in WalkDir::new(&folder).max_depth(1).sort_by_file_name() {
        let Ok(entry) = entry else {
            continue;
        };
        let path = format!("{CRD_BASES}/{}", entry.file_name().to_string_lossy());
        let is_new = generated.get(&path).is_none() && entry.file_type().is_file();
        if let Some(text) = is_new.then(|| view.read(&path)).transpose()?.flatten()
            && without_header(&text) != text
        {
            orphans.push(path);
        }
    }
    Ok(orphans)
}

/// Where a CRD stands.
fn path(crd: &Value) -> Result<String> {
    let group = crd["spec"]["group"].as_str();
    let plural = crd["spec"]["names"]["plural"].as_str();
    match (group, plural) {
        (Some(group), Some(plural)) => Ok(layout::crd(group, plural)),
        _ => Err(Error::new(
            Code::CrdgenFailed,
            "the project's `crdgen` printed something that is not a CRD",
        )),
    }
}

/// Writes whole numbers as such: the types of a schema have floats for all limits, and `minimum: 1.0`
/// is not what anybody would write for a field of integers.
#[expect(
    clippy::cast_possible_truncation,
    reason = "it is whole and not too large"
)]
fn write_integers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(write_integers),
        Value::Object(fields) => fields.values_mut().for_each(write_integers),
        Value::Number(number) => {
            let float = number.as_f64().filter(|_| number.is_f64());
            if let Some(float) = float
                && float.fract() == 0.0
                && float.abs() < EXACT
            {
                *value = (float as i64).into();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_are_written_as_integers() {
        let mut schema = json!({"minimum": 1.0, "items": [{"maximum": -65535.0}], "multipleOf": 0.5, "default": 3, "x": 1e99});
        write_integers(&mut schema);
        assert_eq!(
            schema.to_string(),
            r#"{"minimum":1,"items":[{"maximum":-65535}],"multipleOf":0.5,"default":3,"x":1e+99}"#
        );
    }
}

//! How consoles show kinds and fields, from the comment markers of operator-sdk above the types:
//! `// +operator-sdk:csv:customresourcedefinitions:type=spec,displayName="Size"`.

mod declaration;

use crate::conversion::{self, Crate, KindLines, Line};
use crate::disk::View;
use crate::error::Result;
use crate::project::Project;

use super::marker::{self, CsvMarker, Diagnostic};
use super::sources::Sources;

pub(crate) use declaration::{Descriptor, Resource};

use declaration::{OnField, OnType};

/// What the markers say of a version of a kind.
#[derive(Debug, Default)]
pub(crate) struct KindMarkers {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) display_name: Option<String>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) order: Option<u32>,
    pub(crate) spec: Vec<Descriptor>,
    pub(crate) status: Vec<Descriptor>,
}

/// The markers above the types of a project.
///
/// # Errors
/// A marker is wrong, or belongs to nothing.
pub(crate) fn csv_markers(view: &View, project: &Project) -> Result<Vec<KindMarkers>> {
    let sources = Sources::of_api(view)?;
    let list = sources.list();
    let markers = marker::csv_markers(&list);
    if markers.is_empty() {
        return Ok(Vec::new());
    }
    let read = |path: &str| view.read(path);
    let mut kinds = Vec::new();
    for kind in project.own_kinds() {
        for version in &kind.versions {
            let name = version.name.to_string();
            let module = [kind.group.module(), name.clone(), kind.name.module()];
            let expected = (1..=module.len()).map(|end| module[..end].to_vec());
            let krate = Crate::new(&read, expected.collect());
            let lines = conversion::lines(&krate, &module, kind.name.as_str())?;
            let of_kind = KindMarkers {
                group: kind.api_group(),
                version: name,
                kind: kind.name.to_string(),
                ..KindMarkers::default()
            };
            kinds.push((lines, of_kind));
        }
    }
    let mut problems = Vec::new();
    for marker in markers {
        let place = marker.place;
        if let Err(diagnostics) = apply(marker, &mut kinds) {
            problems.extend(diagnostics.into_iter().map(|it| place.problem(it)));
        }
    }
    if problems.is_empty() {
        Ok(kinds.into_iter().map(|(_, markers)| markers).collect())
    } else {
        Err(marker::error("CSV", problems))
    }
}

/// Adds what a marker says to each kind that it belongs to: a type can be part of several.
fn apply(
    marker: CsvMarker<'_>,
    kinds: &mut [(KindLines, KindMarkers)],
) -> Result<(), Vec<Diagnostic>> {
    let arguments = marker.arguments.map_err(|diagnostic| vec![diagnostic])?;
    let line = marker.target.map(|line| Line {
        file: marker.place.path().to_owned(),
        line,
    });
    let is_here = |found: &Line| Some(found) == line.as_ref();
    if kinds.iter().any(|(lines, _)| is_here(&lines.kind)) {
        let on_type = OnType::read(arguments)?;
        for (_, markers) in kinds.iter_mut().filter(|(lines, _)| is_here(&lines.kind)) {
            on_type.clone().add_to(markers)?;
        }
        return Ok(());
    }
    let on_field = OnField::read(arguments)?;
    let mut found = false;
    for (lines, markers) in kinds {
        let (fields, descriptors) = if on_field.is_status {
            (&lines.status, &mut markers.status)
        } else {
            (&lines.spec, &mut markers.spec)
        };
        for (path, _) in fields.iter().filter(|(_, line)| is_here(line)) {
            found = true;
            if descriptors.iter().any(|other| other.path == *path) {
                return Err(vec![
                    Diagnostic::new(format!("`{path}` has two markers of this type"))
                        .hint("put everything into one marker"),
                ]);
            }
            descriptors.push(on_field.descriptor(path));
        }
    }
    if found {
        return Ok(());
    }
    let part = if on_field.is_status { "status" } else { "spec" };
    Err(vec![
        Diagnostic::new(format!(
            "the marker is above no field of the {part} of a kind"
        ))
        .hint("write it directly above a field, or above the struct with `#[kube(…)]`"),
    ])
}

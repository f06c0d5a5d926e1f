//! Markers that name a kind of another operator where its resource is meant.

use crate::project::{Project, ProjectKind};

use super::marker::{Name, markers};
use super::sources::Sources;

/// Says of each such marker what it should name. The CRDs that PROJECT lists need not be all of a group, so whatever
/// else stands in a marker may be right.
pub(super) fn notes(sources: &Sources, project: &Project) -> Vec<String> {
    let kinds: Vec<&ProjectKind> = project.external_kinds().collect();
    if kinds.is_empty() {
        return Vec::new();
    }
    let sources = sources.list();
    let mut notes = Vec::new();
    for marker in [Name::Rbac, Name::Webhook]
        .map(|name| markers(&sources, name))
        .into_iter()
        .flatten()
    {
        let arguments = marker.arguments.unwrap_or_default();
        let values = |name: &str| -> Vec<&str> {
            let found = arguments.iter().filter(|(key, _)| *key == name);
            found
                .flat_map(|(_, values)| values.iter().copied())
                .collect()
        };
        let groups = values("groups");
        let of_groups: Vec<(&ProjectKind, String)> = kinds
            .iter()
            .filter(|kind| groups.contains(&&*kind.api_group()))
            .map(|kind| (*kind, kind.plural.to_string()))
            .collect();
        for resource in values("resources") {
            let (name, rest) = resource.split_at(resource.find('/').unwrap_or(resource.len()));
            let is_resource = of_groups.iter().any(|(_, plural)| plural == name);
            let is_meant = |(kind, plural): &&(&ProjectKind, String)| {
                name.eq_ignore_ascii_case(kind.name.as_str()) || name.eq_ignore_ascii_case(plural)
            };
            if let (false, Some((kind, plural))) = (is_resource, of_groups.iter().find(is_meant)) {
                notes.push(format!(
                    "{}: `{resource}` is not a resource of {}: the resource of {} is \
                    `{plural}{rest}`",
                    marker.place,
                    kind.api_group(),
                    kind.name
                ));
            }
        }
    }
    notes
}

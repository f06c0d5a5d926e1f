//! Objects of kinds that are not the project's own, for the tests of their controllers.

use crate::project::ProjectKind;

/// What an object needs beside its metadata, below a line with `#`, version and kind.
const OBJECTS: &str = include_str!("fixtures.yaml");

/// A valid object of a kind, called after its controller and with a label.
pub(super) fn object(of: &ProjectKind, controller: &str, label: &str) -> String {
    let version = of.hub().api_version();
    let (kind, name) = (&of.name, name(of, controller));
    let head = format!("# {version} {kind}\n");
    let section = OBJECTS.split_once(&head).map_or("", |(_, rest)| rest);
    let rest = if of.is_external() {
        // Only its CRD says what it needs.
        "spec: {}\n"
    } else {
        section.split("# ").next().unwrap_or_default()
    };
    format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata:\n  labels:\n    {label}: enabled\n  name: {name}\n{rest}"
    )
}

/// The name of an object. A few kinds have rules for it.
fn name(of: &ProjectKind, controller: &str) -> String {
    match of.name.as_str() {
        "IPAddress" => "192.0.2.1".to_owned(),
        _ => format!("{controller}-sample"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::yaml;

    #[test]
    fn every_kind_has_an_object() {
        for kind in ProjectKind::all_built_in() {
            let text = object(&kind, "backup", "example.com/app-operator");
            let object: Value = yaml::from_str(&text).expect(&text);
            assert_eq!(object["kind"], kind.name.as_str(), "{text}");
            let label = &object["metadata"]["labels"]["example.com/app-operator"];
            assert_eq!(label, "enabled", "{text}");
        }
        let known: Vec<String> = ProjectKind::all_built_in()
            .map(|kind| format!("# {} {}", kind.hub().api_version(), kind.name))
            .collect();
        for head in OBJECTS.lines().filter(|line| line.starts_with('#')) {
            assert!(known.iter().any(|known| known == head), "{head}");
        }
    }
}

//! Objects of kinds that are not the project's own, for the tests of their controllers.

use crate::project::CoreKind;

/// What an object needs beside its metadata, below a line with `#`, version and kind.
const OBJECTS: &str = include_str!("fixtures.yaml");

/// A valid object of a kind, called after its controller and with a label.
pub(super) fn object(core: &CoreKind, controller: &str, label: &str) -> String {
    let version = core.api_version();
    let (kind, name) = (&core.kind, name(core, controller));
    let head = format!("# {version} {kind}\n");
    let rest = OBJECTS.split_once(&head).map_or("", |(_, rest)| rest);
    let rest = match core.external {
        // Only its CRD says what it needs.
        true => "spec: {}\n",
        false => rest.split("# ").next().unwrap_or_default(),
    };
    format!(
        "apiVersion: {version}\nkind: {kind}\nmetadata:\n  labels:\n    {label}: enabled\n  name: {name}\n{rest}"
    )
}

/// The name of an object. A few kinds have rules for it.
fn name(core: &CoreKind, controller: &str) -> String {
    match core.kind.as_str() {
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
        for core in CoreKind::all() {
            let text = object(&core, "backup", "example.com/app-operator");
            let object: Value = yaml::from_str(&text).expect(&text);
            assert_eq!(object["kind"], core.kind.as_str(), "{text}");
            let label = &object["metadata"]["labels"]["example.com/app-operator"];
            assert_eq!(label, "enabled", "{text}");
        }
        let known: Vec<String> = CoreKind::all()
            .map(|core| format!("# {} {}", core.api_version(), core.kind))
            .collect();
        for head in OBJECTS.lines().filter(|line| line.starts_with('#')) {
            assert!(known.iter().any(|one| one == head), "{head}");
        }
    }
}

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::olm::validate::Selector;
use crate::reference;

use super::builtin::{self, BuiltIn};

/// The program with the built-in tests, and the name of its image.
const PROGRAM: &str = "scorecard-test";

/// A test of a configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Test {
    pub(crate) image: String,
    pub(crate) unique_id: String,
    pub(crate) entrypoint: Vec<String>,
    pub(crate) labels: BTreeMap<String, String>,
    /// Where the container finds a directory for its files. Empty if it needs none.
    pub(crate) mount_path: String,
}

/// What runs a test.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Runner<'a> {
    /// rop itself.
    BuiltIn(&'static BuiltIn),
    /// Nothing: no built-in test has this name.
    Unknown(&'a str),
    /// A pod.
    Cluster,
}

impl Test {
    /// What runs it. The built-in tests are known by the program and its image, whichever registry has a copy.
    pub(crate) fn runner(&self) -> Runner<'_> {
        let last = |path: &str| path.rsplit('/').next() == Some(PROGRAM);
        let (name, _, _) = reference::split(&self.image);
        match &*self.entrypoint {
            [program, arguments @ ..] if last(program) && last(name) => {
                let test = arguments.first().map_or("", |name| name);
                builtin::find(test).map_or(Runner::Unknown(test), Runner::BuiltIn)
            }
            _ => Runner::Cluster,
        }
    }

    /// Whether a selector, if there is one, selects it.
    pub(crate) fn is_selected(&self, selector: Option<&Selector>) -> bool {
        let label = |key: &str| self.labels.get(key).map(String::as_str);
        selector.is_none_or(|selector| selector.matches(label))
    }

    /// What messages call it.
    pub(crate) fn name(&self) -> &str {
        let label = self.labels.get("test").map(String::as_str);
        let mut names = [
            label,
            Some(&self.unique_id),
            self.entrypoint.last().map(|it| &**it),
        ]
        .into_iter()
        .flatten()
        .filter(|name| !name.is_empty());
        names.next().unwrap_or(&self.image)
    }

    /// As operator-sdk writes it.
    pub(crate) fn json(&self) -> Value {
        let mut spec = Map::new();
        spec.insert("image".into(), self.image.clone().into());
        if !self.unique_id.is_empty() {
            spec.insert("uniqueID".into(), self.unique_id.clone().into());
        }
        if !self.entrypoint.is_empty() {
            spec.insert("entrypoint".into(), self.entrypoint.clone().into());
        }
        if !self.labels.is_empty() {
            spec.insert("labels".into(), json!(self.labels));
        }
        let mut mount_path = json!({});
        if !self.mount_path.is_empty() {
            mount_path["path"] = self.mount_path.clone().into();
        }
        let storage = json!({ "spec": { "mountPath": mount_path } });
        spec.insert("storage".into(), storage);
        spec.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(image: &str, entrypoint: &[&str]) -> &'static str {
        let test = Test {
            image: image.to_owned(),
            entrypoint: entrypoint.iter().map(ToString::to_string).collect(),
            ..Test::default()
        };
        match test.runner() {
            Runner::BuiltIn(found) => found.name,
            Runner::Unknown(_) => "unknown",
            Runner::Cluster => "cluster",
        }
    }

    #[test]
    fn built_in_tests_are_known_by_image_and_program() {
        let spec = "basic-check-spec";
        for (image, entrypoint, expected) in [
            (
                "quay.io/operator-framework/scorecard-test:v1.42.3",
                &["scorecard-test", spec][..],
                spec,
            ),
            (
                "mirror.test:5000/a/scorecard-test",
                &["/usr/local/bin/scorecard-test", spec],
                spec,
            ),
            (
                "mirror.test/scorecard-test@sha256:00",
                &["scorecard-test", spec, "x"],
                spec,
            ),
            (
                "quay.io/a/scorecard-test:v1",
                &["scorecard-test", "spec"],
                "unknown",
            ),
            (
                "quay.io/a/scorecard-test:v1",
                &["scorecard-test"],
                "unknown",
            ),
            ("quay.io/a/scorecard-test:v1", &["custom", spec], "cluster"),
            (
                "quay.io/a/scorecard-test-kuttl:v1",
                &["scorecard-test", spec],
                "cluster",
            ),
            ("quay.io/a/scorecard-test:v1", &[], "cluster"),
            ("", &[], "cluster"),
        ] {
            assert_eq!(
                runner(image, entrypoint),
                expected,
                "{image} {entrypoint:?}"
            );
        }
    }
}

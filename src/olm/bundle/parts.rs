//! What a bundle is made of.

use serde_json::Value;

use crate::objects::{ObjectId, Objects};
use crate::olm::kinds::CSV;

/// How the API version of scorecard's configuration starts.
const SCORECARD: &str = "scorecard.operatorframework.io/";

/// The objects that a bundle is made of.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The manifests of the operator.
    pub objects: Objects,
    /// Samples of its kinds.
    pub samples: Objects,
    /// The base, if kustomize rendered it.
    pub base: Option<Value>,
    /// The configuration of scorecard.
    pub tests: Option<Value>,
    /// What no bundle can have.
    pub notes: Vec<String>,
}

impl Parts {
    /// The parts of what kustomize renders in a project of operator-sdk: everything that a bundle is made of.
    pub fn of_rendered(rendered: &Objects) -> Self {
        let is_other = |object: &Value| is_csv(object) || is_tests(object);
        let mut parts = Self {
            objects: rendered.only(|object| !is_other(object) && !rendered.define(object)),
            samples: rendered.only(|object| rendered.define(object)),
            ..Self::default()
        };
        parts.base = parts.first(&rendered.only(is_csv));
        parts.tests = parts.first(&rendered.only(is_tests));
        parts
    }

    /// Adds the configuration of scorecard from the objects of a folder, which has nothing else for the bundle.
    pub fn add_tests(&mut self, rendered: &Objects, folder: &str) {
        self.tests = self.first(&rendered.only(is_tests));
        let others = rendered.iter().filter(|object| !is_tests(object));
        self.notes.extend(others.map(|object| {
            let object = ObjectId::of(object);
            format!("{object} in `{folder}` is not in the bundle: list it in `config/default`")
        }));
    }

    /// The first of objects of which a bundle has one.
    fn first(&mut self, objects: &Objects) -> Option<Value> {
        let mut objects = objects.iter();
        let first = objects.next()?;
        self.notes.extend(objects.map(|other| {
            let [first, other] = [first, other].map(ObjectId::of);
            format!("the bundle has {first}, and a bundle cannot have {other}, too")
        }));
        Some(first.clone())
    }
}

fn is_csv(object: &Value) -> bool {
    object["kind"] == CSV
}

fn is_tests(object: &Value) -> bool {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    object["kind"] == "Configuration" && version.starts_with(SCORECARD)
}

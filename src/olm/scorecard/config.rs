use std::collections::BTreeMap;

use crate::error::{Code, Error, Result};
use crate::olm::read::{Document, Node};
use crate::suggest::nearest;

use super::location::Location;
use super::test::Test;

const API_VERSION: &str = "scorecard.operatorframework.io/v1alpha3";
const KIND: &str = "Configuration";

/// So many problems of a file are reported.
const MOST: usize = 20;

/// The tests of a bundle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) service_account: String,
    pub(crate) stages: Vec<Stage>,
    /// What is ignored.
    pub(crate) notes: Vec<String>,
}

/// Tests that run before those of the next stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stage {
    /// Whether they run at the same time.
    pub(crate) is_parallel: bool,
    pub(crate) tests: Vec<Test>,
}

impl Config {
    /// Reads a configuration.
    ///
    /// # Errors
    /// It is not YAML, is of another kind, or has a field of the wrong type.
    pub(crate) fn read(location: &Location) -> Result<Self> {
        let path = location.path.display().to_string();
        let mut troubles = Vec::new();
        let document = Document::read(&path, &location.text, &mut troubles);
        let mut reader = Reader::default();
        for trouble in &troubles {
            let line = trouble.line.map(|line| format!(":{line}"));
            let place = format!("{path}{}", line.unwrap_or_default());
            reader
                .problems
                .push(format!("{place}: {}", trouble.message));
        }
        let config = document.map(|document| reader.config(&document.root()));
        if reader.problems.is_empty()
            && let Some(config) = config
        {
            return Ok(Self {
                notes: reader.notes,
                ..config
            });
        }
        Err(failure(&path, &reader.problems))
    }

    /// All tests, in the order in which they are written.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &Test> {
        self.stages.iter().flat_map(|stage| &stage.tests)
    }
}

fn failure(path: &str, problems: &[String]) -> Error {
    let mut lines = vec![format!("`{path}` is not a configuration of the scorecard:")];
    lines.extend(problems.iter().take(MOST).cloned());
    if problems.len() > MOST {
        lines.push(format!("… and {} more", problems.len() - MOST));
    }
    Error::new(Code::MalformedFile, lines.join("\n")).hint(format!(
        "compare it with the file that `rop bundle` generates; it starts with `apiVersion: {API_VERSION}` and \
        `kind: {KIND}`"
    ))
}

/// Reads fields, and collects what is wrong with them.
#[derive(Default)]
struct Reader {
    problems: Vec<String>,
    notes: Vec<String>,
}

impl Reader {
    fn config(&mut self, root: &Node<'_>) -> Config {
        if !root.value.is_object() {
            self.problem(root, "must be an object");
            return Config::default();
        }
        for (field, expected) in [("apiVersion", API_VERSION), ("kind", KIND)] {
            let node = root.get(field);
            if node.text() != expected {
                self.problem(&node, &format!("must be `{expected}`"));
            }
        }
        let known = [
            "apiVersion",
            "kind",
            "metadata",
            "stages",
            "storage",
            "serviceaccount",
        ];
        self.known(root, &known);
        let service_account = self.text(&root.get("serviceaccount"));
        let mount_path = self.mount_path(root);
        let stages = self.list(&root.get("stages"), true);
        let stages: Vec<_> = stages
            .iter()
            .map(|stage| self.stage(stage, &mount_path))
            .collect();
        if stages.iter().all(|stage| stage.tests.is_empty()) && self.problems.is_empty() {
            self.problem(&root.get("stages"), "has no tests");
        }
        Config {
            service_account,
            stages,
            notes: Vec::new(),
        }
    }

    fn stage(&mut self, node: &Node<'_>, mount_path: &str) -> Stage {
        self.known(node, &["parallel", "tests"]);
        let parallel = node.get("parallel");
        if !parallel.is_missing() && !parallel.value.is_boolean() {
            self.problem(&parallel, "must be `true` or `false`");
        }
        let tests = self.list(&node.get("tests"), false);
        Stage {
            is_parallel: parallel.is_true(),
            tests: tests
                .iter()
                .map(|test| self.test(test, mount_path))
                .collect(),
        }
    }

    fn test(&mut self, node: &Node<'_>, mount_path: &str) -> Test {
        self.known(
            node,
            &["image", "uniqueID", "entrypoint", "labels", "storage"],
        );
        let image = node.get("image");
        if image.is_empty() {
            self.problem(&image, "is missing");
        }
        let entrypoint = self.list(&node.get("entrypoint"), false);
        let own = self.mount_path(node);
        Test {
            image: self.text(&image),
            unique_id: self.text(&node.get("uniqueID")),
            entrypoint: entrypoint.iter().map(|item| self.text(item)).collect(),
            labels: self.labels(&node.get("labels")),
            mount_path: if own.is_empty() {
                mount_path.to_owned()
            } else {
                own
            },
        }
    }

    fn labels(&mut self, node: &Node<'_>) -> BTreeMap<String, String> {
        if !node.is_missing() && !node.value.is_object() {
            self.problem(node, "must be an object");
        }
        let fields = node.fields();
        fields
            .map(|(key, value)| (key.to_owned(), self.text(&value)))
            .collect()
    }

    fn mount_path(&mut self, node: &Node<'_>) -> String {
        self.text(&node.at("storage.spec.mountPath.path"))
    }

    fn text(&mut self, node: &Node<'_>) -> String {
        if !node.is_missing() && !node.value.is_string() {
            self.problem(node, "must be a text: put it in quotes");
        }
        node.text().to_owned()
    }

    fn list<'a>(&mut self, node: &Node<'a>, is_required: bool) -> Vec<Node<'a>> {
        match node.value.as_array() {
            Some(_) => {}
            None if node.is_missing() && !is_required => {}
            None if node.is_missing() => self.problem(node, "is missing"),
            None => self.problem(node, "must be a list"),
        }
        node.items().collect()
    }

    /// Names fields that nothing reads. operator-sdk ignores them too.
    fn known(&mut self, node: &Node<'_>, known: &[&'static str]) {
        if !node.value.is_object() {
            self.problem(node, "must be an object");
        }
        for (name, field) in node.fields().filter(|(name, _)| !known.contains(name)) {
            let near = nearest(name, known.iter().copied());
            let near = near.map(|near| format!("; did you mean `{near}`?"));
            let Node {
                file, line, field, ..
            } = &field;
            if self.notes.len() < MOST {
                let near = near.unwrap_or_default();
                self.notes.push(format!(
                    "{file}:{line}: the field `{field}` is ignored{near}"
                ));
            }
        }
    }

    fn problem(&mut self, node: &Node<'_>, message: &str) {
        let Node {
            file, line, field, ..
        } = node;
        let field = match &**field {
            "" => "the file".to_owned(),
            field => format!("`{field}`"),
        };
        let problem = format!("{file}:{line}: {field} {message}");
        // An item that is no object is one problem, whichever fields are read of it.
        if self.problems.last() != Some(&problem) {
            self.problems.push(problem);
        }
    }
}

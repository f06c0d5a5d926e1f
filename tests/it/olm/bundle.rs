//! A valid bundle, to be changed.

use std::collections::BTreeMap;
use std::path::Path;

use rop::olm::validate::{Finding, Options, Report, VALIDATORS, validate};

use crate::support::World;
use crate::support::world::tree;

pub(super) const CSV: &str = "manifests/app-operator.clusterserviceversion.yaml";
pub(super) const CRD: &str = "manifests/app.example.com_appservices.yaml";
pub(super) const SERVICE: &str = "manifests/app-operator-metrics_v1_service.yaml";
pub(super) const ROLE: &str =
    "manifests/app-operator-viewer_rbac.authorization.k8s.io_v1_clusterrole.yaml";
pub(super) const ANNOTATIONS: &str = "metadata/annotations.yaml";

/// The files of a bundle in memory, and for what it is checked.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    pub(super) files: BTreeMap<String, String>,
    pub(super) options: Options,
}

impl Bundle {
    /// One that no validator has anything to say about, but that `operatorhub` is deprecated.
    pub(super) fn valid() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/olm/valid");
        let options = Options {
            validators: VALIDATORS.iter().map(|validator| validator.name).collect(),
            ..Options::default()
        };
        let files = tree(&root);
        Self { files, options }
    }

    /// Replaces a part of a file, which must be there.
    #[track_caller]
    pub(super) fn replace(&mut self, path: &str, from: &str, to: &str) {
        let text = self.files.get_mut(path).expect(path);
        assert!(text.contains(from), "no {from:?} in {path}");
        *text = text.replacen(from, to, 1);
    }

    #[track_caller]
    pub(super) fn csv(&mut self, from: &str, to: &str) {
        self.replace(CSV, from, to);
    }

    #[track_caller]
    pub(super) fn crd(&mut self, from: &str, to: &str) {
        self.replace(CRD, from, to);
    }

    /// Replaces a part of the annotations of the bundle.
    #[track_caller]
    pub(super) fn annotation(&mut self, from: &str, to: &str) {
        self.replace(ANNOTATIONS, from, to);
    }

    pub(super) fn write(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.to_owned());
    }

    /// Removes a file or a folder.
    pub(super) fn remove(&mut self, path: &str) {
        self.files.retain(|file, _| !file.starts_with(path));
    }

    /// Removes the lines of a file from one that has a text up to the next with less indentation or the same.
    #[track_caller]
    pub(super) fn cut(&mut self, path: &str, key: &str) {
        let text = self.files.get_mut(path).expect(path);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let lines: Vec<&str> = text.lines().collect();
        let start = lines.iter().position(|line| line.trim_start() == key);
        let start = start.unwrap_or_else(|| panic!("no {key:?} in {path}"));
        let within = |line: &&&str| indent(line) > indent(lines[start]);
        let end = start + 1 + lines[start + 1..].iter().take_while(within).count();
        *text = [&lines[..start], &lines[end..]].concat().join("\n") + "\n";
    }

    /// Adds a dependency to the bundle.
    pub(super) fn depend(&mut self, kind: &str, value: &str) {
        let text = format!("dependencies:\n  - type: {kind}\n    value: {value}\n");
        self.write("metadata/dependencies.yaml", &text);
    }

    pub(super) fn check(&self) -> Report {
        validate(&self.files, &self.options)
    }

    /// The findings of a rule.
    pub(super) fn found(&self, rule: &str) -> Vec<Finding> {
        let findings = self.check().findings.into_iter();
        findings.filter(|finding| finding.rule == rule).collect()
    }

    /// A world with the bundle in the directory `bundle`.
    pub(super) fn world(&self) -> World {
        let world = World::new();
        for (path, text) in &self.files {
            world.write(&format!("bundle/{path}"), text);
        }
        world
    }
}

/// A CRD of another kind.
pub(super) const OTHER_CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: caches.app.example.com
spec:
  group: app.example.com
  names: {kind: Cache, listKind: CacheList, plural: caches, singular: cache}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: {type: object}
";

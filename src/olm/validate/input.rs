use crate::olm::read::{Bundle, Document, Node};

use super::options::Options;

pub(super) use crate::olm::kinds::CSV;

pub(super) const CRD: &str = "CustomResourceDefinition";

/// What rules judge.
pub(super) struct Input<'a> {
    pub(super) bundle: &'a Bundle,
    pub(super) options: &'a Options,
}

/// A group, a version and a kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gvk {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
}

impl std::fmt::Display for Gvk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{} {}", self.group, self.version, self.kind)
    }
}

impl<'a> Input<'a> {
    /// The CSV, the first if there are several.
    pub(super) fn csv(&self) -> Option<Node<'a>> {
        self.bundle.of_kind(CSV).next().map(Document::root)
    }

    /// A field of the CSV.
    pub(super) fn csv_at(&self, path: &str) -> Option<Node<'a>> {
        Some(self.csv()?.at(path))
    }

    /// The items of a list of the CSV.
    pub(super) fn csv_items(&self, path: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.csv_at(path).into_iter().flat_map(|list| list.items())
    }

    /// The annotations of the CSV.
    pub(super) fn csv_annotations(&self) -> Option<Node<'a>> {
        self.csv_at("metadata.annotations")
    }

    /// The annotations of the bundle, if it has any.
    pub(super) fn annotations(&self) -> Option<Node<'a>> {
        let document = self.bundle.annotations.as_ref()?;
        Some(document.root().get("annotations"))
    }

    /// The CRDs that the CSV owns.
    pub(super) fn owned(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.csv_items("spec.customresourcedefinitions.owned")
    }

    /// The CRDs that it owns or requires.
    pub(super) fn described(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let required = self.csv_items("spec.customresourcedefinitions.required");
        self.owned().chain(required)
    }

    /// The deployments of the CSV.
    pub(super) fn deployments(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.csv_items("spec.install.spec.deployments")
    }

    /// The rules of the roles that the CSV asks for.
    pub(super) fn role_rules(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let of_cluster = self.csv_items("spec.install.spec.clusterPermissions");
        let permissions = self.csv_items("spec.install.spec.permissions");
        let permissions = of_cluster.chain(permissions);
        permissions.flat_map(|permission| permission.get("rules").items())
    }

    /// The webhooks of the CSV.
    pub(super) fn webhooks(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.csv_items("spec.webhookdefinitions")
    }

    /// The CRDs of the bundle.
    pub(super) fn crds(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.bundle.of_kind(CRD).map(Document::root)
    }
}

/// The name of an object: of its own, or what it is generated from.
pub(super) fn name<'a>(object: &Node<'a>) -> &'a str {
    object.at("metadata.name").text()
}

/// What an entry of the CSV says that it describes, if its name is `plural.group`.
pub(super) fn described_gvk(entry: &Node<'_>) -> Option<Gvk> {
    let (plural, group) = entry.get("name").text().split_once('.')?;
    (!plural.is_empty() && !group.is_empty()).then(|| Gvk {
        group: group.to_owned(),
        version: entry.get("version").text().to_owned(),
        kind: entry.get("kind").text().to_owned(),
    })
}

/// The versions that a CRD defines, each with where it stands.
pub(super) fn defined<'a>(crd: &Node<'a>) -> Vec<(Gvk, Node<'a>)> {
    let spec = crd.get("spec");
    let gvk = |version: &str| Gvk {
        group: spec.get("group").text().to_owned(),
        version: version.to_owned(),
        kind: spec.at("names.kind").text().to_owned(),
    };
    let mut versions: Vec<_> = spec
        .get("versions")
        .items()
        .map(|version| (gvk(version.get("name").text()), version))
        .collect();
    // As v1beta1 had it.
    let single = spec.get("version");
    if versions.is_empty() && !single.is_empty() {
        versions.push((gvk(single.text()), single));
    }
    versions
}

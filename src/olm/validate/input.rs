use crate::olm::read::{Bundle, Document, Node};

use super::options::Options;

pub(super) use crate::olm::kinds::CSV;

pub(super) const CRD: &str = "CustomResourceDefinition";

/// What rules judge.
pub(in crate::olm) struct Input<'a> {
    pub(in crate::olm) bundle: &'a Bundle,
    pub(in crate::olm) options: &'a Options,
}

/// A group, a version and a kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::olm) struct Gvk {
    pub(in crate::olm) group: String,
    pub(in crate::olm) version: String,
    pub(in crate::olm) kind: String,
}

impl std::fmt::Display for Gvk {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{} {}", self.group, self.version, self.kind)
    }
}

impl<'a> Input<'a> {
    /// The CSV, the first if there are several.
    pub(in crate::olm) fn csv(&self) -> Option<Node<'a>> {
        self.bundle.of_kind(CSV).next().map(Document::root)
    }

    /// A field of the CSV.
    pub(in crate::olm) fn csv_at(&self, path: &str) -> Option<Node<'a>> {
        Some(self.csv()?.at(path))
    }

    /// The items of a list of the CSV.
    pub(in crate::olm) fn csv_items(&self, path: &str) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.csv_at(path).into_iter().flat_map(|list| list.items())
    }

    /// The annotations of the CSV.
    pub(in crate::olm) fn csv_annotations(&self) -> Option<Node<'a>> {
        self.csv_at("metadata.annotations")
    }

    /// The annotations of the bundle, if it has any.
    pub(in crate::olm) fn annotations(&self) -> Option<Node<'a>> {
        let document = self.bundle.annotations.as_ref()?;
        Some(document.root().get("annotations"))
    }

    /// The CRDs that the CSV owns.
    pub(in crate::olm) fn owned(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.csv_items("spec.customresourcedefinitions.owned")
    }

    /// The CRDs that it owns or requires.
    pub(in crate::olm) fn described(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let required = self.csv_items("spec.customresourcedefinitions.required");
        self.owned().chain(required)
    }

    /// The deployments of the CSV.
    pub(in crate::olm) fn deployments(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.csv_items("spec.install.spec.deployments")
    }

    /// The rules of the roles that the CSV asks for.
    pub(in crate::olm) fn role_rules(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        let of_cluster = self.csv_items("spec.install.spec.clusterPermissions");
        let permissions = self.csv_items("spec.install.spec.permissions");
        let permissions = of_cluster.chain(permissions);
        permissions.flat_map(|permission| permission.get("rules").items())
    }

    /// The webhooks of the CSV.
    pub(in crate::olm) fn webhooks(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.csv_items("spec.webhookdefinitions")
    }

    /// The CRDs of the bundle.
    pub(in crate::olm) fn crds(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.bundle.of_kind(CRD).map(Document::root)
    }
}

/// The name of an object: of its own, or what it is generated from.
pub(in crate::olm) fn name<'a>(object: &Node<'a>) -> &'a str {
    object.at("metadata.name").text()
}

/// What an entry of the CSV says that it describes, if its name is `plural.group`.
pub(in crate::olm) fn described_gvk(entry: &Node<'_>) -> Option<Gvk> {
    let (plural, group) = entry.get("name").text().split_once('.')?;
    (!plural.is_empty() && !group.is_empty()).then(|| Gvk {
        group: group.to_owned(),
        version: entry.get("version").text().to_owned(),
        kind: entry.get("kind").text().to_owned(),
    })
}

/// The versions that a CRD defines, each with where it stands.
pub(in crate::olm) fn defined<'a>(crd: &Node<'a>) -> Vec<(Gvk, Node<'a>)> {
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

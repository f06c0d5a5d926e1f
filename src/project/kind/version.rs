use super::{Origin, ProjectKind, Template};
use crate::project::name::{DeprecationWarning, Image, Version};

/// One version of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindVersion {
    /// The name, such as `v1alpha1`.
    pub name: Version,
    /// Its index among all entries of PROJECT.
    pub(in crate::project) place: usize,
    /// Whether the project has types for it.
    pub api: bool,
    /// What the types and the controller started from.
    pub template: Template,
    /// The image in the sample.
    pub image: Option<Image>,
    /// The port in the sample.
    pub port: Option<u16>,
    /// Whether the API server serves it.
    pub served: bool,
    /// Whether the version is deprecated.
    pub deprecated: bool,
    /// The deprecation warning, instead of the API server's default.
    pub deprecation_warning: Option<DeprecationWarning>,
}

/// A kind in one of its versions.
#[derive(Clone, Copy, Debug)]
pub struct Versioned<'a> {
    /// The kind.
    pub kind: &'a ProjectKind,
    /// The name, such as `v1alpha1`.
    pub version: &'a KindVersion,
}

impl KindVersion {
    /// A version with everything at its default, behind all others.
    pub(super) fn new(name: Version) -> Self {
        Self {
            name,
            place: usize::MAX,
            api: true,
            template: Template::default(),
            image: None,
            port: None,
            served: true,
            deprecated: false,
            deprecation_warning: None,
        }
    }
}

impl Versioned<'_> {
    /// Group, version and kind as a person writes them: `app/v1alpha1 AppService`.
    pub fn gvk(&self) -> String {
        let group = match self.kind.origin {
            Origin::External(_) => self.kind.api_group(),
            _ => self.kind.group.to_string(),
        };
        format!("{group}/{} {}", self.version.name, self.kind.name)
    }

    /// Group and version as a manifest has them.
    pub fn api_version(&self) -> String {
        match &*self.kind.api_group() {
            "" => self.version.name.to_string(),
            group => format!("{group}/{}", self.version.name),
        }
    }

    /// The Rust module of a type that the project does not own.
    pub fn path(&self) -> String {
        if let Origin::External(external) = &self.kind.origin {
            return external.path.clone();
        }
        let group = self.kind.group.as_str().split('.').next();
        let (group, version) = (group.unwrap_or_default(), &self.version.name);
        format!("k8s_openapi::api::{group}::{version}")
    }

    /// The name of the object in its sample, which is another one for each version. It is a label too, which has 63
    /// characters at the most.
    pub fn sample_name(&self) -> String {
        let version = if self.kind.starts_with(&self.version.name) {
            String::new()
        } else {
            format!("{}-", self.version.name)
        };
        let name = format!("{}-{version}sample", self.kind.name.lower());
        match name.len() {
            ..=63 => name,
            _ => format!("{version}sample"),
        }
    }

    /// Whether both are the same version of the same kind.
    pub fn is(&self, other: Versioned<'_>) -> bool {
        self.version.name == other.version.name && self.kind.is_same(other.kind)
    }

    /// Whether it is the hub of its kind.
    pub fn is_hub(&self) -> bool {
        self.version.name == self.kind.hub
    }
}

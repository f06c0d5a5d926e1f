//! What is asked for.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::project::name::{Image, Tag};

use super::engine::Builder;
use super::output::Output;
use super::platform::Platform;
use super::registry::Manner;

/// An image that is asked for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The directory of the project.
    pub root: &'a Path,
    /// The operator: its package and its program.
    pub operator: &'a str,
    /// A folder beside the project that the operator is built from too.
    pub beside: Option<&'a str>,
    /// The registry and the repository; a tag in it counts where `tags` is empty, too.
    pub image: Image,
    /// More tags.
    pub tags: Vec<Tag>,
    /// What builds it.
    pub builder: Builder,
    /// The platforms; this machine's if empty.
    pub platforms: Vec<Platform>,
    /// What rop lays the operator over; nothing where there is none.
    pub base: Option<Image>,
    /// Labels beside those that are known.
    pub labels: BTreeMap<String, String>,
    /// Arguments of the Dockerfile.
    pub arguments: Vec<String>,
    /// Where it is written.
    pub output: Option<Output>,
    /// Whether it is pushed.
    pub push: bool,
    /// Whether registries have no TLS.
    pub insecure: bool,
    /// Whether to list what it is made of.
    pub sbom: bool,
    /// How long a registry may keep silent.
    pub patience: Duration,
}

impl Request<'_> {
    /// The names that the image gets: with the tag of the reference, and with the others.
    pub(super) fn names(&self) -> Vec<Image> {
        let own = self
            .image
            .tag()
            .map(|tag| tag.parse::<Tag>().expect("a tag"));
        let mut tags: Vec<Tag> = own.into_iter().chain(self.tags.iter().cloned()).collect();
        if tags.is_empty() {
            tags.push(Tag::default());
        }
        let mut names = Vec::new();
        for name in tags.iter().map(|tag| self.image.with_tag(tag)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub(super) fn manner(&self) -> Manner {
        Manner {
            insecure: self.insecure,
            patience: self.patience,
            limit: None,
        }
    }
}

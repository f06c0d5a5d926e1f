//! Container images of the operator, with a container engine or without one.
//!
//! An engine builds what the project's Dockerfile says. Without one rop compiles the operator as a
//! static program, lays it over a base or over nothing, and writes or pushes what comes of it.

mod artifact;
mod base;
mod blob;
mod choice;
mod engine;
mod files;
mod layer;
mod origin;
mod output;
mod own;
mod platform;
mod program;
mod registry;
mod sbom;
mod single;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::error::Result;
use crate::project::name::{Image, Tag};
use crate::ui::Ui;

pub use engine::{Builder, Engine};
pub use output::{Form, Output};
pub use platform::Platform;

use engine::Dockerfile;
use origin::Origin;
use registry::{Manner, Registry};

/// An image that is asked for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The directory of the project.
    pub root: &'a Path,
    /// The operator: its package and its program.
    pub operator: &'a str,
    /// The registry and the repository; a tag in it counts where `tags` is empty, too.
    pub image: Image,
    /// More tags.
    pub tags: Vec<Tag>,
    /// What builds it.
    pub builder: Builder,
    /// What it runs on: this machine's processor where there is none.
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

/// What is done for a request.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The engine that builds the image; rop itself where there is none.
    pub engine: Option<Engine>,
    /// What is to be said of how it was chosen.
    pub note: Option<String>,
    /// The names that the image gets.
    pub names: Vec<Image>,
    /// Where it is written.
    pub output: Option<Output>,
}

/// An image that was built.
#[derive(Clone, Debug)]
pub struct Built {
    /// The digest that its names lead to, where it is known.
    pub digest: Option<String>,
    /// What a registry keeps of it, in bytes; what files take in a container, in bytes.
    pub sizes: Option<(u64, u64)>,
}

impl Request<'_> {
    /// The names that the image gets: with the tag of the reference, and with the others.
    fn names(&self) -> Vec<Image> {
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

    fn manner(&self) -> Manner {
        Manner {
            insecure: self.insecure,
            patience: self.patience,
        }
    }

    /// Builds the image, writes it and pushes it as the recipe says.
    ///
    /// # Errors
    /// The operator does not build, the engine fails, a registry refuses, or the disk does.
    pub fn build(&self, recipe: &Recipe, ui: &Ui) -> Result<Built> {
        let origin = Origin::read(self.root, self.operator)?;
        let mut labels = origin.labels();
        labels.extend(self.labels.clone());
        match recipe.engine {
            Some(engine) => self.with_engine(engine, recipe, &labels, origin.seconds(), ui),
            None => own::build(self, recipe, &origin, labels, ui),
        }
    }

    fn with_engine(
        &self,
        engine: Engine,
        recipe: &Recipe,
        labels: &BTreeMap<String, String>,
        created: i64,
        ui: &Ui,
    ) -> Result<Built> {
        let dockerfile = Dockerfile {
            engine,
            root: self.root,
            names: &recipe.names,
            platform: self.platforms.first().copied(),
            labels,
            arguments: &self.arguments,
            created,
            insecure: self.insecure,
        };
        dockerfile.build(ui)?;
        if let Some(output) = &recipe.output {
            dockerfile.save(output)?;
        }
        let mut digest = None;
        if self.push {
            dockerfile.push()?;
            // What is pushed is there: not to know its digest is no failure.
            let registry = Registry::new(&self.image, None, self.manner());
            digest = registry
                .and_then(|registry| registry.digest(&recipe.names[0]))
                .ok();
        }
        Ok(Built {
            digest,
            sizes: None,
        })
    }
}

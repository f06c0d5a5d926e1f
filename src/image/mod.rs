//! Container images of the operator, with a container engine or without one.
//!
//! An engine builds what the project's Dockerfile says. Without one rop compiles the operator as a
//! static program, lays it over a base or over nothing, and writes or pushes what comes of it.

mod artifact;
mod base;
mod blob;
mod chart;
mod content;
mod engine;
mod files;
mod layer;
mod native;
mod output;
mod platform;
mod platform_image;
mod program;
mod provenance;
mod registry;
mod request;
mod sbom;
mod strategy;
mod unpacked;
mod validation;

use std::collections::BTreeMap;

use crate::error::Result;
use crate::project::name::Image;
use crate::ui::Ui;

pub use chart::ChartArchive;
pub use content::{Content, ContentRequest};
pub use engine::{Builder, Engine};
pub use output::{Form, Output};
pub use platform::Platform;
pub(crate) use registry::{LoginFile, login_files};
pub use request::Request;
pub(crate) use unpacked::Unpacked;

use engine::Dockerfile;
use provenance::Provenance;
use registry::Registry;

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
    /// What the image is made of, if that had to be known.
    provenance: Option<Provenance>,
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
    /// Builds the image, writes it and pushes it as the recipe says.
    ///
    /// # Errors
    /// The operator does not build, the engine fails, a registry refuses, or the disk does.
    pub fn build(&self, recipe: &Recipe, ui: &Ui) -> Result<Built> {
        let provenance = match &recipe.provenance {
            Some(known) => known,
            None => &Provenance::read(self.root, self.operator)?,
        };
        let mut labels = provenance.labels();
        labels.extend(self.labels.clone());
        match recipe.engine {
            Some(engine) => self.with_engine(engine, recipe, &labels, provenance.seconds(), ui),
            None => native::build(self, recipe, provenance, labels, ui),
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
            let registry = Registry::to_pull(&self.image, self.manner());
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

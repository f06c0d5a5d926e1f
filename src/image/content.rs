//! Images of files alone, which OLM reads: catalogs and bundles.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::disk::TARGET_VARIABLE;
use crate::error::{Code, Context, Result};
use crate::project::name::{Image, Tag};
use crate::ui::Ui;

use super::artifact::Artifact;
use super::base::Base;
use super::files::{self, CONFIGS};
use super::layer::Layer;
use super::native::{deliver, name_base};
use super::platform::Platform;
use super::platform_image::{About, PlatformImage, Start};
use super::provenance::Source;
use super::registry::{Manner, Registry};
use super::validation::{fits, with_registry, without_digest};
use super::{Built, Output, Recipe};

/// The label by which OLM finds a catalog in an image.
const LABEL: &str = "operators.operatorframework.io.index.configs.v1";

/// The files of an image, and the labels by which OLM finds them.
#[derive(Clone, Debug)]
pub struct Content {
    name: &'static str,
    files: BTreeMap<String, Vec<u8>>,
    labels: BTreeMap<String, String>,
}

impl Content {
    /// A catalog: its files, by their paths in it.
    pub fn catalog(files: &[(&str, &str)]) -> Self {
        let root = CONFIGS.trim_start_matches('/');
        let file = |(path, text): &(&str, &str)| (format!("{root}/{path}"), text.as_bytes().into());
        Self {
            name: "the catalog",
            files: files.iter().map(file).collect(),
            labels: BTreeMap::from([(LABEL.to_owned(), CONFIGS.to_owned())]),
        }
    }

    /// A bundle: its files, by their paths in it, and its annotations.
    pub fn bundle(files: BTreeMap<String, Vec<u8>>, annotations: BTreeMap<String, String>) -> Self {
        Self {
            name: "the bundle",
            files,
            labels: annotations,
        }
    }
}

/// An image of files.
#[derive(Debug)]
pub struct ContentRequest<'a> {
    /// The folder whose commit the files are of.
    pub root: &'a Path,
    /// The files of the image.
    pub content: Content,
    /// The registry and the repository, with a tag or without one.
    pub image: Image,
    /// The platforms; this machine's if empty.
    pub platforms: Vec<Platform>,
    /// An image with opm, which serves a catalog; or nothing.
    pub base: Option<Image>,
    /// Labels beside those that are known.
    pub labels: BTreeMap<String, String>,
    /// Where it is written.
    pub output: Option<Output>,
    /// Whether it is pushed.
    pub push: bool,
    /// Whether registries have no TLS.
    pub insecure: bool,
    /// How long a registry may keep silent.
    pub patience: Duration,
}

impl ContentRequest<'_> {
    /// What is done for it.
    ///
    /// # Errors
    /// The request contradicts itself.
    pub fn recipe(&self) -> Result<Recipe> {
        without_digest(&self.image)?;
        if self.push {
            with_registry(&self.image)?;
        }
        fits(
            self.output.as_ref().map(|it| it.form),
            self.platforms.len() > 1,
        )?;
        let tag: Tag = self
            .image
            .tag()
            .and_then(|tag| tag.parse().ok())
            .unwrap_or_default();
        let output = match &self.output {
            None if !self.push => Some(self.kept()?),
            output => output.clone(),
        };
        if let Some(output) = &output {
            output.check()?;
        }
        Ok(Recipe {
            engine: None,
            note: None,
            names: vec![self.image.with_tag(&tag)],
            output,
            provenance: None,
        })
    }

    /// Where an image is that is for nobody else.
    fn kept(&self) -> Result<Output> {
        let target = std::env::var_os(TARGET_VARIABLE)
            .filter(|path| !path.is_empty())
            .unwrap_or_else(|| "target".into());
        let repository = self.image.repository();
        let name = repository.rsplit('/').next().unwrap_or(&repository);
        Output::kept(
            self.root,
            &self.root.join(target),
            name,
            self.platforms.len(),
        )
    }

    /// Makes the image, writes it and pushes it. The same files give the same bytes.
    ///
    /// # Errors
    /// A registry refuses, the base cannot be used, or the disk is full.
    pub fn build(&self, recipe: &Recipe, ui: &Ui) -> Result<Built> {
        let platforms = match &self.platforms[..] {
            [] => vec![Platform::host()?],
            platforms => platforms.to_vec(),
        };
        let source = Source::of_files()?;
        let registry = if self.push {
            Some(Registry::to_push(&self.image, self.manner())?)
        } else {
            None
        };
        if let Some(registry) = &registry {
            registry.greet()?;
        }
        let layer = Layer::new(&files::content(&self.content.files))
            .context(Code::GenerationFailed, || {
                format!("failed to pack {}", self.content.name)
            })?;
        let mut images = Vec::new();
        for platform in platforms {
            let base = match &self.base {
                Some(image) => Some(Registry::base(image, platform, self.manner(), ui)?),
                None => None,
            };
            let about = self.about(&source, base.as_ref());
            let layer = layer.clone();
            images.push(PlatformImage::new(platform, base.as_ref(), layer, &about)?);
        }
        let artifact = Artifact::new(images, Vec::new())?;
        deliver(&artifact, recipe, registry.as_ref(), ui)?;
        Ok(Built {
            digest: Some(artifact.root().digest()),
            sizes: Some((artifact.size(), layer.unpacked)),
        })
    }

    fn about(&self, source: &Source, base: Option<&Base>) -> About {
        let mut labels = source.labels();
        labels.extend(self.labels.clone());
        labels.extend(self.content.labels.clone());
        name_base(&mut labels, base, self.base.as_ref());
        About {
            created: source.created(),
            labels,
            start: match base {
                Some(_) => Start::CatalogServer,
                None => Start::Nothing,
            },
            content: self.content.name,
        }
    }

    fn manner(&self) -> Manner {
        Manner {
            insecure: self.insecure,
            patience: self.patience,
            limit: None,
        }
    }
}

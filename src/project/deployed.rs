use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::disk::{View, read_text};
use crate::error::{Code, Context, Error, Result};
use crate::manager::{container_index, is_manager};
use crate::yaml;

use super::layout::MANAGER;
use super::name::Image;

/// What is read of a kustomization.
#[derive(Default, Deserialize)]
struct Kustomization {
    #[serde(default)]
    resources: Vec<String>,
    #[serde(default)]
    images: Vec<Replacement>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    name: String,
    new_name: Option<String>,
    /// Text, so that a tag such as `2.10` stays what it is.
    new_tag: Option<String>,
    digest: Option<String>,
}

/// The container in `config/manager` that is the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ManagerContainer {
    /// The container's name.
    pub(crate) name: String,
    /// Its image as it is written there, without what the kustomization replaces.
    #[serde(skip)]
    image: String,
}

impl Default for ManagerContainer {
    /// The one that `rop init` makes.
    fn default() -> Self {
        Self {
            name: "manager".into(),
            image: "controller:latest".into(),
        }
    }
}

/// The container that is the operator, if `config/manager` has it in a file that its kustomization lists.
///
/// # Errors
/// A file there cannot be read.
pub(crate) fn manager_container(view: &View) -> Result<Option<ManagerContainer>> {
    match view.read(MANAGER)? {
        Some(text) => container(view, &kustomization(&text)?),
        None => Ok(None),
    }
}

fn kustomization(text: &str) -> Result<Kustomization> {
    yaml::from_str(text).context(Code::MalformedFile, || {
        format!("failed to read `{MANAGER}`")
    })
}

fn container(view: &View, kustomization: &Kustomization) -> Result<Option<ManagerContainer>> {
    let (folder, _) = MANAGER.rsplit_once('/').unwrap_or_default();
    for resource in &kustomization.resources {
        let path = format!("{folder}/{resource}");
        if !view.is_file(&path) {
            continue;
        }
        let text = view.read(&path)?.unwrap_or_default();
        let parsed: Result<Vec<Value>, _> = yaml::documents(&text).into_iter().collect();
        let objects = parsed.map_err(|malformed| {
            Error::new(Code::MalformedFile, malformed).context(format!("failed to read `{path}`"))
        })?;
        let found = objects.iter().find(|object| is_manager(object));
        if let Some(deployment) = found
            && let Some(index) = container_index(deployment)
        {
            let container = &deployment["spec"]["template"]["spec"]["containers"][index];
            let string = |field: &str| container[field].as_str().unwrap_or_default().to_owned();
            return Ok(Some(ManagerContainer {
                name: string("name"),
                image: string("image"),
            }));
        }
    }
    Ok(None)
}

/// The image that `config/manager` deploys.
///
/// # Errors
/// Its files cannot be read, or name no image that can be.
pub fn deployed_image(root: &Path) -> Result<Image> {
    let text = read_text(&root.join(MANAGER)).unreadable(MANAGER)?;
    let kustomization = kustomization(&text)?;
    let view = View::of(root)?;
    let container = container(&view, &kustomization)?.ok_or_else(|| {
        Error::new(
            Code::NoOperatorDeployment,
            format!("no file in `{MANAGER}` has the operator's container"),
        )
    })?;
    let image: Image = container
        .image
        .parse()
        .map_err(|error| Error::from(error).context("config/manager has no valid image"))?;
    let mut images = kustomization.images.into_iter();
    let found = images.find(|found| found.name == image.name());
    let (name, tag, digest) = match &found {
        Some(found) => (
            found.new_name.as_deref(),
            found.new_tag.as_deref(),
            found.digest.as_deref(),
        ),
        None => (None, None, image.digest()),
    };
    if let Some(digest) = digest {
        return Err(Error::new(
            Code::ImageHasDigest,
            format!(
                "config/manager deploys the image by digest `{digest}`: a new image has another \
                digest"
            ),
        ));
    }
    let name = name.unwrap_or(image.name());
    let replaced = match tag.or(image.tag()) {
        Some(tag) => format!("{name}:{tag}"),
        None => name.to_owned(),
    };
    replaced
        .parse()
        .map_err(|error| Error::from(error).context(format!("`{MANAGER}` has no valid image")))
}

//! Images: that of the operator, and others that it runs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::error::{Code, Error, Result};
use crate::objects::{ObjectId, Objects};
use crate::project::name::Image;
use crate::reference;

/// An environment variable of this prefix holds an image that the operator runs.
const RELATED: &str = "RELATED_IMAGE_";

/// The image of the operator's container.
///
/// # Errors
/// There is no Deployment of the operator, or one whose container cannot be told.
pub(in crate::olm) fn operator_image(objects: &Objects) -> Result<&str> {
    objects.image().ok_or_else(|| {
        Error::new(
            Code::NoOperatorDeployment,
            "config/default has no image of the operator",
        )
        .hint("set `images:` in config/manager/kustomization.yaml")
    })
}

/// The images that the operator needs: those in the base, in its containers and in its variables `RELATED_IMAGE_…`.
///
/// # Errors
/// A variable `RELATED_IMAGE_…` has no literal value.
pub(super) fn related(written: Value, objects: &Objects) -> Result<Value> {
    // Those of the base stay as they are: what is wrong with them is a finding.
    let mut images = written.as_array().cloned().unwrap_or_default();
    let mut add = |image: &str, name: String| {
        if !images.iter().any(|known| known["image"] == image) {
            images.push(json!({ "image": image, "name": name }));
        }
    };
    for deployment in objects
        .iter()
        .filter(|object| object["kind"] == "Deployment")
    {
        for container in containers(deployment) {
            if let (Some(name), Some(image)) =
                (container["name"].as_str(), container["image"].as_str())
            {
                add(image, name.to_owned());
            }
            for variable in container["env"].as_array().into_iter().flatten() {
                let name = variable["name"].as_str().unwrap_or_default();
                let Some(name) = name.strip_prefix(RELATED) else {
                    continue;
                };
                let image = variable["value"].as_str().ok_or_else(|| {
                    let id = ObjectId::of(deployment);
                    Error::new(
                        Code::MalformedFile,
                        format!(
                            "`{RELATED}{name}` of the {id} has no value: a bundle lists each image"
                        ),
                    )
                    .hint("set `value:` to the image")
                })?;
                let name = name.to_lowercase().replace('_', "-");
                add(image, name);
            }
        }
    }
    let text = |image: &Value, field: &str| image[field].as_str().unwrap_or_default().to_owned();
    images.sort_by_cached_key(|image| ["name", "image"].map(|field| text(image, field)));
    Ok(images.into())
}

/// All containers of a Deployment.
fn containers(deployment: &Value) -> impl Iterator<Item = &Value> {
    let pod = &deployment["spec"]["template"]["spec"];
    let lists = ["containers", "initContainers"].map(|list| pod[list].as_array());
    lists.into_iter().flatten().flatten()
}

/// Digests by image, as a file lists them.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(transparent)]
pub struct Digests(BTreeMap<String, String>);

impl Digests {
    /// Puts digests in place of tags, in containers and in `RELATED_IMAGE_…`.
    ///
    /// # Errors
    /// An image has none, or one is no digest.
    pub fn pin(&self, objects: &mut Objects) -> Result<()> {
        for (image, digest) in &self.0 {
            check(image, digest)?;
        }
        let mut missing = Vec::new();
        objects.change(|object| {
            if object["kind"] != "Deployment" {
                return;
            }
            let pod = &mut object["spec"]["template"]["spec"];
            for list in ["containers", "initContainers"] {
                for container in pod
                    .get_mut(list)
                    .and_then(Value::as_array_mut)
                    .into_iter()
                    .flatten()
                {
                    self.pin_one(container.get_mut("image"), &mut missing);
                    let variables = container.get_mut("env").and_then(Value::as_array_mut);
                    for variable in variables.into_iter().flatten() {
                        let name = variable["name"].as_str().unwrap_or_default();
                        if name.starts_with(RELATED) {
                            self.pin_one(variable.get_mut("value"), &mut missing);
                        }
                    }
                }
            }
        });
        missing.sort();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Code::InvalidImage,
            format!("`--image-digests` has no digest of {}", missing.join(", ")),
        )
        .hint("add a line `IMAGE: sha256:…` for each; `rop build --push` prints the operator's"))
    }

    fn pin_one(&self, image: Option<&mut Value>, missing: &mut Vec<String>) {
        let Some((value, image)) = image.and_then(|value| {
            let name = value.as_str()?.to_owned();
            Some((value, name))
        }) else {
            return;
        };
        if image.contains('@') {
            return;
        }
        match self.0.get(&image) {
            Some(digest) => *value = pinned(&image, digest).into(),
            None => missing.push(format!("`{image}`")),
        }
    }
}

/// Refuses what is no digest of an image.
fn check(image: &str, digest: &str) -> Result<()> {
    let checked = pinned(image, digest).parse::<Image>();
    checked.map(drop).map_err(|error| {
        Error::from(error)
            .context(format!("`--image-digests` has no digest of `{image}`"))
            .hint("copy the digest that `rop build --push` prints")
    })
}

/// An image by its digest.
fn pinned(image: &str, digest: &str) -> String {
    let (name, ..) = reference::split(image);
    let digest = digest.rsplit_once('@').map_or(digest, |(_, digest)| digest);
    format!("{name}@{digest}")
}

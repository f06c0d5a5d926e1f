//! All manifests in one file, for `kubectl apply`.

use crate::disk::View;
use crate::error::Result;
use crate::objects::Objects;
use crate::plan::{File, Tree};

use super::{Manifests, Output};

/// Where it is, as kubebuilder has it.
const INSTALLER: &str = "dist/install.yaml";

/// Everything to install the operator, in one file.
#[derive(Debug)]
pub struct Installer;

impl Output for Installer {
    fn name(&self) -> &'static str {
        INSTALLER
    }

    fn command(&self) -> &'static str {
        "generate installer"
    }

    fn is_in(&self, view: &View) -> bool {
        view.is_file(INSTALLER)
    }

    /// The image and the namespace are in the file.
    fn rendered(
        &self,
        view: &View,
        render: &dyn Fn() -> Result<Objects>,
    ) -> Result<Option<Objects>> {
        let mut objects = render()?;
        let last = Objects::parse(&view.read_own(INSTALLER)?.unwrap_or_default())?;
        if let (Ok(namespace), Some(image)) = (last.namespace(), last.image()) {
            objects.set_namespace(namespace)?;
            objects.set_image(image)?;
        }
        Ok(Some(objects))
    }

    fn flags(
        &self,
        view: &View,
        render: &dyn Fn() -> Result<Objects>,
    ) -> Result<Vec<(&'static str, String)>> {
        let last = Objects::parse(&view.read_own(INSTALLER)?.unwrap_or_default())?;
        let without_flags = render()?;
        // Of a project that was renamed since, the defaults had the old name.
        let names = [&last, &without_flags].map(prefix);
        let is_default = |value: &str, default: &str| {
            let rest = value
                .strip_prefix(names[0])
                .map(|rest| format!("{}{rest}", names[1]));
            value == default || !names[0].is_empty() && rest.as_deref() == Some(default)
        };
        let mut flags = Vec::new();
        if let Some(image) = last.image()
            && !is_default(image, without_flags.image().unwrap_or_default())
        {
            flags.push(("--image", image.to_owned()));
        }
        if let (Ok(namespace), Ok(default)) = (last.namespace(), without_flags.namespace())
            && !is_default(namespace, default)
        {
            flags.push(("--namespace", namespace.to_owned()));
        }
        Ok(flags)
    }

    fn is_separate(&self) -> bool {
        true
    }

    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree> {
        let mut tree = Tree::default();
        if let Some(objects) = manifests.rendered {
            tree.insert(File::owned(INSTALLER, objects.to_yaml()?));
        }
        Ok(tree)
    }
}

/// The name that kustomize puts before those of all objects.
fn prefix(objects: &Objects) -> &str {
    let mut deployments = objects.deployments();
    let name = deployments.find_map(|deployment| deployment["metadata"]["name"].as_str());
    let prefix = name.and_then(|name| name.strip_suffix("-controller-manager"));
    prefix.unwrap_or_default()
}

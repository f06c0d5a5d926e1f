//! All manifests in one file, for `kubectl apply`.

use crate::disk::View;
use crate::error::Result;
use crate::plan::{File, Tree};

use super::{Manifests, Output};

/// Where it is, as kubebuilder has it.
const INSTALLER: &str = "dist/install.yaml";

/// Everything to install the operator, in one file.
#[derive(Debug)]
pub struct Installer;

impl Output for Installer {
    fn is_in(&self, view: &View) -> bool {
        view.is_file(INSTALLER)
    }

    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree> {
        let mut tree = Tree::default();
        if let Some(objects) = manifests.rendered {
            tree.insert(File::owned(INSTALLER, objects.to_yaml()?));
        }
        Ok(tree)
    }
}

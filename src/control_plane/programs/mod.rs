//! The programs of a control plane for tests, as kubebuilder's projects use them: found where they
//! are, or downloaded.

mod archive;
mod index;
mod store;

use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Code, Error, Result};
use crate::ui::Ui;

use index::Index;
use store::Store;

/// Where the archives are listed.
pub const INDEX: &str =
    "https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml";

/// How long a server of archives may keep silent.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What names a folder of such programs.
pub const ASSETS: &str = "KUBEBUILDER_ASSETS";

/// A release of the control plane, and where to download it.
#[derive(Debug)]
pub struct Release<'a> {
    /// The release of Kubernetes, such as `1.37.0`, or the minor one, such as `1.37`.
    pub kubernetes: &'a str,
    /// Where the archives are listed: [`INDEX`], or a mirror of it.
    pub index: &'a str,
    /// How long a server may keep silent, such as [`PATIENCE`].
    pub patience: Duration,
}

impl Release<'_> {
    /// The folder of the programs: the one that [`ASSETS`] names, or that of an archive which was
    /// downloaded before, or which is now.
    ///
    /// # Errors
    /// There is no archive, it does not arrive in one piece, or it is not what the index says.
    pub fn folder(&self, ui: &Ui) -> Result<PathBuf> {
        if let Some(folder) = Release::local(self.kubernetes) {
            return Ok(folder);
        }
        let store = Store::open()?;
        self.download(&store, ui).map_err(|error| {
            error
                .context(format!(
                    "no control plane for Kubernetes {} on this machine",
                    self.kubernetes
                ))
                .hint(format!(
                    "without network access, set {ASSETS} to a directory with etcd, kube-apiserver and kubectl"
                ))
        })
    }

    /// The folder of the programs on this machine: the one that [`ASSETS`] names, whatever is in it, or that of an
    /// archive which was downloaded before.
    pub fn local(kubernetes: &str) -> Option<PathBuf> {
        let named = std::env::var_os(ASSETS).filter(|path| !path.is_empty());
        named
            .map(PathBuf::from)
            .or_else(|| Store::open().ok()?.newest(kubernetes))
    }

    fn download(&self, store: &Store, ui: &Ui) -> Result<PathBuf> {
        let index = Index::read(self.index, self.patience)?;
        let platform = store::platform();
        let Some(archive) = index.newest(self.kubernetes, &platform) else {
            let (kubernetes, index) = (self.kubernetes, self.index);
            return Err(Error::new(
                Code::NoControlPlane,
                format!("`{index}` lists no archive of Kubernetes {kubernetes} for {platform}"),
            ));
        };
        archive.check(self.index)?;
        store.install(&archive, self.patience, ui)
    }
}

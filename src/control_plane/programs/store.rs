//! Where archives are kept: where setup-envtest keeps them, so that both find what the other has.

use std::path::PathBuf;
use std::time::Duration;

use semver::Version;

use crate::control_plane::PROGRAMS;
use crate::error::{Code, Error, Result};
use crate::ui::Ui;

use super::archive;
use super::index::{Archive, is_of};

/// A folder of folders of programs, named by version and platform.
#[derive(Debug)]
pub(super) struct Store(PathBuf);

impl Store {
    /// The store of this user.
    pub(super) fn open() -> Result<Self> {
        let data = match env("XDG_DATA_HOME") {
            Some(data) => Some(data),
            None => env("HOME").map(|home| {
                if cfg!(target_os = "macos") {
                    home.join("Library/Application Support")
                } else {
                    home.join(".local/share")
                }
            }),
        };
        let Some(data) = data else {
            return Err(Error::new(Code::NoControlPlane, "no download directory")
                .hint("set HOME or XDG_DATA_HOME"));
        };
        Ok(Self(data.join(if cfg!(target_os = "macos") {
            "io.kubebuilder.envtest/k8s"
        } else {
            "kubebuilder-envtest/k8s"
        })))
    }

    /// The programs of a release, or of the newest of a minor one, that are here.
    pub(super) fn newest(&self, release: &str) -> Option<PathBuf> {
        let platform = platform();
        let folders = self.0.read_dir().ok()?.filter_map(|entry| {
            let folder = entry.ok()?.path();
            let name = folder.file_name()?.to_str()?;
            let version = name.strip_suffix(&*platform)?.strip_suffix('-')?;
            let version = Version::parse(version).ok()?;
            let is_whole = PROGRAMS
                .iter()
                .all(|program| folder.join(program).is_file());
            (is_of(&version, release) && is_whole).then_some((version, folder))
        });
        folders
            .max_by(|(a, _), (b, _)| a.cmp(b))
            .map(|(_, folder)| folder)
    }

    /// Downloads an archive, and gives the folder of its programs. It is there as a whole or not at
    /// all.
    pub(super) fn install(
        &self,
        archive: &Archive,
        patience: Duration,
        ui: &Ui,
    ) -> Result<PathBuf> {
        let name = format!("{}-{}", archive.version, platform());
        let folder = self.0.join(name);
        archive::unpack(archive, &folder, patience, ui)?;
        Ok(folder)
    }
}

/// This machine, as the names of archives say it.
pub(super) fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64le",
        other => other,
    };
    format!("{system}-{machine}")
}

fn env(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Where buildah and podman keep images, for one test alone.
pub(super) struct Store {
    buildah: PathBuf,
    dir: TempDir,
}

impl Store {
    /// An empty one. `volumes` are mounted wherever something is run.
    pub(super) fn new(buildah: &Path, volumes: &[String]) -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        let path = dir.path().display();
        let storage = format!(
            "[storage]\ndriver = 'overlay'\nrunroot = '{path}/run'\ngraphroot = '{path}/graph'\n"
        );
        std::fs::write(dir.path().join("storage.conf"), storage).expect("a file");
        let containers = format!("[containers]\nvolumes = {volumes:?}\n");
        std::fs::write(dir.path().join("containers.conf"), containers).expect("a file");
        Self {
            buildah: buildah.to_owned(),
            dir,
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// What tells engines of it.
    pub(super) fn settings(&self) -> [(&'static str, PathBuf); 3] {
        [
            ("CONTAINERS_STORAGE_CONF", self.path().join("storage.conf")),
            ("CONTAINERS_CONF", self.path().join("containers.conf")),
            ("BUILDAH_ISOLATION", "chroot".into()),
        ]
    }

    /// Buildah, about to be run.
    pub(super) fn buildah(&self, word: &str) -> Command {
        let mut command = Command::new(&self.buildah);
        command.arg(word).envs(self.settings()).stdin(Stdio::null());
        command
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let _ = self.buildah("rm").arg("--all").output();
        let _ = self.buildah("rmi").args(["--all", "--force"]).output();
    }
}

//! What changes in a project while it is worked on.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher, event::ModifyKind};

use crate::error::{Code, Context, Result};
use crate::project::layout::{CONFIG, CRD_BASES, ROLE, ROLE_NAMESPACES, SAMPLES, SOURCES};

use super::Event;

/// Files that are saved together are this close together.
const TOGETHER: Duration = Duration::from_millis(50);

/// What rop itself writes, or cargo, when the rest changes.
const MADE: [&str; 4] = [CRD_BASES, ROLE, ROLE_NAMESPACES, "Cargo.lock"];

/// What kinds of files were saved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Saved {
    /// What the operator is built from.
    pub(super) code: bool,
    /// What it needs in the cluster.
    pub(super) manifests: bool,
    /// Objects of its kinds.
    pub(super) samples: bool,
}

/// Tells of changes for as long as it is kept.
pub(super) struct Changes {
    _watcher: RecommendedWatcher,
}

impl Changes {
    /// Watches the files of a project.
    pub(super) fn watch(root: &Path, events: Sender<Event>) -> Result<Self> {
        let failed = || format!("failed to watch the files of `{}`", root.display());
        let (sender, saved) = channel();
        let mut watcher =
            notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
                if let Ok(event) = event
                    && is_saved(event.kind)
                {
                    let _ = sender.send(event.paths);
                }
            })
            .context(Code::SystemError, failed)?;
        for folder in [SOURCES, "api", CONFIG] {
            let folder = root.join(folder);
            watcher
                .watch(&folder, RecursiveMode::Recursive)
                .context(Code::SystemError, failed)?;
        }
        watcher
            .watch(root, RecursiveMode::NonRecursive)
            .context(Code::SystemError, failed)?;
        let root = root.to_owned();
        thread::spawn(move || gather(&root, &saved, &events));
        Ok(Self { _watcher: watcher })
    }
}

/// Hands on what is saved together as one change.
fn gather(root: &Path, saved: &Receiver<Vec<PathBuf>>, events: &Sender<Event>) {
    while let Ok(paths) = saved.recv() {
        let mut change = Saved::default();
        change.add(root, &paths);
        loop {
            match saved.recv_timeout(TOGETHER) {
                Ok(paths) => change.add(root, &paths),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        if change != Saved::default() && events.send(Event::Changed(change)).is_err() {
            return;
        }
    }
}

impl Saved {
    /// Both changes as one.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            code: self.code || other.code,
            manifests: self.manifests || other.manifests,
            samples: self.samples || other.samples,
        }
    }

    fn add(&mut self, root: &Path, paths: &[PathBuf]) {
        for path in paths.iter().filter_map(|path| path.strip_prefix(root).ok()) {
            let is_made = MADE.iter().any(|generated| path.starts_with(generated));
            if is_made || path.iter().any(|part| is_scratch(&part.to_string_lossy())) {
            } else if path.starts_with(SAMPLES) {
                self.samples = true;
            } else if path.starts_with(CONFIG) {
                self.manifests = true;
            } else if path.starts_with(SOURCES) || path.starts_with("api") || is_build_file(path) {
                self.code = true;
            }
        }
    }
}

fn is_build_file(path: &Path) -> bool {
    ["Cargo.toml", "build.rs", "rust-toolchain.toml"]
        .iter()
        .any(|name| path == Path::new(name))
}

/// What editors write beside the files that they save.
fn is_scratch(name: &str) -> bool {
    name.starts_with('.') || name.starts_with('#') || name.ends_with('~') || name == "4913"
}

fn is_saved(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str) -> Saved {
        let mut change = Saved::default();
        change.add(Path::new("/p"), &[Path::new("/p").join(path)]);
        change
    }

    #[test]
    fn each_file_asks_for_what_is_made_of_it() {
        let code = Saved {
            code: true,
            ..Saved::default()
        };
        for path in [
            "src/main.rs",
            "api/src/app/v1/mod.rs",
            "api/Cargo.toml",
            "Cargo.toml",
        ] {
            assert_eq!(change(path), code, "{path}");
        }
        let manifests = Saved {
            manifests: true,
            ..Saved::default()
        };
        assert_eq!(change("config/rbac/role_binding.yaml"), manifests);
        let samples = Saved {
            samples: true,
            ..Saved::default()
        };
        assert_eq!(change("config/samples/app_v1_app.yaml"), samples);
    }

    #[test]
    fn what_is_made_of_others_asks_for_nothing() {
        let generated = [
            "config/crd/bases/a_b.yaml",
            "config/rbac/role.yaml",
            "Cargo.lock",
        ];
        let scratch = ["src/.main.rs.swp", "src/main.rs~", "src/4913", "README.md"];
        for path in generated.into_iter().chain(scratch) {
            assert_eq!(change(path), Saved::default(), "{path}");
        }
    }
}

//! What the tests share: an empty world for each, in which nothing of the machine shows.

pub(crate) mod cargo;
pub(crate) mod control_plane;
pub(crate) mod kubelet;
pub(crate) mod net;
mod outcome;
pub(crate) mod proxy;
pub(crate) mod registry;
mod server;
pub(crate) mod tools;
pub(crate) mod world;

pub(crate) use outcome::Outcome;
pub(crate) use world::World;

/// The kubectl of the control plane, or the one on PATH.
pub(crate) fn kubectl() -> Option<std::path::PathBuf> {
    let assets = std::env::var_os("KUBEBUILDER_ASSETS").map(std::path::PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    assets
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join("kubectl"))
        .find(|program| program.is_file())
}

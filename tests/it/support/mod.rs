//! What the tests share: an empty world for each, in which nothing of the machine shows.

pub(crate) mod cargo;
pub(crate) mod certificate;
pub(crate) mod control_plane;
mod hints;
pub(crate) mod hostile;
pub(crate) mod kubelet;
pub(crate) mod memory;
pub(crate) mod net;
pub(crate) mod node;
mod outcome;
pub(crate) mod proxy;
pub(crate) mod registry;
pub(crate) mod say;
pub(crate) mod schema;
mod server;
pub(crate) mod shared;
pub(crate) mod slot;
pub(crate) mod tools;
pub(crate) mod turn;
pub(crate) mod variant;
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

/// The seeds of a random test: so many, or as many as `ROP_TEST_ROUNDS` says, or the one that
/// `ROP_TEST_SEED` names.
pub(crate) fn seeds(rounds: u64) -> std::ops::Range<u64> {
    let number = |name: &str| {
        let value = std::env::var(name).ok()?;
        let number = value.parse::<u64>();
        Some(number.unwrap_or_else(|_| panic!("{name} is no number")))
    };
    match number("ROP_TEST_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("ROP_TEST_ROUNDS").unwrap_or(rounds),
    }
}

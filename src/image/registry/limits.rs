//! How much of each sort a registry may send.

/// Manifests, indexes and configurations. Registries need not take manifests of more.
pub(super) const DOCUMENT: u64 = 4 * 1024 * 1024;

/// What a server of tokens answers. Tokens have a few kilobytes: they are sent as a header.
pub(super) const TOKEN: u64 = 1024 * 1024;

/// How much is read of what is said of an error.
pub(super) const COMPLAINT: usize = 64 * 1024;

/// The layers of a base image together: they are held in memory.
pub(super) const LAYERS: u64 = 4 * 1024 * 1024 * 1024;

/// The number of layers. Container engines take 127.
pub(super) const LAYER_COUNT: usize = 500;

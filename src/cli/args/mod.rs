//! Arguments that several commands take.

pub(super) mod api_spec;
pub(super) mod bundle_directory;
pub(super) mod bundle_source;
pub(super) mod crds;
pub(super) mod delivery;
pub(super) mod global;
pub(super) mod ignored_flags;
pub(super) mod kind;
pub(super) mod olm;
pub(super) mod operator;
pub(super) mod place;
pub(super) mod registry;
pub(super) mod target;
pub(super) mod value;

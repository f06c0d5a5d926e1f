//! The rules, by what they judge.

mod addresses;
mod annotations;
mod community;
mod content;
mod crd;
mod csv;
mod csv_fields;
mod csv_unknown;
mod dependencies;
mod examples;
mod format;
mod hub;
mod images;
mod install_modes;
mod kinds;
mod labels;
mod loading;
mod multi_arch;
mod object_metadata;
mod objects;
mod olm_v1;
mod package;
mod practices;
mod properties;
mod removed;
mod size;

use super::rule::Rule;

pub(super) use csv_unknown::{UNKNOWN_FIELD, unknown_fields};

/// All of them.
pub(super) const ALL: &[&[Rule]] = &[
    loading::RULES,
    format::RULES,
    labels::RULES,
    dependencies::RULES,
    properties::RULES,
    package::RULES,
    csv::RULES,
    csv_fields::RULES,
    csv_unknown::RULES,
    annotations::RULES,
    examples::RULES,
    install_modes::RULES,
    images::RULES,
    crd::RULES,
    content::RULES,
    object_metadata::RULES,
    size::RULES,
    hub::RULES,
    practices::RULES,
    removed::RULES,
    community::RULES,
    multi_arch::RULES,
    objects::RULES,
    olm_v1::RULES,
];

//! `rop bundle` and the commands below it: what is generated, the rules of bundles, what OLM
//! makes of them, and catalogs.

mod accepted;
pub(crate) mod api_server;
mod bundle;
mod bundle_image;
mod catalog;
mod catalog_add;
mod catalog_rules;
mod cluster;
mod command;
mod differential;
mod documented;
mod examples;
mod generated;
mod hostile;
mod kept;
mod markers;
mod mutations;
mod noted;
mod operator;
mod opm;
mod places;
mod refused;
mod required;
mod scorecard;
mod sdk_layout;
mod unknown_fields;
mod validated_image;
mod verdicts;

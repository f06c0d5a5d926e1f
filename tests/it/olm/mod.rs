//! `rop bundle` and the commands below it: what is generated, the rules of bundles, what OLM
//! makes of them, and catalogs.

mod accepted;
mod api_server;
mod bundle;
mod bundle_image;
mod catalog;
mod catalog_add;
mod catalog_rules;
mod command;
mod documented;
mod generated;
mod hostile;
mod markers;
mod mutations;
mod operator;
mod opm;
mod verdicts;

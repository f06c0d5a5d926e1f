//! Tests of rop as a whole: one module for each command, and one for each promise.
//!
//! `cargo test --test it -- kill` runs those of one. They start in the order of their names: builds of whole projects have
//! a module that comes late, and what takes long on an API server one that comes early.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests make the worlds that they test in, and say what they skip"
)]

mod support;

mod book;
mod build;
mod chart;
mod check;
mod cli;
mod cluster;
mod compat;
mod completion;
mod config;
mod costs;
mod crd_table;
mod create_api;
mod create_policy;
mod create_webhook;
mod delete;
mod dev;
mod docs;
mod doctor;
mod edit;
mod eject;
mod errors;
mod every_command;
mod examples;
mod formatting;
mod fuzz;
mod generate_docs;
mod generate_manifests;
mod generate_monitoring;
mod generate_project;
mod help;
mod hints;
mod hostile;
mod idempotence;
mod in_out;
mod init;
mod interrupted;
mod json;
mod kill;
mod library;
mod line_ends;
mod lock;
mod man;
mod merges;
mod monorepo;
mod olm;
mod panic;
mod paths;
mod present;
mod readme;
mod record;
mod render;
mod runtime;
mod sequences;
mod simulate;
mod templates;
mod update;
mod version;
mod versions;
mod walls;
mod whole;

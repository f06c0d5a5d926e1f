//! `rop bundle` and the commands below it: what is generated, the rules of bundles, and what OLM makes of them.

mod accepted;
mod api_server;
mod bundle;
mod command;
mod documented;
mod generated;
mod hostile;
mod mutations;
mod operator;
mod verdicts;

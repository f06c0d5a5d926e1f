//! `rop bundle validate`, and the rules of bundles.

mod accepted;
mod bundle;
mod command;
mod documented;
mod hostile;
mod mutations;
mod verdicts;

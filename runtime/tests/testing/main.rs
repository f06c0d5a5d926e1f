//! Guarantees for the tests of operators: the checks of CRDs, and which errors of a reconcile are retried or reported.

#![cfg(feature = "testing")]

mod crds;
mod failures;
mod rules;
mod secrets;

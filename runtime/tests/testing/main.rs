//! What the tests of an operator rely on: the checks of its CRDs, and how a reconcile that fails is told apart.

#![cfg(feature = "testing")]

mod crds;
mod failures;

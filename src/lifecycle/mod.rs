//! Operators in a cluster under the Operator Lifecycle Manager: installed from a bundle, upgraded, and removed. Nothing
//! here prints.

pub(crate) mod bundle;
mod catalog;
mod cleanup;
mod csv;
mod extension;
mod generation;
mod group;
mod live;
mod names;
mod progress;
mod status;
mod subscription;

pub(crate) use bundle::{Bundle, Content};
pub(crate) use catalog::{Served, wait_until_served};
pub(crate) use cleanup::{Cleanup, Scope};
pub(crate) use extension::Extension;
pub(crate) use generation::Generation;
pub(crate) use group::InstallMode;
pub(crate) use names::Place;
pub(crate) use status::{Component, components, wait_for_csvs};
pub(crate) use subscription::{Installed, Subscription};

#![doc = include_str!("../README.md")]
//!
//! ## Where to start
//!
//! - [`Manager`] runs everything: controllers, tasks, servers and leader election.
//! - [`Manager::controller`] returns a [`ControllerBuilder`], which sets what is watched and how it
//!   is reconciled.
//! - [`Context`] is passed to each reconcile: apply, delete, report, events, caches.
//! - [`Error`] distinguishes transient errors from those that persist until someone changes
//!   something.
//! - [`Options`] are the command-line flags, and [`Identity`] the names of the operator.
#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests have real clocks and tasks of their own"
    )
)]

mod action;
mod adopt;
mod apply;
mod backoff;
mod breakage;
mod builder;
mod cache;
mod certificate;
mod children;
mod client;
mod clock;
pub mod conditions;
mod context;
mod controller;
mod duration;
mod error;
mod events;
mod finalizer;
mod health;
mod identity;
mod informer;
#[cfg(all(debug_assertions, not(test)))]
mod instances;
mod json;
mod key;
mod kinds;
pub mod labels;
mod leader;
mod manager;
mod memory;
mod metadata;
mod metrics;
#[cfg(any(test, feature = "testing"))]
mod named;
mod options;
mod orphaned;
mod own_writes;
mod remove;
mod reported;
mod scope;
mod sealed;
mod selector;
mod serve;
mod short;
mod shutdown;
#[cfg(any(test, feature = "testing"))]
pub mod simulation;
mod spawn;
mod status;
mod string_data;
mod synced;
mod telemetry;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tls;
mod trigger;
mod user_code;
mod watch;
#[cfg(feature = "webhook")]
pub mod webhook;

pub use k8s_openapi;
pub use kube;
pub use kube::runtime::events::EventType;
pub use kube::runtime::predicates;
pub use kube::runtime::reflector::ObjectRef;
pub use prometheus_client;

pub use action::{Action, Cleanup};
pub use backoff::Backoff;
pub use builder::ControllerBuilder;
pub use cache::{Index, Store};
pub use client::ConnectError;
pub use clock::now;
pub use context::Context;
pub use error::Error;
pub use identity::Identity;
pub use kinds::{Child, ChildKind, KnownKind, Reconciled, Watched};
pub use leader::{Flags as ElectionOptions, InvalidSettings, Lost, NotLeading};
pub use manager::{Manager, ManagerError, RunsOn};
pub use metrics::{BindAddress, EndpointError, MetricsOptions};
pub use options::{Options, WebhookOptions};
pub use scope::{ChildScope, Reach, WatchNamespaces};
pub use telemetry::TelemetryError;
pub use tls::install_crypto_provider;
pub use trigger::{Trigger, Triggered};
pub use watch::Watch;

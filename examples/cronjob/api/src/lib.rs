// Owned by rop: its commands rewrite this file, so make changes elsewhere [42768ce0d80f]
//! The API types of cronjob. They are a crate of their own, so that the CRDs are generated without
//! building the operator, and other programs can depend on it.

pub mod batch;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt as _;
use kube::core::crd::merge_crds;

/// The `CustomResourceDefinition` of every kind.
#[must_use]
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![batch_cron_job()]
}

/// The one of `CronJob`, with all its versions: objects are stored in `v1`.
fn batch_cron_job() -> CustomResourceDefinition {
    let versions = vec![batch::v1::CronJob::crd(), batch::v2::CronJob::crd()];
    merge_crds(versions, "v1").expect("versions of one kind")
}

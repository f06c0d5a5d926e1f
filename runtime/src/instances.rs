//! Instantiates the generic code to read, write, compare and print the Kubernetes kinds that
//! operators own, in this library. A debug build reuses such instances from its dependencies, which
//! halves the compile time of an operator and its tests.

use std::fmt::Debug;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job, JobTemplateSpec};
use k8s_openapi::api::core::v1::{
    ConfigMap, EnvVar, PersistentVolumeClaim, Pod, ResourceRequirements, Secret, Service,
    ServiceAccount, ServicePort,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Never called, but compiled.
#[used]
static INSTANCES: fn() = instances;

fn instances() {
    json::<ConfigMap>();
    json::<CronJob>();
    json::<DaemonSet>();
    json::<Deployment>();
    json::<Job>();
    json::<PersistentVolumeClaim>();
    json::<Pod>();
    json::<Secret>();
    json::<Service>();
    json::<ServiceAccount>();
    json::<StatefulSet>();

    part::<Condition>();
    part::<EnvVar>();
    part::<JobTemplateSpec>();
    part::<ResourceRequirements>();
    part::<ServicePort>();
}

fn json<T: Clone + Debug + DeserializeOwned + PartialEq + Serialize>() {
    let _ = serde_json::from_value::<T>(Value::Null);
    if let Ok(value) = serde_json::from_str::<T>("") {
        let _ = serde_json::to_value(&value);
        let _ = serde_json::to_vec(&value);
        let _ = format!("{value:?}");
        let _ = value.clone() == value;
    }
}

fn part<T: Clone + Debug + DeserializeOwned + PartialEq + Serialize>() {
    json::<Option<T>>();
    json::<Vec<T>>();
}

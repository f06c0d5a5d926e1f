//! Requests of tests to the API server, which are retried if it is not ready.

use std::fmt::Debug;
use std::time::Duration;

use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Resource, ResourceExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{TIMEOUT, running};

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// The messages of requests that the API server rejects now, and accepts some seconds later.
const TOO_EARLY: [&str; 4] = [
    // The operator has just started, and does not serve its webhooks yet.
    "failed calling webhook",
    "conversion webhook for",
    // A version that needs a conversion is not served yet either.
    "is (re)initializing",
    // Mutating policies do not know a new CRD yet.
    "There can be a delay",
];

/// Creates an object and returns its name.
///
/// # Errors
/// Fails if the API server rejects it.
///
/// # Panics
/// Panics if a process of the cluster exited.
pub async fn create<K>(api: &Api<K>, object: &K) -> kube::Result<String>
where
    K: Clone + Debug + DeserializeOwned + Resource + Serialize,
{
    let params = PostParams::default();
    let created = once_answered(async || api.create(&params, object).await).await?;
    Ok(created.name_any())
}

/// Asserts that the API server rejects an object as invalid.
///
/// # Panics
/// Panics if the API server accepts the object, or rejects it for another reason.
pub async fn create_invalid<K>(api: &Api<K>, object: &K)
where
    K: Clone + Debug + DeserializeOwned + Resource + Serialize,
{
    let params = PostParams::default();
    let created = once_answered(async || api.create(&params, object).await).await;
    let is_invalid = matches!(&created, Err(kube::Error::Api(answer)) if answer.is_invalid());
    assert!(is_invalid, "{created:?}");
}

/// Applies a merge patch to an object.
///
/// # Panics
/// Panics if the API server rejects it.
pub async fn edit<K>(api: &Api<K>, name: &str, patch: Value)
where
    K: Clone + Debug + DeserializeOwned,
{
    let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
    let result = once_answered(async || api.patch(name, &params, &patch).await).await;
    result.expect("an accepted patch");
}

/// Waits until a field of an object, given as a JSON pointer, has this value. A field or object
/// that does not exist is null.
///
/// # Panics
/// Panics after the [timeout](super::ClusterBuilder::timeout), with the end of the operator's log,
/// or if a process of the cluster exited.
pub async fn becomes<K>(api: &Api<K>, name: &str, field: &str, value: impl Into<Value>)
where
    K: Clone + Debug + DeserializeOwned + Serialize,
{
    let (value, deadline) = (value.into(), deadline());
    loop {
        let object = api
            .get_opt(name)
            .await
            .inspect_err(|_| drop(running()))
            .expect("an answer");
        let object = serde_json::to_value(object).expect("a serialisable object");
        let seen = object.pointer(field).unwrap_or(&Value::Null);
        if *seen == value {
            return;
        }
        let cluster = running();
        if Instant::now() > deadline {
            let log = cluster
                .map(|cluster| cluster.processes.log("operator"))
                .unwrap_or_default();
            panic!("{field} of {name} is {seen}, not {value}; the operator says:\n{log}");
        }
        sleep(PAUSE).await;
    }
}

/// Retries a request until the response is as expected, and returns it: policies take effect about
/// a second after they were applied. The request must not change anything until then, such as with
/// a dry run.
///
/// # Errors
/// Returns the expected response if it is an error.
///
/// # Panics
/// Panics if the response is not as expected before the timeout, or if a process of the cluster
/// exited.
pub async fn eventually<T: Debug>(
    request: impl AsyncFn() -> kube::Result<T>,
    is_expected: impl Fn(&kube::Result<T>) -> bool,
) -> kube::Result<T> {
    let deadline = deadline();
    loop {
        let answer = request().await;
        if is_expected(&answer) {
            return answer;
        }
        running();
        assert!(Instant::now() < deadline, "{answer:?}");
        sleep(PAUSE).await;
    }
}

/// Repeats a request until the server is ready for it.
async fn once_answered<T>(request: impl AsyncFn() -> kube::Result<T>) -> kube::Result<T> {
    let deadline = deadline();
    loop {
        match request().await {
            Err(kube::Error::Api(answer))
                if is_too_early(&answer.message) && Instant::now() < deadline =>
            {
                running();
                sleep(PAUSE).await;
            }
            answer => return answer,
        }
    }
}

pub(in crate::testing) fn is_too_early(message: &str) -> bool {
    TOO_EARLY.iter().any(|text| message.contains(text))
}

fn deadline() -> Instant {
    let timeout = running().map_or(TIMEOUT, |cluster| cluster.timeout);
    Instant::now() + timeout
}

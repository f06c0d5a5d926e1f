//! Makes the cluster what an `Instance` asks for. All input and output is here; what to write is
//! computed in `status`.

use std::sync::Arc;

use instance_operator_api::cloud::v1alpha1::Instance;

use kube::Resource;
use kube::runtime::controller::Action;

use super::status;
use crate::runtime::{Context, Error};

// +kubebuilder:rbac:groups=cloud.example.com,resources=instances,verbs=list;watch
// +kubebuilder:rbac:groups=cloud.example.com,resources=instances/status,verbs=patch

/// Brings one object to its desired state and reports in its status.
///
/// # Errors
/// A transient error is retried after a while; a terminal one is in the status by then.
pub async fn reconcile(object: Arc<Instance>, context: Arc<Context>) -> Result<Action, Error> {
    if object.meta().deletion_timestamp.is_some() {
        // What it owns is deleted with it.
        return Ok(Action::await_change());
    }
    let outcome = apply(&object, &context).await;
    report(&object, &context, outcome).await
}

/// Makes what the object asks for. There is nothing yet: the work goes here, with a rule like those
/// above for all that it touches.
async fn apply(_object: &Instance, _context: &Context) -> Result<(), Error> {
    Ok(())
}

/// Writes in the status how it went, but for what passes by itself.
async fn report(
    object: &Instance,
    context: &Context,
    outcome: Result<(), Error>,
) -> Result<Action, Error> {
    let outcome = match outcome {
        Err(error) if error.is_transient() => return Err(error),
        outcome => outcome,
    };
    let status = status::status(object, outcome.as_ref().err());
    context.apply_status(object, &status).await?;
    outcome.map(|()| Action::await_change())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::runtime::testing::FakeApi;

    fn object(object: Value) -> Instance {
        serde_json::from_value(object).expect("a valid object")
    }

    /// An API server that has one object.
    fn api() -> FakeApi {
        let api = FakeApi::default();
        let metadata = json!({ "name": "web", "namespace": "shop" });
        let spec = json!({
            "regionID": "eu-north", "zoneID": "eu-north-a", "vpcID": "vpc-1", "subnetID": "subnet-1",
        });
        api.put(&object(json!({ "metadata": metadata, "spec": spec })));
        api
    }

    /// The object as it is now.
    fn seen(api: &FakeApi) -> Instance {
        api.get("web").expect("the object")
    }

    /// Reconciles the object as it is now.
    async fn pass(api: &FakeApi, context: &Arc<Context>) -> Result<Action, Error> {
        reconcile(Arc::new(seen(api)), Arc::clone(context)).await
    }

    #[tokio::test]
    async fn the_status_says_what_was_seen() {
        let api = api();
        pass(&api, &api.context()).await.unwrap();
        let status = seen(&api).status.expect("a status");
        assert_eq!(status.observed_generation, Some(1));
    }

    #[tokio::test]
    async fn a_second_pass_writes_nothing() {
        let api = api();
        let context = api.context();
        pass(&api, &context).await.unwrap();
        assert!(!api.writes().is_empty());
        pass(&api, &context).await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    #[tokio::test]
    async fn a_conflict_passes_and_a_refusal_stays() {
        for (code, passes) in [(409, true), (500, true), (403, false)] {
            let api = api();
            api.refuse_next("PATCH", "/status", code);
            let error = pass(&api, &api.context()).await.unwrap_err();
            assert_eq!(error.is_transient(), passes, "{code}");
        }
    }

    #[tokio::test]
    async fn what_stays_wrong_is_reported_and_what_passes_is_not() {
        for (error, reason) in [
            (Error::terminal("Invalid", "no"), Some("Invalid")),
            (Error::transient("busy"), None),
        ] {
            let api = api();
            let reported = report(&seen(&api), &api.context(), Err(error)).await;
            assert!(reported.is_err());
            let status = seen(&api).status;
            let ready = status.as_ref().map(|status| &status.conditions[0]);
            let ready = ready.map(|ready| (&*ready.status, &*ready.reason));
            assert_eq!(ready, reason.map(|reason| ("False", reason)));
        }
    }

    #[tokio::test]
    async fn what_is_being_deleted_is_left_alone() {
        let api = api();
        let mut object = seen(&api);
        object.metadata.deletion_timestamp =
            serde_json::from_value(json!("2026-01-01T00:00:00Z")).ok();
        api.put(&object);
        pass(&api, &api.context()).await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }
}

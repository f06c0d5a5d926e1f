//! Reconciles a `Tenant` in addition to its main controller: sets the CPU limit of the plan in the quota in
//! which the main controller sets the pod limit.

use std::sync::Arc;
use std::time::Duration;

use tenant_operator_api::platform::v1::Tenant;

use k8s_openapi::api::core::v1::Namespace;
use rop_runtime::{Action, Context, Error};

use crate::State;
use crate::controller::tenant::resources;

// +kubebuilder:rbac:groups=platform.example.com,resources=tenants,verbs=list;watch
// +kubebuilder:rbac:groups=core,resources=namespaces,verbs=list;watch
// +kubebuilder:rbac:groups=core,resources=resourcequotas,verbs=get;list;watch;create;patch

/// How often to ask billing: it sends no events when a plan changes.
const POLL: Duration = Duration::from_secs(300);

/// Brings one object to its desired state. On an error, the runtime retries with backoff.
pub async fn reconcile(object: Arc<Tenant>, context: Context<State>) -> Result<Action, Error> {
    let object = &*object;
    let cpus = context.state.billing.cpus(&object.spec.account).await?;
    let namespaces = context.cached::<Namespace>()?;
    for environment in &object.spec.environments {
        // Once the namespace is created, its event triggers a reconcile.
        let namespace = resources::namespace_name(object, environment);
        if namespaces.get(None, &namespace).is_some() {
            let quota = resources::cpus(object, environment, cpus);
            context.apply(object, quota).await?;
        }
    }
    Ok(Action::requeue(POLL))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ResourceQuota;
    use rop_runtime::testing::FakeApi;

    use super::*;
    use crate::IDENTITY;
    use crate::controller::tenant::fixture::{fixture, secret};

    fn hard(api: &FakeApi<State>) -> Vec<(String, String)> {
        let quota: ResourceQuota = api.get("web-dev/tenant").unwrap();
        let hard = quota.spec.and_then(|spec| spec.hard).unwrap_or_default();
        hard.into_iter().map(|(of, most)| (of, most.0)).collect()
    }

    #[tokio::test]
    async fn two_controllers_set_one_quota() {
        let api = FakeApi::new(IDENTITY, State::for_tests(), crate::register);
        api.install::<Tenant>();
        api.put(&fixture());
        api.put(&secret());
        let (pods, cpus) = (("pods", "20"), ("requests.cpu", "4"));
        let expected = [pods, cpus].map(|(of, most)| (of.to_owned(), most.to_owned()));
        api.reconcile_by("plan", "web").await.unwrap();
        assert_eq!(api.get::<ResourceQuota>("web-dev/tenant"), None);
        api.reconcile_by("tenant", "web").await.unwrap();
        api.reconcile_by("plan", "web").await.unwrap();
        assert_eq!(hard(&api), expected);
        let _ = api.writes();
        for controller in ["tenant", "plan"] {
            api.reconcile_by(controller, "web").await.unwrap();
        }
        assert_eq!(api.writes(), [""; 0]);
        assert_eq!(hard(&api), expected);
    }
}

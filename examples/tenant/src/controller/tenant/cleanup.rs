//! Cleans up after a `Tenant`: a finalizer keeps it until [`cleanup`] is done.

use std::sync::Arc;

use tenant_operator_api::platform::v1::Tenant;

use kube::ResourceExt;
use rop_runtime::{Cleanup, Context, Error};

use crate::State;

// +kubebuilder:rbac:groups=platform.example.com,resources=tenants,verbs=patch

/// Runs while the object is being deleted, until it returns [`Cleanup::Done`]. It must be idempotent, and
/// cope with an object that was never reconciled.
///
/// Kubernetes garbage collects the namespaces. The account at billing is closed here.
pub async fn cleanup(object: Arc<Tenant>, context: Context<State>) -> Result<Cleanup, Error> {
    let (account, uid) = (&object.spec.account, object.uid().unwrap_or_default());
    context.state.billing.close(account, &uid).await?;
    Ok(Cleanup::Done)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{api, current, fixture};
    use super::*;

    #[tokio::test]
    async fn the_account_of_a_deleted_tenant_is_closed() {
        let api = api(&fixture());
        api.reconcile("web").await.unwrap();
        let context = api.context();
        let billing = &context.state.billing;
        billing.open("acme-17", "garden").await.unwrap_err();
        api.delete::<Tenant>("web");
        api.reconcile("web").await.unwrap();
        assert_eq!(current(&api), None);
        billing.open("acme-17", "garden").await.unwrap();
    }
}

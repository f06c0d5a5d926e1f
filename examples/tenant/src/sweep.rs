//! Closes the accounts of deleted tenants.
//!
//! A replica that lost the Lease cannot write to the API server, but it can still open an account for a tenant that the
//! new leader has already cleaned up.

use std::time::Duration;

use tenant_operator_api::platform::v1::Tenant;

use kube::api::ListParams;
use kube::{Api, ResourceExt};
use rop_runtime::{Context, Error};

use crate::State;

/// Sweeps every five minutes.
pub async fn sweep(context: Context<State>) -> Result<(), Error> {
    loop {
        tokio::select! {
            () = context.stopping() => return Ok(()),
            () = tokio::time::sleep(Duration::from_secs(300)) => {}
        }
        if let Err(error) = close_abandoned(&context).await {
            tracing::warn!(%error, "failed to close abandoned accounts");
        }
    }
}

/// Asks billing first, so that a tenant created in between is not in its response.
async fn close_abandoned(context: &Context<State>) -> Result<(), Error> {
    let billing = &context.state.billing;
    let accounts = billing.accounts().await?;
    let tenants = Api::<Tenant>::all(context.client.clone());
    let tenants = tenants.list(&ListParams::default()).await?;
    for (account, uid) in &accounts {
        if !tenants
            .iter()
            .any(|tenant| tenant.uid().as_ref() == Some(uid))
        {
            billing.close(account, uid).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rop_runtime::testing::FakeApi;

    use super::*;
    use crate::controller::tenant::fixture::fixture;
    use crate::{IDENTITY, register};

    #[tokio::test]
    async fn the_account_of_a_deleted_tenant_is_closed() {
        let api = FakeApi::new(IDENTITY, State::for_tests(), register);
        api.put(&fixture());
        let uid = api.get::<Tenant>("web").and_then(|tenant| tenant.uid());
        let context = api.context();
        let billing = &context.state.billing;
        billing.open("acme-17", &uid.unwrap()).await.unwrap();
        billing.open("acme-18", "gone").await.unwrap();
        close_abandoned(&context).await.unwrap();
        let accounts = billing.accounts().await.unwrap();
        assert_eq!(accounts.into_keys().collect::<Vec<_>>(), ["acme-17"]);
    }
}

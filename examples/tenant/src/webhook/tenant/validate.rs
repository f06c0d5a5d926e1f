//! Validation of a `Tenant`, in addition to its schema.
//!
//! For a rule about the object alone, prefer CEL in its types. CEL cannot read other objects.

use tenant_operator_api::platform::v1::Tenant;

use kube::ResourceExt;
use rop_runtime::{Error, Index, webhook};

use crate::State;

// Accounts are immutable, so updates need no validation, and work while no replica is running.
// +kubebuilder:webhook:path=/validate-platform-example-com-v1-tenant,mutating=false,failurePolicy=fail,matchPolicy=equivalent,sideEffects=none,timeoutSeconds=5,groups=platform.example.com,resources=tenants,verbs=create,versions=v1,name=vtenant-v1.kb.io

/// Indexes tenants by account.
const BY_ACCOUNT: Index<Tenant> = Index::new("account", |tenant| vec![tenant.spec.account.clone()]);

/// Returns the function for each operation. For `.delete(…)`, add `delete` to the `verbs` of the marker.
pub fn validator() -> webhook::Validator<Tenant, State> {
    webhook::Validator::new().create_async(create)
}

/// Rejects an account that already pays for another tenant. If two are created at once, billing decides.
async fn create(
    object: Tenant,
    request: webhook::Request<State>,
) -> Result<webhook::Review, Error> {
    let mut review = webhook::Review::new();
    let account = &object.spec.account;
    let tenants = request.cached::<Tenant>().await?;
    let mut same = tenants.by(&BY_ACCOUNT, account).into_iter();
    if same.any(|other| other.name_any() != object.name_any()) {
        review.duplicate("spec.account", account);
    }
    Ok(review)
}

#[cfg(test)]
mod tests {
    use rop_runtime::testing::{FakeApi, sample};

    use super::*;
    use crate::{IDENTITY, register};

    fn tenant(name: &str) -> Tenant {
        let yaml = include_str!("../../../config/samples/platform_v1_tenant.yaml");
        sample(yaml, name)
    }

    #[tokio::test]
    async fn no_account_pays_for_two_tenants() {
        let api = FakeApi::new(IDENTITY, State::for_tests(), register);
        api.put(&tenant("web"));
        let create = async |object| {
            let request = api.request(webhook::Operation::Create);
            create(object, request).await.unwrap().to_string()
        };
        let message = "spec.account: Duplicate value: \"acme-17\"";
        assert_eq!(create(tenant("other")).await, message);
        let mut other = tenant("other");
        other.spec.account = "acme-18".to_owned();
        assert_eq!(create(other).await, "");
    }
}

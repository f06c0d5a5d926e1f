//! Fixtures for the tests of this controller.

use tenant_operator_api::platform::v1::Tenant;

use k8s_openapi::api::core::v1::Secret;
use rop_runtime::testing::{FakeApi, from_yaml, sample};

use super::register;
use crate::{IDENTITY, State};

/// Returns the sample, named `web`. Add new required fields to the sample.
pub fn fixture() -> Tenant {
    sample(
        include_str!("../../../config/samples/platform_v1_tenant.yaml"),
        "web",
    )
}

/// Returns the image pull secret of the sample.
pub fn secret() -> Secret {
    from_yaml(include_str!("../../../config/samples/registry.yaml"))
}

/// Returns an in-memory API server with the object and the Secret, and the controller registered with it.
pub fn api(object: &Tenant) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<Tenant>();
    api.put(object);
    api.put(&secret());
    api
}

/// Returns the current object.
pub fn current(api: &FakeApi<State>) -> Option<Tenant> {
    api.get("web")
}

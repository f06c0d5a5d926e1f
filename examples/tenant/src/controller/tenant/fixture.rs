//! What the tests of this controller start from.

use tenant_operator_api::platform::v1::Tenant;

use k8s_openapi::api::core::v1::Secret;
use rop_runtime::testing::{FakeApi, from_yaml, sample};

use super::register;
use crate::{IDENTITY, State};

/// A valid object, named `web`: the sample. A new required field is added there.
pub fn fixture() -> Tenant {
    sample(
        include_str!("../../../config/samples/platform_v1_tenant.yaml"),
        "web",
    )
}

/// The Secret that it names.
pub fn secret() -> Secret {
    from_yaml(include_str!("../../../config/samples/registry.yaml"))
}

/// An API server in memory that has the object and the Secret, and the controller as it is registered.
pub fn api(object: &Tenant) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<Tenant>();
    api.put(object);
    api.put(&secret());
    api
}

/// The object as it is now.
pub fn current(api: &FakeApi<State>) -> Option<Tenant> {
    api.get("web")
}

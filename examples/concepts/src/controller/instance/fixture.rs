//! Fixtures for the tests of this controller.

use instance_operator_api::cloud::v1alpha1::Instance;

use rop_runtime::testing::{FakeApi, sample};

use super::register;
use crate::{IDENTITY, State};

/// Returns the sample, named `web`. Add new required fields to the sample.
pub fn fixture() -> Instance {
    sample(
        include_str!("../../../config/samples/cloud_v1alpha1_instance.yaml"),
        "web",
    )
}

/// Returns an in-memory API server with the object, and the controller registered with it.
pub fn api(object: &Instance) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<Instance>();
    api.put(object);
    api
}

/// Returns the current object.
pub fn current(api: &FakeApi<State>) -> Option<Instance> {
    api.get("web")
}

//! What the tests of this controller start from.

use instance_operator_api::cloud::v1alpha1::Instance;

use rop_runtime::testing::{FakeApi, sample};

use super::register;
use crate::{IDENTITY, State};

/// A valid object, named `web`: the sample. A new required field is added there.
pub fn fixture() -> Instance {
    sample(
        include_str!("../../../config/samples/cloud_v1alpha1_instance.yaml"),
        "web",
    )
}

/// An API server in memory that has the object, and the controller as it is registered.
pub fn api(object: &Instance) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<Instance>();
    api.put(object);
    api
}

/// The object as it is now.
pub fn current(api: &FakeApi<State>) -> Option<Instance> {
    api.get("web")
}

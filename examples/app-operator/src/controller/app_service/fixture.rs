//! Fixtures for the tests of this controller.

use app_operator_api::app::v1alpha1::AppService;

use rop_runtime::testing::{FakeApi, sample};

use super::register;
use crate::{IDENTITY, State};

/// Returns the sample, named `web`. Add new required fields to the sample.
pub fn fixture() -> AppService {
    sample(
        include_str!("../../../config/samples/app_v1alpha1_appservice.yaml"),
        "web",
    )
}

/// Returns an in-memory API server with the object, and the controller registered with it.
pub fn api(object: &AppService) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<AppService>();
    api.put(object);
    api
}

/// Returns the current object.
pub fn current(api: &FakeApi<State>) -> Option<AppService> {
    api.get("web")
}

//! Fixtures for the tests of this controller.

use my_operator_api::mycompany::v1::App;

use rop_runtime::testing::{FakeApi, sample};

use super::register;
use crate::{IDENTITY, State};

/// Returns the sample, named `web`. Add new required fields to the sample.
pub fn fixture() -> App {
    sample(
        include_str!("../../../config/samples/mycompany_v1_app.yaml"),
        "web",
    )
}

/// Returns an in-memory API server with the object, and the controller registered with it.
pub fn api(object: &App) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<App>();
    api.put(object);
    api
}

/// Returns the current object.
pub fn current(api: &FakeApi<State>) -> Option<App> {
    api.get("web")
}

//! What the tests of this controller start from.

use my_operator_api::mycompany::v1::App;

use rop_runtime::testing::{FakeApi, sample};

use super::register;
use crate::{IDENTITY, State};

/// A valid object, named `web`: the sample. A new required field is added there.
pub fn fixture() -> App {
    sample(
        include_str!("../../../config/samples/mycompany_v1_app.yaml"),
        "web",
    )
}

/// An API server in memory that has the object, and the controller as it is registered.
pub fn api(object: &App) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<App>();
    api.put(object);
    api
}

/// The object as it is now.
pub fn current(api: &FakeApi<State>) -> Option<App> {
    api.get("web")
}

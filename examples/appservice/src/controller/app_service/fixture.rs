// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! What the tests of this controller start from.

use app_operator_api::app::v1::AppService;

use rop_runtime::testing::{FakeApi, sample};

use super::register;
use crate::{IDENTITY, State};

/// A valid object, named `web`: the sample. A new required field is added there.
pub fn fixture() -> AppService {
    sample(
        include_str!("../../../config/samples/app_v1_appservice.yaml"),
        "web",
    )
}

/// An API server in memory that has the object, and the controller as it is registered.
pub fn api(object: &AppService) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<AppService>();
    api.put(object);
    api
}

/// The object as it is now.
pub fn current(api: &FakeApi<State>) -> Option<AppService> {
    api.get("web")
}

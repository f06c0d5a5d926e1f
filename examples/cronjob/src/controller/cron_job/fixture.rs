//! Fixtures for the tests of this controller.

use cronjob_api::batch::v1::CronJob;

use rop_runtime::testing::{FakeApi, sample};

use super::register;
use crate::{IDENTITY, State};

/// Returns the sample, named `web`. Add new required fields to the sample.
pub fn fixture() -> CronJob {
    sample(
        include_str!("../../../config/samples/batch_v1_cronjob.yaml"),
        "web",
    )
}

/// Returns an in-memory API server with the object, and the controller registered with it.
pub fn api(object: &CronJob) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<CronJob>();
    api.put(object);
    api
}

/// Returns the current object.
pub fn current(api: &FakeApi<State>) -> Option<CronJob> {
    api.get("web")
}

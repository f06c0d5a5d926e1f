//! What the tests of this controller start from.

use cronjob_api::batch::v1::CronJob;

use rop_runtime::testing::{FakeApi, sample};

use super::register;
use crate::{IDENTITY, State};

/// A valid object, named `web`: the sample. A new required field is added there.
pub fn fixture() -> CronJob {
    sample(
        include_str!("../../../config/samples/batch_v1_cronjob.yaml"),
        "web",
    )
}

/// An API server in memory that has the object, and the controller as it is registered.
pub fn api(object: &CronJob) -> FakeApi<State> {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<CronJob>();
    api.put(object);
    api
}

/// The object as it is now.
pub fn current(api: &FakeApi<State>) -> Option<CronJob> {
    api.get("web")
}

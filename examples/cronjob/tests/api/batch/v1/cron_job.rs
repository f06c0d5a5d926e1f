//! The rules of a `CronJob`.

use cronjob_api::batch::v1::CronJob;

use rop_runtime::testing::{check, sample};

/// A valid object, named `web`: the sample. A new required field is added there.
fn fixture() -> CronJob {
    sample(
        include_str!("../../../../config/samples/batch_v1_cronjob.yaml"),
        "web",
    )
}

#[test]
fn the_sample_is_valid() {
    check(&fixture(), None).unwrap();
}

#[test]
fn a_job_can_add_its_time_to_the_name() {
    let mut object = fixture();
    object.metadata.name = Some("n".repeat(52));
    check(&object, None).unwrap();
    object.metadata.name = Some("n".repeat(53));
    check(&object, None).unwrap_err();
}

//! Validation rules of a `CronJob`.

use cronjob_api::batch::v1::CronJob;

use rop_runtime::testing::{check, sample};

/// Returns the sample, named `web`. Add new required fields to the sample.
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
fn the_length_of_the_name_is_limited() {
    let mut object = fixture();
    object.metadata.name = Some("n".repeat(52));
    check(&object, None).unwrap();
    object.metadata.name = Some("n".repeat(53));
    check(&object, None).unwrap_err();
}

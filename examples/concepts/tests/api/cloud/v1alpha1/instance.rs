//! Validation rules of an `Instance`.

use instance_operator_api::cloud::v1alpha1::Instance;

use rop_runtime::testing::{check, sample};

/// Returns the sample, named `web`. Add new required fields to the sample.
fn fixture() -> Instance {
    sample(
        include_str!("../../../../config/samples/cloud_v1alpha1_instance.yaml"),
        "web",
    )
}

#[test]
fn the_sample_is_valid() {
    check(&fixture(), None).unwrap();
}

#[test]
fn the_zone_must_be_in_the_region() {
    let check = |zone: &str| {
        let mut object = fixture();
        object.spec.zone_id = zone.to_owned();
        check(&object, None)
    };
    check("eu-north-a").expect("a zone of the region");
    check("eu-south-a").expect_err("a zone of another region");
}

//! Validation rules of a `Tenant`.

use tenant_operator_api::platform::v1::Tenant;

use rop_runtime::testing::{check, sample};

/// Returns the sample, named `web`. Add new required fields to the sample.
fn fixture() -> Tenant {
    sample(
        include_str!("../../../../config/samples/platform_v1_tenant.yaml"),
        "web",
    )
}

#[test]
fn the_sample_is_valid() {
    check(&fixture(), None).unwrap();
}

#[test]
fn invalid_names_are_rejected() {
    let mut object = fixture();
    for name in ["a.b", "1st", "web-", &"n".repeat(43)] {
        object.metadata.name = Some(name.to_owned());
        check(&object, None).expect_err(name);
    }
}

#[test]
fn the_account_is_immutable() {
    let mut object = fixture();
    object.spec.account = "acme-18".to_owned();
    check(&object, Some(&fixture())).unwrap_err();
}

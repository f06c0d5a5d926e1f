//! The rules of a `Tenant`.

use tenant_operator_api::platform::v1::Tenant;

use rop_runtime::testing::{check, sample};

/// A valid object, named `web`: the sample. A new required field is added there.
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
fn a_namespace_can_begin_with_the_name() {
    let mut object = fixture();
    for name in ["a.b", "1st", "web-", &"n".repeat(43)] {
        object.metadata.name = Some(name.to_owned());
        check(&object, None).expect_err(name);
    }
}

#[test]
fn the_account_cannot_be_changed() {
    let mut object = fixture();
    object.spec.account = "acme-18".to_owned();
    check(&object, Some(&fixture())).unwrap_err();
}

// Owned by rop: its commands rewrite this file, so make changes elsewhere [a0c8a5c1972b]
//! The committed CRDs match the types, and an API server accepts them.

use my_operator_api::crds;

use rop_runtime::testing::{assert_crds_match, assert_structural};

#[test]
fn committed_crds_match_the_types() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/config/crd/bases");
    assert_crds_match(&crds(), folder);
}

#[test]
fn schemas_are_structural() {
    assert_structural(&crds());
}

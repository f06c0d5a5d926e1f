// SPDX-FileCopyrightText: developer
// SPDX-License-Identifier: Apache-2.0

//! Validation rules of an `AppService`.

use app_operator_api::app::v1::AppService;

use rop_runtime::testing::{check, sample};

/// Returns the sample, named `web`. Add new required fields to the sample.
fn fixture() -> AppService {
    sample(
        include_str!("../../../../config/samples/app_v1_appservice.yaml"),
        "web",
    )
}

#[test]
fn the_sample_is_valid() {
    check(&fixture(), None).unwrap();
}

#[test]
fn invalid_names_are_rejected() {
    let check = |name: &str| {
        let mut object = fixture();
        object.metadata.name = Some(name.to_owned());
        check(&object, None)
    };
    for name in ["web", "web-2"] {
        check(name).expect(name);
    }
    for name in ["2nd-web", "web.shop", "Web", "web-", &"x".repeat(64)] {
        check(name).expect_err(name);
    }
}

//! `CronJob` loses nothing between `v1` and `v2`.

use cronjob_api::crds;

use cronjob_api::batch::{v1, v2};

use rop_runtime::testing::RoundTrip;

type Hub = v1::CronJob;
type Spoke = v2::CronJob;

/// A field that one version has no place for is kept in an annotation of the other, and is named here.
#[test]
fn nothing_is_lost() {
    RoundTrip::<Hub, Spoke>::new(&crds())
        .only_in_hub(&["spec.schedule"])
        .only_in_spoke(&[])
        .check();
}

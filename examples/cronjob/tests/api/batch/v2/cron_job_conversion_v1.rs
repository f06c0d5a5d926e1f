//! `CronJob` converts between `v1` and `v2` without loss.

use cronjob_api::crds;

use cronjob_api::batch::{v1, v2};

use rop_runtime::testing::RoundTrip;

type Hub = v1::CronJob;
type Spoke = v2::CronJob;

/// List the fields that only one version has here: the other version keeps them in an annotation.
#[test]
fn nothing_is_lost() {
    RoundTrip::<Hub, Spoke>::new(&crds())
        .only_in_hub(&["spec.schedule"])
        .only_in_spoke(&[])
        .check();
}

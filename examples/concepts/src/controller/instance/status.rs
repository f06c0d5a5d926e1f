//! The status of an `Instance`. Pure but for the time of a condition's transition.

use instance_operator_api::cloud::v1alpha1::{Instance, InstanceStatus};

use crate::runtime::Error;
use crate::runtime::conditions::{self, READY};

/// The status after a reconcile that succeeded, or failed for good.
#[must_use]
pub fn status(object: &Instance, error: Option<&Error>) -> InstanceStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    status.observed_generation = generation;
    let (reason, message) = match error {
        None => ("Reconciled", "all is as the spec asks".to_owned()),
        Some(error) => (error.reason(), error.to_string()),
    };
    conditions::set(
        &mut status.conditions,
        generation,
        READY,
        error.is_none(),
        reason,
        message,
    );
    status
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object() -> Instance {
        let spec = json!({
            "regionID": "eu-north", "zoneID": "eu-north-a", "vpcID": "vpc-1", "subnetID": "subnet-1",
        });
        let object = json!({ "metadata": { "name": "one", "generation": 2 }, "spec": spec });
        serde_json::from_value(object).expect("a valid object")
    }

    #[test]
    fn ready_for_the_generation_that_was_seen() {
        let status = status(&object(), None);
        assert_eq!(status.observed_generation, Some(2));
        let [ready] = &*status.conditions else {
            panic!("one condition, not {:?}", status.conditions)
        };
        assert_eq!(
            (&*ready.type_, &*ready.status, ready.observed_generation),
            ("Ready", "True", Some(2))
        );
    }

    #[test]
    fn an_error_says_why_not() {
        let status = status(&object(), Some(&Error::terminal("Invalid", "no")));
        let ready = &status.conditions[0];
        assert_eq!(
            (&*ready.status, &*ready.reason, &*ready.message),
            ("False", "Invalid", "no")
        );
    }

    #[test]
    fn the_same_object_gives_the_same_status() {
        let mut object = object();
        object.status = Some(status(&object, None));
        assert_eq!(object.status, Some(status(&object, None)));
    }
}

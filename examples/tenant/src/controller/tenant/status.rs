//! Computes the status of a `Tenant` from the object or from an error.

use tenant_operator_api::platform::v1::{Tenant, TenantStatus};

use rop_runtime::Error;
use rop_runtime::conditions::{Conditions, READY};

/// Returns the status after a successful reconcile.
#[must_use]
pub fn of(object: &Tenant) -> TenantStatus {
    report(object, true, "Reconciled", "the object matches its spec")
}

/// Returns the status after a terminal error, or a transient error that persists over several retries.
#[must_use]
pub fn failed(object: &Tenant, error: &Error) -> TenantStatus {
    report(object, false, error.reason(), &error.to_string())
}

/// Returns the last status with an updated condition.
fn report(object: &Tenant, ready: bool, reason: &str, message: &str) -> TenantStatus {
    let generation = object.metadata.generation;
    let mut status = object.status.clone().unwrap_or_default();
    let mut conditions = Conditions::of(&status.conditions, generation);
    conditions.set(READY, ready, reason, message);
    status.observed_generation = generation;
    status.conditions = conditions.into();
    status
}

#[cfg(test)]
mod tests {
    use super::super::fixture::fixture;
    use super::*;

    #[test]
    fn ready_for_the_observed_generation() {
        let mut object = fixture();
        object.metadata.generation = Some(2);
        let status = of(&object);
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
    fn an_error_is_reported() {
        let status = failed(&fixture(), &Error::terminal("Invalid", "no"));
        let ready = &status.conditions[0];
        assert_eq!(
            (&*ready.status, &*ready.reason, &*ready.message),
            ("False", "Invalid", "no")
        );
    }

    #[test]
    fn the_status_is_stable() {
        let mut object = fixture();
        object.status = Some(of(&object));
        assert_eq!(object.status, Some(of(&object)));
    }
}

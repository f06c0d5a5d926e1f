//! The conditions of a status: one of each type, with the time of its last transition kept.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;

/// The type of the condition that says whether an object is as its spec asks.
pub const READY: &str = "Ready";

/// The type of the condition that says whether something is still under way.
pub const PROGRESSING: &str = "Progressing";

/// The type of the condition that says whether something is wrong that does not pass by itself.
pub const DEGRADED: &str = "Degraded";

/// Sets a condition, known as `type_`, to true or false. Only a change of that moves its
/// `lastTransitionTime`, so that setting the same again changes nothing.
///
/// `reason` is one word in CamelCase for programs, `message` is for people.
pub fn set(
    conditions: &mut Vec<Condition>,
    observed_generation: Option<i64>,
    type_: &str,
    status: bool,
    reason: &str,
    message: impl Into<String>,
) {
    let status = if status { "True" } else { "False" };
    let known = conditions
        .iter_mut()
        .find(|condition| condition.type_ == type_);
    let unchanged = known
        .as_ref()
        .filter(|condition| condition.status == status);
    let condition = Condition {
        last_transition_time: unchanged.map_or_else(
            || Time(Timestamp::now()),
            |condition| condition.last_transition_time.clone(),
        ),
        message: message.into(),
        observed_generation,
        reason: reason.to_owned(),
        status: status.to_owned(),
        type_: type_.to_owned(),
    };
    match known {
        Some(known) => *known = condition,
        None => conditions.push(condition),
    }
}

#[cfg(test)]
mod tests {
    use super::{PROGRESSING, READY, Time, Timestamp, set};

    #[test]
    fn the_time_moves_with_the_status_alone() {
        let mut conditions = Vec::new();
        set(&mut conditions, Some(1), READY, false, "Waiting", "not yet");
        let past = Time(Timestamp::UNIX_EPOCH);
        conditions[0].last_transition_time = past.clone();

        set(
            &mut conditions,
            Some(2),
            READY,
            false,
            "Waiting",
            "still not",
        );
        assert_eq!(conditions[0].last_transition_time, past);
        assert_eq!(conditions[0].message, "still not");
        assert_eq!(conditions[0].observed_generation, Some(2));

        set(&mut conditions, Some(2), READY, true, "Done", "");
        assert_ne!(conditions[0].last_transition_time, past);
    }

    #[test]
    fn there_is_one_of_each_type() {
        let mut conditions = Vec::new();
        set(&mut conditions, None, READY, true, "A", "");
        set(&mut conditions, None, PROGRESSING, true, "A", "");
        set(&mut conditions, None, READY, false, "B", "");
        let types: Vec<_> = conditions
            .iter()
            .map(|condition| &*condition.type_)
            .collect();
        assert_eq!(types, [READY, PROGRESSING]);
    }
}

//! Conditions of a status: one of each type, which keep the time of their last transition.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::breakage::{Breakage, broken};
use crate::clock;

/// The type of the condition for whether the object matches its spec.
///
/// ```
/// assert_eq!(rop_runtime::conditions::READY, "Ready");
/// ```
pub const READY: &str = "Ready";

/// The type of the condition for whether a change is in progress.
///
/// ```
/// assert_eq!(rop_runtime::conditions::PROGRESSING, "Progressing");
/// ```
pub const PROGRESSING: &str = "Progressing";

/// The type of the condition for whether there is a problem that does not resolve itself.
///
/// ```
/// assert_eq!(rop_runtime::conditions::DEGRADED, "Degraded");
/// ```
pub const DEGRADED: &str = "Degraded";

/// The conditions set by a controller. Conditions of other field managers in the same list are not
/// applied, and so are left unchanged.
///
/// ```
/// use rop_runtime::conditions::{Conditions, READY};
///
/// let mut conditions = Conditions::of(&[], Some(1));
/// conditions.set(READY, true, "Reconciled", "all children match the spec");
/// let list: Vec<_> = conditions.into();
/// assert_eq!(list[0].status, "True");
/// ```
#[derive(Clone, Debug)]
pub struct Conditions<'a> {
    previous: &'a [Condition],
    generation: Option<i64>,
    list: Vec<Condition>,
}

impl<'a> Conditions<'a> {
    /// Creates an empty list of conditions for a status of this generation. `previous` are the
    /// current conditions of the object: a condition whose status does not change keeps its
    /// `lastTransitionTime`.
    ///
    /// ```
    /// use rop_runtime::conditions::{Conditions, READY};
    ///
    /// let mut before = Conditions::of(&[], Some(1));
    /// before.set(READY, true, "Reconciled", "all is well");
    /// let before: Vec<_> = before.into();
    ///
    /// // The generation has changed, but not the condition: it keeps its transition time.
    /// let mut now = Conditions::of(&before, Some(2));
    /// now.set(READY, true, "Reconciled", "all is well");
    /// let now: Vec<_> = now.into();
    /// assert_eq!(now[0].last_transition_time, before[0].last_transition_time);
    /// assert_eq!(now[0].observed_generation, Some(2));
    /// ```
    #[must_use]
    pub fn of(previous: &'a [Condition], generation: Option<i64>) -> Self {
        Self {
            previous,
            generation,
            list: Vec::new(),
        }
    }

    /// Sets a condition to true or false. `reason` is a CamelCase identifier, `message` a
    /// human-readable text. A second call for the same type replaces the first.
    pub fn set(&mut self, type_: &str, holds: bool, reason: &str, message: impl Into<String>) {
        let status = if holds { "True" } else { "False" };
        let mut previous = self.previous.iter();
        let unchanged = previous.find(|known| {
            known.type_ == type_ && known.status == status && !broken(Breakage::RestlessCondition)
        });
        let condition = Condition {
            last_transition_time: unchanged.map_or_else(
                || Time(clock::now()),
                |known| known.last_transition_time.clone(),
            ),
            message: message.into(),
            observed_generation: self.generation,
            reason: reason.to_owned(),
            status: status.to_owned(),
            type_: type_.to_owned(),
        };
        self.list.retain(|known| known.type_ != type_);
        self.list.push(condition);
    }
}

impl From<Conditions<'_>> for Vec<Condition> {
    fn from(conditions: Conditions<'_>) -> Self {
        conditions.list
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::jiff::Timestamp;

    use super::*;

    fn conditions(
        previous: &[Condition],
        generation: i64,
        holds: bool,
        message: &str,
    ) -> Vec<Condition> {
        let mut conditions = Conditions::of(previous, Some(generation));
        conditions.set(READY, holds, "Because", message);
        conditions.into()
    }

    #[test]
    fn the_time_moves_with_the_status_alone() {
        let mut before = conditions(&[], 1, false, "not yet");
        let past = Time(Timestamp::UNIX_EPOCH);
        before[0].last_transition_time = past.clone();

        let same = conditions(&before, 2, false, "still not");
        assert_eq!(same[0].last_transition_time, past);
        assert_eq!(same[0].message, "still not");
        assert_eq!(same[0].observed_generation, Some(2));
        let other = conditions(&before, 2, true, "");
        assert_ne!(other[0].last_transition_time, past);
    }

    #[test]
    fn there_is_one_of_each_type_and_none_of_others() {
        let mut foreign = conditions(&[], 1, true, "");
        foreign[0].type_ = "Audited".to_owned();
        let mut conditions = Conditions::of(&foreign, None);
        conditions.set(READY, true, "A", "");
        conditions.set(PROGRESSING, true, "A", "");
        conditions.set(READY, false, "B", "");
        let list: Vec<Condition> = conditions.into();
        let types: Vec<_> = list.iter().map(|condition| &*condition.type_).collect();
        assert_eq!(types, [PROGRESSING, READY]);
    }
}

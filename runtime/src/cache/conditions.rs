//! The conditions of the cached objects, which the metrics count.

use std::borrow::Cow;
use std::collections::HashMap;

use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;

use crate::key::Key;

/// Maximum number of condition types that are counted: other clients write statuses too, and each type is a label value.
const MAX_TYPES: usize = 32;

/// Maximum length of a condition type, as in the schema of Kubernetes' conditions.
const MAX_LENGTH: usize = 316;

/// The status of a condition.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Status {
    True,
    False,
    Unknown,
}

impl Status {
    const ALL: [Self; 3] = [Self::True, Self::False, Self::Unknown];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<&str> for Status {
    fn from(text: &str) -> Self {
        match text {
            "True" => Self::True,
            "False" => Self::False,
            _ => Self::Unknown,
        }
    }
}

/// The objects that have a condition with the same status.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ConditionCount {
    pub(crate) type_: String,
    pub(crate) status: Status,
    pub(crate) objects: usize,
    /// The earliest of their last transitions, in seconds since 1970.
    pub(crate) since: Option<i64>,
}

/// The conditions of objects.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    types: Vec<String>,
    objects: HashMap<Key, Vec<Seen>>,
}

/// A condition of an object.
#[derive(Debug)]
struct Seen {
    /// The position in the list of types.
    type_: usize,
    status: Status,
    since: Option<i64>,
}

/// The part of an object that is read.
#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow, default)]
    status: Option<ObjectStatus<'a>>,
}

#[derive(Deserialize)]
struct ObjectStatus<'a> {
    #[serde(borrow, default)]
    conditions: Option<Vec<Condition<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Condition<'a> {
    #[serde(borrow, rename = "type")]
    type_: Cow<'a, str>,
    #[serde(borrow)]
    status: Cow<'a, str>,
    #[serde(borrow, default)]
    last_transition_time: Option<Cow<'a, str>>,
}

impl Conditions {
    /// Replaces the conditions of an object by those in its JSON. An object whose status has another form has none.
    pub(super) fn insert(&mut self, key: Key, json: &str) {
        let object: Option<Object<'_>> = serde_json::from_str(json).ok();
        let status = object.and_then(|object| object.status);
        let conditions = status.and_then(|status| status.conditions);
        let mut seen: Vec<Seen> = Vec::new();
        for condition in conditions.into_iter().flatten() {
            let Some(type_) = self.type_of(&condition.type_) else {
                continue;
            };
            if seen.iter().any(|known| known.type_ == type_) {
                continue;
            }
            let since = condition
                .last_transition_time
                .and_then(|time| time.parse::<Timestamp>().ok());
            seen.push(Seen {
                type_,
                status: Status::from(&*condition.status),
                since: since.map(Timestamp::as_second),
            });
        }
        if seen.is_empty() {
            self.objects.remove(&key);
        } else {
            self.objects.insert(key, seen);
        }
    }

    pub(super) fn remove(&mut self, key: &Key) {
        self.objects.remove(key);
    }

    /// Counts the objects of every type and status, also if there are none.
    pub(super) fn count(&self) -> Vec<ConditionCount> {
        let types = self.types.iter();
        let mut counts: Vec<_> = types
            .flat_map(|type_| {
                Status::ALL.map(|status| ConditionCount {
                    type_: type_.clone(),
                    status,
                    objects: 0,
                    since: None,
                })
            })
            .collect();
        for seen in self.objects.values().flatten() {
            let count = &mut counts[seen.type_ * Status::ALL.len() + seen.status as usize];
            count.objects += 1;
            count.since = count.since.into_iter().chain(seen.since).min();
        }
        counts
    }

    /// The position of a type in the list, which gets it if there is room.
    fn type_of(&mut self, name: &str) -> Option<usize> {
        let known = self.types.iter().position(|known| known == name);
        if known.is_some() || self.types.len() == MAX_TYPES || name.len() > MAX_LENGTH {
            return known;
        }
        self.types.push(name.to_owned());
        Some(self.types.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn key(name: &str) -> Key {
        Key::new(Some("shop"), name)
    }

    fn object(conditions: &Value) -> String {
        json!({ "spec": {}, "status": { "conditions": conditions } }).to_string()
    }

    fn of(conditions: &Conditions, type_: &str, status: Status) -> (usize, Option<i64>) {
        let counts = conditions.count();
        let count = counts
            .iter()
            .find(|count| count.type_ == type_ && count.status == status)
            .expect("a count");
        (count.objects, count.since)
    }

    #[test]
    fn objects_are_counted_by_type_and_status() {
        let mut conditions = Conditions::default();
        let ready = |status: &str, time: &str| {
            object(&json!([
                { "type": "Ready", "status": status, "lastTransitionTime": time },
                { "type": "Ready", "status": "True" },
                { "type": "Synced", "status": "odd" },
            ]))
        };
        conditions.insert(key("a"), &ready("False", "1970-01-01T00:01:40Z"));
        conditions.insert(key("b"), &ready("False", "1970-01-01T00:01:10Z"));
        conditions.insert(key("c"), &ready("True", "soon"));
        assert_eq!(of(&conditions, "Ready", Status::False), (2, Some(70)));
        assert_eq!(of(&conditions, "Ready", Status::True), (1, None));
        assert_eq!(of(&conditions, "Synced", Status::Unknown), (3, None));

        conditions.insert(key("b"), &ready("True", "1970-01-01T00:02:00Z"));
        conditions.remove(&key("a"));
        assert_eq!(of(&conditions, "Ready", Status::False), (0, None));
        assert_eq!(of(&conditions, "Ready", Status::True), (2, Some(120)));
    }

    #[test]
    fn a_status_of_another_form_has_none() {
        let mut conditions = Conditions::default();
        let deep = format!("{{\"spec\":{}{}}}", "[".repeat(500), "]".repeat(500));
        for json in [
            "{}",
            "null",
            r#"{"status":"fine"}"#,
            r#"{"status":{"conditions":"fine"}}"#,
            r#"{"status":{"conditions":[{"type":"Ready"}]}}"#,
            r#"{"status":{"conditions":null}}"#,
            &deep,
        ] {
            conditions.insert(key("a"), json);
        }
        assert_eq!(conditions.count(), []);
    }

    #[test]
    fn types_are_bounded() {
        let mut conditions = Conditions::default();
        for number in 0..MAX_TYPES * 2 {
            let type_ = format!("Type{number}");
            let long = "x".repeat(MAX_LENGTH + 1);
            let list = json!([
                { "type": long, "status": "True" },
                { "type": type_, "status": "True" },
            ]);
            conditions.insert(key(&type_), &object(&list));
        }
        assert_eq!(conditions.count().len(), MAX_TYPES * Status::ALL.len());
        assert_eq!(of(&conditions, "Type0", Status::True), (1, None));
    }
}

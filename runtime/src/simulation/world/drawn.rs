//! Random values, such as the password in a Secret.

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::ByteString;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::World;
use crate::simulation::process::Process;
use crate::simulation::references::texts;
use crate::simulation::target::{Target, text};

/// Random values: the resource of the object, and the path of the field.
pub(in crate::simulation) type Drawn = BTreeSet<(String, String)>;

/// A certificate is generated again, but much later.
const SOON: Duration = Duration::from_secs(10);

/// A shorter text is part of many values by chance.
const SHORT: usize = 8;

/// The random values that an object has had.
#[derive(Default)]
pub(super) struct Draws {
    last: Option<Instant>,
    values: BTreeSet<String>,
}

impl World {
    /// Records a write of another client: a value with a random part can depend on what it wrote.
    pub(super) fn given_by_others(&self) {
        self.state().last_given = Some(Instant::now());
    }

    /// Checks that a replica does not replace a random value in a Secret right after it was generated, unless another
    /// client wrote something: most likely it has not read the first value. A copy of another value follows it.
    pub(super) fn check_drawn(
        &self,
        process: &Process,
        target: &Target,
        before: Option<&Value>,
        after: &Value,
    ) {
        let is_secret = target.version == "v1" && target.plural == "secrets";
        if !is_secret || self.0.drawn.is_empty() {
            return;
        }
        let resource = target.group_resource();
        let is_drawn = |key: &str| {
            let field = (resource.clone(), format!("data.{key}"));
            self.0.drawn.contains(&field)
        };
        let uid = text(after, "uid");
        let before = before.filter(|before| text(before, "uid") == uid);
        let data = after["data"].as_object().into_iter().flatten();
        let drawn = data.filter_map(|(key, value)| Some((key, value.as_str()?)));
        let drawn: Vec<_> = drawn.filter(|(key, _)| is_drawn(key)).collect();
        let is_replaced = |(key, value): &&(&String, &str)| {
            let first = before.and_then(|before| before["data"][*key].as_str());
            first.is_some_and(|first| first != *value)
        };
        let replaced: Vec<_> = drawn.iter().filter(is_replaced).collect();
        if before.is_some() && replaced.is_empty() {
            return;
        }
        let mut state = self.state();
        let given = state.last_given;
        let draws = state.draws.entry(uid.to_owned()).or_default();
        let last = draws.last.replace(Instant::now());
        let mut new = replaced;
        new.retain(|(_, value)| !draws.values.contains(*value));
        let values = drawn.iter().map(|(_, value)| (*value).to_owned());
        draws.values.extend(values);
        drop(state);
        let is_soon = |last: &Instant| last.elapsed() < SOON;
        let Some(last) = last.filter(is_soon) else {
            return;
        };
        if given.is_some_and(|given| given >= last) {
            return;
        }
        if let Some((key, _)) = new.iter().find(|(_, value)| !self.is_copy(value, uid)) {
            let message = format!(
                "{} replaced the random value `{key}` of {target} {:.1?} after it was generated: a client that has \
                 already read the first value has an outdated one",
                process.name(),
                last.elapsed(),
            );
            self.broken(
                "a random value is generated once",
                Some(&target.name),
                message,
            );
        }
    }

    /// Whether a value of a Secret is a text of another object, or contains what another Secret has.
    fn is_copy(&self, value: &str, uid: &str) -> bool {
        let decoded = decoded(value);
        let mut all = self.server().all_objects().into_iter();
        all.any(|object| {
            let is_secret = object["kind"] == "Secret";
            let data = object["data"].as_object().filter(|_| is_secret);
            let mut secrets = data.into_iter().flat_map(Map::values);
            let is_other = text(&object, "uid") != uid;
            is_other
                && (texts(&object).contains(&&*decoded)
                    || secrets.any(|value| {
                        value
                            .as_str()
                            .is_some_and(|it| is_part(&self::decoded(it), &decoded))
                    }))
        })
    }
}

/// Whether a text is part of another one, and not by chance.
pub(in crate::simulation) fn is_part(part: &str, whole: &str) -> bool {
    part.len() >= SHORT && whole.contains(part)
}

/// What a Secret holds: text, or Base64 if it is none.
pub(in crate::simulation) fn decoded(value: &str) -> String {
    let bytes = serde_json::from_value(value.into()).map(|ByteString(bytes)| bytes);
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| value.to_owned())
}

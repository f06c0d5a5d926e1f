//! Random values, such as the password in a Secret.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::World;
use crate::simulation::process::Process;
use crate::simulation::target::{Target, text};

/// Random values: the resource of the object, and the path of the field.
pub(in crate::simulation) type Drawn = BTreeSet<(String, String)>;

/// A certificate is generated again, but much later.
const SOON: Duration = Duration::from_secs(10);

impl World {
    /// Records a write of another client: a value with a random part can depend on what it wrote.
    pub(super) fn given_by_others(&self) {
        self.state().last_given = Some(Instant::now());
    }

    /// Checks that a replica does not replace a random value in a Secret right after it was generated, unless another
    /// client wrote something: most likely it has not read the first value.
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
        let uid = text(after, "uid");
        let before = before.filter(|before| text(before, "uid") == uid);
        let data = after["data"].as_object().into_iter().flatten();
        let mut replaced = data.filter_map(|(key, value)| {
            let first = before.map(|before| &before["data"][key]);
            let is_replaced = first.is_some_and(|first| first.is_string() && first != value);
            let is_drawn = || {
                self.0
                    .drawn
                    .contains(&(resource.clone(), format!("data.{key}")))
            };
            (is_replaced && is_drawn()).then_some(key)
        });
        let replaced = replaced.next();
        if before.is_some() && replaced.is_none() {
            return;
        }
        let now = Instant::now();
        let mut state = self.state();
        let last = state.draws.insert(uid.to_owned(), now);
        let given = state.last_given;
        drop(state);
        let (Some(key), Some(last)) = (replaced, last) else {
            return;
        };
        if last.elapsed() < SOON && given.is_none_or(|given| given < last) {
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
}

//! One request of a cluster without faults at which something happens: its process dies, or it reads something else.

use std::collections::BTreeMap;
use std::time::Duration;

use hyper::{Method, Request};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::World;
use crate::simulation::target::{Target, is_watch, is_write, text};

/// An object is missing or old, or cannot be written, for this time. The event of a change of what is watched comes after
/// the change, so only the read before it can miss it.
const HIDDEN: Duration = Duration::from_secs(10);

/// What happens at a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::simulation) enum Point {
    /// The process dies before a write arrives.
    Before,
    /// The process dies after a write, before it has the answer.
    After,
    /// The process dies after a write, and the samples are deleted before it is back.
    Deleted,
    /// Writes of the object fail for a while: one alone is made up for when the next event arrives.
    Refused,
    /// A read finds nothing.
    Missing,
    /// A read finds the state before the last change.
    Old,
    /// A read fails.
    Failed,
}

/// A request at which something can happen.
#[derive(Clone, Debug)]
pub(in crate::simulation) struct Moment {
    /// Such as `PATCH configmaps/shop/site`.
    pub(in crate::simulation) request: String,
    pub(in crate::simulation) is_write: bool,
}

/// The requests until now, and what happens at one of them.
#[derive(Default)]
pub(super) struct Points {
    seen: Vec<Moment>,
    planned: Option<(usize, Point)>,
    /// Reads of this object find something else, or writes of it fail, until this time.
    hidden: Option<(Target, Instant)>,
    /// The revisions of objects after the last write of a replica, by uid.
    written: BTreeMap<String, String>,
}

impl Points {
    /// Records what a replica has written.
    pub(super) fn note_written(&mut self, object: &Value) {
        let [uid, revision] =
            ["uid", "resourceVersion"].map(|field| text(object, field).to_owned());
        self.written.insert(uid, revision);
    }

    /// Whether nobody has changed an object since a replica wrote it.
    fn is_as_written(&self, object: &Value) -> bool {
        let revision = self.written.get(text(object, "uid"));
        revision.is_some_and(|revision| text(object, "resourceVersion") == revision)
    }
}

impl World {
    /// Lets something happen at the request with this number.
    pub(in crate::simulation) fn plan_point(&self, number: usize, point: Point) {
        self.state().points.planned = Some((number, point));
    }

    /// The requests until now.
    pub(in crate::simulation) fn moments(&self) -> Vec<Moment> {
        self.state().points.seen.clone()
    }

    /// Counts a request of a reconcile. Returns what happens at it.
    pub(in crate::simulation) fn point<B>(
        &self,
        target: &Target,
        request: &Request<B>,
    ) -> Option<Point> {
        if self.plan().has_faults() || !is_counted(target, request) {
            return None;
        }
        let now = Instant::now();
        let mut state = self.state();
        let is_seen_late = !state.streams.contains(&target.group_resource());
        let points = &mut state.points;
        points.seen.push(Moment {
            request: format!("{} {target}", request.method()),
            is_write: is_write(request),
        });
        let (number, point) = points.planned?;
        let is_now = number + 1 == points.seen.len();
        let lasts = match point {
            Point::Refused => true,
            Point::Missing | Point::Old => is_seen_late,
            _ => false,
        };
        if is_now && lasts {
            points.hidden = Some((target.clone(), now + HIDDEN));
        }
        let is_meant = is_write(request) == (point == Point::Refused);
        let hidden = points.hidden.as_ref().filter(|_| is_meant);
        let is_hidden = hidden.is_some_and(|(hidden, until)| hidden == target && now < *until);
        (is_now || is_hidden).then_some(point)
    }

    /// What a read finds instead of `found`. `None` if there is no object. The API server never forgets what the operator
    /// itself has written.
    pub(in crate::simulation) fn read_at(
        &self,
        target: &Target,
        found: &Value,
        point: Point,
    ) -> Option<Value> {
        let before = |object: &Value| {
            if self.state().points.is_as_written(object) {
                return Some(object.clone());
            }
            match point {
                Point::Old => self.before(target, object),
                _ => self.has_created(object).then(|| object.clone()),
            }
        };
        let Some(items) = found["items"].as_array() else {
            return before(found);
        };
        let mut list = found.clone();
        list["items"] = items.iter().filter_map(before).collect();
        Some(list)
    }

    /// An object before its last change.
    fn before(&self, target: &Target, object: &Value) -> Option<Value> {
        let (group, _) = target.version.split_once('/').unwrap_or_default();
        let revision: u64 = text(object, "resourceVersion").parse().ok()?;
        let namespace = text(object, "namespace");
        let all = self
            .server()
            .objects_at(group, &target.plural, namespace, revision - 1);
        let mut all = all.into_iter();
        let before = all.find(|before| text(before, "uid") == text(object, "uid"))?;
        (before["apiVersion"] == *target.version).then(|| Value::clone(&before))
    }
}

/// Whether a request is not one of the library itself: of leader election, events and caches, which list in pages.
fn is_counted<B>(target: &Target, request: &Request<B>) -> bool {
    let query = request.uri().query().unwrap_or_default();
    let is_of_cache = is_watch(request)
        || *request.method() == Method::GET && target.name.is_empty() && query.contains("limit=");
    let is_known = !target.plural.is_empty() && target.plural != "customresourcedefinitions";
    is_known && !is_of_cache && !target.is_machinery()
}

/// The answer of an API server to a read of an object that does not exist.
pub(in crate::simulation) fn not_found(target: &Target) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 404, "reason": "NotFound",
        "message": format!("{} \"{}\" not found", target.plural, target.name),
        "details": { "name": target.name, "kind": target.plural },
    })
}

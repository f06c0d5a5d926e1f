//! Handles requests of a process in the API server, and checks the invariants of each.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::Value;
use tokio::time::Instant;

use super::World;
use crate::simulation::changed::changed;
use crate::simulation::conventions;
use crate::simulation::managers::owner_uids;
use crate::simulation::network::AnswerBody;
use crate::simulation::permissions;
use crate::simulation::process::Process;
use crate::simulation::target::{Target, is_watch, is_write, text};

impl World {
    /// Handles a request of a process, and checks the invariants.
    pub(in crate::simulation) fn act(
        &self,
        process: &Process,
        target: &Target,
        request: Request<Bytes>,
    ) -> Response<AnswerBody> {
        let (method, uri, sent) = (
            request.method().clone(),
            request.uri().clone(),
            request.body().clone(),
        );
        let writes = is_write(&request);
        let is_list = !writes && target.name.is_empty();
        if is_list {
            self.state().watched.insert(target.group_resource());
            if is_watch(&request) {
                self.state().streams.insert(target.group_resource());
            }
        }
        let before = if writes && !target.is_machinery() {
            self.check_lease(process, &method, target);
            self.find(target)
        } else {
            None
        };
        let answer = self.server().answer(&self.0.user, request);
        let code = answer.status();
        if is_list && code == StatusCode::NOT_FOUND {
            self.state().unserved.insert(target.resource());
        } else if is_list && code.is_success() {
            self.state().unserved.remove(&target.resource());
        }
        let written = answer.extensions().get::<Arc<Value>>().cloned();
        let object = written.as_deref();
        if !code.is_success() {
            self.refused(&method, target, code, object);
        }
        if writes {
            self.check_stranger(process, &method, target, before.as_deref());
            self.check_owner(process, target, object);
            if code.is_success() {
                let changes = before.as_deref().map(revision) != object.map(revision);
                if before.is_none() {
                    self.note_created(&method, target, object);
                }
                self.written(process, &method, target, object, changes);
                if let Some(after) = object.filter(|_| changes && target.subresource == "status") {
                    let now = self.server().now() + process.skew();
                    conventions::written(self, target, before.as_deref(), after, now);
                    conventions::waited(self, target, before.as_deref(), after);
                }
                if let Some(after) = object.filter(|_| changes) {
                    self.check_drawn(process, target, before.as_deref(), after);
                }
            }
        }
        self.record(
            process.name(),
            &method,
            target,
            code,
            before.as_deref(),
            object,
            uri.query(),
            &sent,
        );
        self.state().figures.requests += 1;
        answer.map(|body| body.map_err(Into::into).boxed_unsync())
    }

    /// Records that the API server did not handle a request.
    pub(in crate::simulation) fn note_refusal<B>(
        &self,
        process: &Process,
        request: &Request<B>,
        code: StatusCode,
    ) {
        let did = verb(request.method(), is_watch(request));
        let outcome = format!("{} without processing", code.as_u16());
        self.note(
            process.name(),
            &did,
            Target::at(request.uri().path()),
            &outcome,
        );
    }

    /// Records that a request did not arrive.
    pub(in crate::simulation) fn note_loss<B>(&self, process: &Process, request: &Request<B>) {
        let did = verb(request.method(), is_watch(request));
        self.note(
            process.name(),
            &did,
            Target::at(request.uri().path()),
            "never arrives",
        );
    }

    /// Records that the API server refused a request, and checks that it was allowed: no fault takes permissions away
    /// here.
    fn refused(&self, method: &Method, target: &Target, code: StatusCode, answer: Option<&Value>) {
        let message = answer
            .and_then(|answer| answer["message"].as_str())
            .unwrap_or_default();
        if matches!(
            code,
            StatusCode::BAD_REQUEST
                | StatusCode::FORBIDDEN
                | StatusCode::UNPROCESSABLE_ENTITY
                | StatusCode::INTERNAL_SERVER_ERROR
        ) {
            self.state().last_refusal =
                Some(format!("{method} {target}: {} {message}", code.as_u16()));
        }
        if code == StatusCode::FORBIDDEN && message.contains(" is forbidden: User ") {
            let (group, _) = target.version.split_once('/').unwrap_or_default();
            let resource = match &*target.subresource {
                "" => target.plural.clone(),
                subresource => format!("{}/{subresource}", target.plural),
            };
            // An apply of a missing object needs more than the verb of its request.
            let (_, cannot) = message.split_once(" cannot ").unwrap_or_default();
            let verb = cannot.split(' ').next().unwrap_or_default();
            let permission = permissions::described(group, &resource, verb);
            let message = format!("{message}: add `// +kubebuilder:rbac:{permission}`");
            self.broken(
                "every request is permitted by the role",
                Some(&target.name),
                message,
            );
        }
    }

    /// Checks that no process writes without the Lease, by the clock of the API server.
    fn check_lease(&self, process: &Process, method: &Method, target: &Target) {
        if self.is_foreign() {
            return;
        }
        let lease = self.state().lease.clone();
        let name = process.name();
        let problem = match lease {
            None => "no replica holds the lease".to_owned(),
            Some((holder, ..)) if holder != name => format!("{holder} holds it"),
            Some((_, renewed, length)) if renewed.elapsed() > length => {
                format!(
                    "it expired {:.1?} ago",
                    renewed.elapsed().saturating_sub(length)
                )
            }
            Some(_) => return,
        };
        let message = format!("{name} sent {method} {target}, and {problem}");
        self.broken("no write without the lease", Some(&target.name), message);
    }

    /// Checks that no object of another owner is changed.
    fn check_stranger(
        &self,
        process: &Process,
        method: &Method,
        target: &Target,
        before: Option<&Value>,
    ) {
        let Some(before) = before else { return };
        let uid = text(before, "uid");
        if !self.state().strangers.contains_key(uid) {
            return;
        }
        let now = self.find(target);
        if now.as_deref().map(revision) == Some(revision(before)) {
            return;
        }
        self.state().figures.intrusions += 1;
        if self.is_foreign() {
            return;
        }
        let message = format!(
            "{} sent {method} {target}, which has another owner",
            process.name()
        );
        self.broken(
            "objects of other owners are not written",
            Some(&target.name),
            message,
        );
    }

    /// Long after the faults, checks that nothing is created for a deleted owner.
    fn check_owner(&self, process: &Process, target: &Target, created: Option<&Value>) {
        // Most programs do not look again just before a write, and the garbage collector deletes the child.
        if self.is_foreign() || !self.is_settled() {
            return;
        }
        let Some(created) = created.filter(|created| self.server().is_owner_gone(created)) else {
            return;
        };
        let owners = owner_uids(created, &self.names().operator);
        let may_be_late = owners.into_iter().any(|uid| process.may_be_late(uid));
        if !may_be_late {
            let message = format!("{} wrote {target}, whose owner is gone", process.name());
            self.broken(
                "nothing is created for deleted objects",
                Some(&target.name),
                message,
            );
        }
    }

    /// Records an object that did not exist before a write.
    fn note_created(&self, method: &Method, target: &Target, created: Option<&Value>) {
        let is_made = *method != Method::DELETE && target.subresource.is_empty();
        let Some(created) = created.filter(|_| is_made && !target.is_machinery()) else {
            return;
        };
        let target = Target {
            name: text(created, "name").to_owned(),
            ..target.clone()
        };
        let uid = text(created, "uid").to_owned();
        self.state().created.insert(uid, target);
    }

    /// Records a successful write.
    fn written(
        &self,
        process: &Process,
        method: &Method,
        target: &Target,
        after: Option<&Value>,
        changes: bool,
    ) {
        let mut state = self.state();
        if target.plural == "leases" {
            let spec = after.map(|lease| &lease["spec"]);
            let holder = spec
                .and_then(|spec| spec["holderIdentity"].as_str())
                .unwrap_or_default();
            let seconds = spec
                .and_then(|spec| spec["leaseDurationSeconds"].as_u64())
                .unwrap_or(0);
            let renewed = (
                holder.to_owned(),
                Instant::now(),
                Duration::from_secs(seconds),
            );
            state.lease = (!holder.is_empty()).then_some(renewed);
        }
        if target.plural == "events"
            && let Some(event) = after
        {
            let about = match &event["regarding"] {
                Value::Null => &event["involvedObject"],
                about => about,
            };
            let [namespace, name] =
                ["namespace", "name"].map(|field| about[field].as_str().unwrap_or_default());
            *state
                .events
                .entry(format!("{namespace}/{name}"))
                .or_default() += 1;
        }
        if target.is_machinery() {
            return;
        }
        if let Some(after) = after.filter(|_| !self.plan().has_faults()) {
            state.points.note_written(after);
        }
        state.figures.writes += 1;
        // Many programs apply everything in each reconcile.
        if changes || !self.is_foreign() {
            state.last_write = Some((Instant::now(), process.name().to_owned(), target.clone()));
        }
        if changes {
            state.figures.changes += 1;
            state.last_change = Some(target.clone());
        }
        if *method == Method::PATCH
            && target.subresource.is_empty()
            && let Some(after) = after
            && !self.0.owners.has(target)
        {
            if state.created.contains_key(text(after, "uid")) {
                state.children.insert(target.clone(), after.clone());
            } else {
                state.touched.insert(target.clone());
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "it is one line of the history")]
    pub(in crate::simulation) fn record(
        &self,
        who: &str,
        method: &Method,
        target: &Target,
        code: StatusCode,
        before: Option<&Value>,
        object: Option<&Value>,
        query: Option<&str>,
        sent: &[u8],
    ) {
        let query = query.unwrap_or_default();
        let watches = query.split('&').any(|pair| pair == "watch=true");
        let did = verb(method, watches);
        let mut outcome = code.as_u16().to_string();
        if let Some(object) = object {
            if code.is_success() {
                let (uid, revision) = (text(object, "uid"), text(object, "resourceVersion"));
                if !revision.is_empty() {
                    outcome = format!("{outcome} at {revision}");
                }
                if !uid.is_empty() {
                    outcome = format!("{outcome}, uid {}", &uid[uid.len().saturating_sub(6)..]);
                }
                // If it has another uid, it was created in the meantime, and is completely new.
                if let Some(before) = before.filter(|before| text(before, "uid") == uid) {
                    let before = self.in_version_of(object, before);
                    let changed = changed(&before, object);
                    if !changed.is_empty() {
                        outcome = format!("{outcome}: {changed}");
                    }
                }
            } else if let Some(message) = object["message"].as_str() {
                outcome = format!("{outcome} {message}");
            }
        }
        if target.plural == "events" {
            return self.enter(who, &did, Some(target.clone()), code.as_str(), &[]);
        }
        let content = [query.as_bytes(), b"\n", sent].concat();
        self.enter(who, &did, Some(target.clone()), &outcome, &content);
    }
}

fn revision(object: &Value) -> &str {
    text(object, "resourceVersion")
}

fn verb(method: &Method, watches: bool) -> String {
    if watches {
        "WATCH".to_owned()
    } else {
        method.to_string()
    }
}

//! An operator that is killed at any of its writes, and started again, ends where one ends that was
//! never killed. The simulation kills at random moments, over many seeds; this is for what only a real API
//! server can tell.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::case::{APP_SERVICES, Case, RUNNERS, VAULTS, is_soon, soon};
use super::fleet::difference;
use super::resource::Resource;
use crate::support::proxy::{Fault, Purpose, Request, Rule};

/// What happens to an object, and so what the operator has to write.
struct Scenario {
    name: &'static str,
    kind: Resource,
    /// What the object asks for before; none where it is yet to be created.
    before: Option<Value>,
    change: fn(&Case),
}

#[test]
fn a_workload_is_created() {
    Scenario {
        name: "create",
        kind: APP_SERVICES,
        before: None,
        change: |case| {
            case.create(APP_SERVICES, "web", &workload());
        },
    }
    .survives_a_crash_at_every_write();
}

#[test]
fn a_pod_gets_another_image() {
    Scenario {
        name: "image-pod",
        kind: RUNNERS,
        before: Some(json!({"image": "busybox:1"})),
        change: |case| {
            case.merge(RUNNERS, "web", &json!({"spec": {"image": "busybox:2"}}));
        },
    }
    .survives_a_crash_at_every_write();
}

#[test]
fn a_workload_with_a_finalizer_is_deleted() {
    Scenario {
        name: "delete",
        kind: VAULTS,
        before: Some(workload()),
        change: |case| case.delete(VAULTS, "web"),
    }
    .survives_a_crash_at_every_write();
}

fn workload() -> Value {
    json!({"image": "nginx:1", "replicas": 2, "ports": [{"port": 80}]})
}

impl Scenario {
    /// Runs it once undisturbed, and then once before and once after each write.
    #[track_caller]
    fn survives_a_crash_at_every_write(&self) {
        let Some((expected, writes)) = self.undisturbed() else {
            return;
        };
        assert!(!writes.is_empty(), "nothing is written");
        let mut crashed_at = BTreeSet::new();
        for (number, write) in writes.iter().enumerate() {
            let again = writes[..number]
                .iter()
                .filter(|past| what(past) == what(write));
            let again = again.count();
            for fault in [Fault::HeldBefore, Fault::HeldAfter] {
                let moment = format!("{number}-{fault:?}").to_lowercase();
                let rule = Self::rule(fault, what(write), again);
                if self.disturbed(&moment, rule, &expected) {
                    crashed_at.insert(what(write));
                }
            }
        }
        // Something may be written once more or less often, but the same is written.
        let written: BTreeSet<_> = writes.iter().map(what).collect();
        assert_eq!(crashed_at, written);
        let cases = 2 * writes.len();
        eprintln!("{}: {cases} crashes, at {written:?}", self.name);
    }

    /// The state at the end, and the writes that led to it.
    #[track_caller]
    fn undisturbed(&self) -> Option<(Value, Vec<Request>)> {
        let case = self.start("undisturbed")?;
        (self.change)(&case);
        // A write takes effect, or there is none, when the object is as it should be.
        soon("a write", || !writes(&case).is_empty());
        // There is nothing to wait for in one that goes but its end.
        let is_going = |object: Value| object["metadata"]["deletionTimestamp"].is_string();
        if is_going(case.get(self.kind, "web")) {
            soon("its end", || {
                case.collect_garbage();
                case.get(self.kind, "web").is_null()
            });
        } else if case.get(self.kind, "web").is_object() {
            case.settles(self.kind, "web");
        }
        case.rests();
        Some((case.state(), writes(&case)))
    }

    /// A fault of one write: not by its number, for events go their own way beside the others.
    fn rule(fault: Fault, target: String, again: usize) -> Rule {
        let is_it =
            move |request: &Request| request.purpose == Purpose::Write && what(request) == target;
        Rule::new(fault, is_it).skip(again).take(1)
    }

    /// Kills the operator at a write, starts it again and compares the end. Returns whether it came
    /// to that write.
    #[track_caller]
    fn disturbed(&self, moment: &str, rule: Rule, expected: &Value) -> bool {
        let mut case = self.start(moment).expect("a control plane");
        let rule = case.proxy.add(rule);
        (self.change)(&case);
        soon("the write, or the end", || {
            rule.hits() > 0
                || case.state() == *expected && {
                    case.rests();
                    true
                }
        });
        let is_killed = rule.hits() > 0;
        case.proxy.take_requests();
        case.proxy.heal();
        if is_killed {
            case.kill_operator();
            case.start_operator();
            soon("its requests", || !case.proxy.requests().is_empty());
        }
        self.ends(&case, moment, expected);
        is_killed
    }

    /// Starts the operator, with the object as it is before.
    fn start(&self, moment: &str) -> Option<Case> {
        let case = Case::start(&format!("crash-{}-{moment}", self.name))?;
        if let Some(before) = &self.before {
            case.create(self.kind, "web", before);
            case.settles(self.kind, "web");
        }
        soon("its requests", || !case.proxy.requests().is_empty());
        case.rests();
        case.proxy.take_requests();
        Some(case)
    }

    /// Waits for the expected end, and that it is one.
    #[track_caller]
    fn ends(&self, case: &Case, moment: &str, expected: &Value) {
        let is_same = is_soon(|| case.state() == *expected);
        if is_same {
            case.rests();
        }
        let state = case.state();
        if state != *expected {
            let difference = difference(expected, &state);
            panic!("{} {moment} ends elsewhere:\n{difference}", self.name);
        }
    }
}

fn writes(case: &Case) -> Vec<Request> {
    let mut requests = case.proxy.requests();
    requests.retain(|request| request.purpose == Purpose::Write);
    requests
}

/// What a write does, wherever.
fn what(request: &Request) -> String {
    format!("{} {}", request.method, request.resource)
}

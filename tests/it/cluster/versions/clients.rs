//! Clients of a kind in two versions, while its operator restarts.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};

use crate::cluster::app_service;
use crate::cluster::operator::Operator;
use crate::support::control_plane::{Api, ControlPlane, eventually};

const VERSIONS: [&str; 2] = ["v1alpha1", "v1"];
const CLIENTS: usize = 4;
const RESTARTS: usize = 4;

/// What a client saw.
#[derive(Default)]
struct Seen {
    /// The number that was written last.
    written: AtomicU64,
    /// How often it was refused because nobody converted.
    refused: AtomicU64,
}

/// Clients write and read in both versions, while operators are killed and started. Each of them reads what it wrote
/// last, whatever happened. Gives the operator that runs in the end.
pub(super) fn lose_nothing(plane: &ControlPlane, run: impl Fn() -> Operator) -> Operator {
    let operator = run();
    for version in VERSIONS {
        eventually("it converts", Duration::from_mins(1), || {
            let all = format!("/apis/app.example.com/{version}/appservices");
            let (code, _) = read(plane.api(), &all)?;
            (code == 200).then_some(())
        });
    }
    let is_over = AtomicBool::new(false);
    let seen: [Seen; CLIENTS] = Default::default();
    let operator = thread::scope(|scope| {
        for (client, seen) in seen.iter().enumerate() {
            let (api, is_over) = (plane.another_api(), &is_over);
            scope.spawn(move || use_both(&api, client, seen, is_over));
        }
        let _over = Over(&is_over);
        let operator = (0..RESTARTS).fold(operator, |operator, _| {
            grows("writes", &seen, |seen| &seen.written);
            operator.kill();
            grows("refusals", &seen, |seen| &seen.refused);
            run()
        });
        grows("writes", &seen, |seen| &seen.written);
        operator
    });
    for (client, seen) in seen.iter().enumerate() {
        let written = seen.written.load(Ordering::Relaxed);
        for version in VERSIONS {
            let path = path(version, client);
            let object = eventually("it is read", Duration::from_mins(1), || {
                let (code, object) = read(plane.api(), &path)?;
                (code == 200).then_some(object)
            });
            assert_eq!(object["spec"]["replicas"], written, "{path}");
        }
    }
    operator
}

/// Ends the clients, even when a wait for them fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits until each client has counted on by a few.
fn grows(what: &str, seen: &[Seen], number: impl Fn(&Seen) -> &AtomicU64) {
    let now = |seen| number(seen).load(Ordering::Relaxed);
    let before: Vec<_> = seen.iter().map(now).collect();
    eventually(what, Duration::from_mins(1), || {
        let mut both = seen.iter().map(now).zip(&before);
        both.all(|(now, before)| now >= before + 3).then_some(())
    });
}

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

fn path(version: &str, client: usize) -> String {
    format!("/apis/app.example.com/{version}/namespaces/default/appservices/client-{client}")
}

fn read(api: &Api, path: &str) -> Option<(u16, Value)> {
    api.send(Method::GET, path, JSON, &Value::Null).ok()
}

/// Counts up in an object until it is over: in the one version and the other by turns, read in the other one.
fn use_both(api: &Api, client: usize, seen: &Seen, is_over: &AtomicBool) {
    let name = format!("client-{client}");
    let object = app_service(&name, json!({"image": "nginx", "replicas": 0}));
    let all = "/apis/app.example.com/v1alpha1/namespaces/default/appservices";
    eventually("it is created", Duration::from_mins(1), || {
        let created = api.send(Method::POST, all, JSON, &object).ok()?;
        (created.0 == 201).then_some(())
    });
    let refused = || {
        seen.refused.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(50));
    };
    let mut is_open = false;
    while is_open || !is_over.load(Ordering::Relaxed) {
        let next = seen.written.load(Ordering::Relaxed) + 1;
        let turn = usize::try_from(next % 2).expect("0 or 1");
        let patch = json!({"spec": {"replicas": next}});
        let written = path(VERSIONS[turn], client);
        // Where the answer is lost it may be written all the same: then it is written again.
        is_open = true;
        match api.send(Method::PATCH, &written, MERGE, &patch) {
            Ok((200, _)) => is_open = false,
            Ok((code, why)) if code < 500 => panic!("{written}: {code}: {why}"),
            _ => {
                refused();
                continue;
            }
        }
        seen.written.store(next, Ordering::Relaxed);
        let other = path(VERSIONS[1 - turn], client);
        match read(api, &other) {
            Some((200, object)) => assert_eq!(object["spec"]["replicas"], next, "{other}"),
            Some((code, why)) if code < 500 => panic!("{other}: {code}: {why}"),
            _ => refused(),
        }
    }
}

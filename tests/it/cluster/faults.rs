//! What networks and busy servers do to an operator of any shape: everything ends as it does where
//! nothing goes wrong, in the same process and without a storm of requests.

mod liveness;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::case::soon;
use super::fleet::{Fleet, Shape};
use crate::support::proxy::{Fault, Purpose, Request, Rule};

/// How long a fault goes on that does not end by itself.
const WHILE: Duration = Duration::from_millis(2500);

/// How often something may be tried in that time: with a backoff from a quarter of a second on it
/// is five times; without one it is hundreds, and with one that does not grow a dozen.
const TRIES: usize = 7;

/// How long what has nothing to do with a fault may take because of it.
const PROMPTLY: Duration = Duration::from_secs(5);

/// These functions with their names.
macro_rules! named {
    ($($function:path),* $(,)?) => {
        [$((stringify!($function), $function as fn())),*]
    };
}

/// All of them, one after another: they share the fleet, and a test that waits for it keeps a thread from
/// other work.
#[test]
fn what_goes_wrong_leaves_nothing_behind() {
    let faults = named![
        connections_are_reset,
        writes_conflict,
        writes_are_too_many,
        writes_fail,
        the_server_is_unavailable,
        the_server_is_unavailable_at_the_start,
        writes_stall,
        answers_are_lost,
        watches_are_torn,
        watches_are_cut_and_refused,
        watches_expire,
        watches_are_too_old_to_begin,
        events_come_twice,
        events_come_late,
        a_refused_watch_does_not_starve_other_kinds,
        a_refused_watch_does_not_starve_its_own_kind,
        the_api_server_is_restarted,
        the_api_server_is_killed,
        etcd_is_restarted,
        liveness::an_operator_whose_watches_are_refused_is_alive_and_not_ready,
        liveness::an_operator_that_cannot_list_is_alive_and_not_ready,
    ];
    let Some(_kept) = Fleet::shared() else { return };
    let fails = |(name, run): &(&str, fn())| {
        eprintln!("--- {name}");
        std::panic::catch_unwind(run).is_err()
    };
    let failed: Vec<_> = faults
        .into_iter()
        .filter(fails)
        .map(|(name, _)| name)
        .collect();
    assert!(failed.is_empty(), "see above: {failed:?}");
}

fn connections_are_reset() {
    for_a_while(|_| {
        vec![Rule::new(Fault::Reset, |request| {
            request.purpose != Purpose::Watch
        })]
    });
}

fn writes_conflict() {
    for_a_while(|_| vec![Rule::writes(Fault::Answer(409, None))]);
}

fn writes_are_too_many() {
    let cost = for_a_while(|_| vec![Rule::writes(Fault::Answer(429, Some(1)))]);
    let Some(requests) = cost else { return };
    for (index, refused) in requests.iter().enumerate() {
        if refused.status == Some(429) {
            let again = requests[index + 1..]
                .iter()
                .find(|next| next.is_like(refused));
            let time = again.map(|again| again.at - refused.at);
            // The server's wish, but for what the answer takes on its way.
            let is_heeded = time.is_none_or(|time| time > Duration::from_millis(950));
            assert!(is_heeded, "{refused} again after {time:?}, not a second");
        }
    }
}

fn writes_fail() {
    for_a_while(|_| vec![Rule::writes(Fault::Answer(500, None))]);
}

fn the_server_is_unavailable() {
    for_a_while(|_| vec![Rule::new(Fault::Answer(503, None), |_| true)]);
}

fn the_server_is_unavailable_at_the_start() {
    let Some(mut fleet) = Fleet::at_work() else {
        return;
    };
    fleet.change();
    let rules = disturb(&fleet, |_| {
        vec![Rule::new(Fault::Answer(503, None), |_| true)]
    });
    fleet.launch();
    thread::sleep(WHILE);
    recover(&mut fleet, &rules);
}

fn writes_stall() {
    let stall = Fault::Stall(Duration::from_secs(5));
    once(|shape| vec![Rule::writes(stall).take(shape.subjects.len())]);
}

fn answers_are_lost() {
    once(|shape| {
        let first_write = |resource| {
            let is_of = move |request: &Request| {
                request.purpose == Purpose::Write && request.resource == resource
            };
            Rule::new(Fault::LostAnswer, is_of).take(1)
        };
        let statuses = shape.subjects.iter();
        let statuses = statuses.map(|subject| format!("{}/status", subject.kind.plural));
        let children = ["deployments", "services", "pods"].map(str::to_owned);
        statuses.chain(children).map(first_write).collect()
    });
}

fn watches_are_torn() {
    once(|shape| vec![Rule::watches(Fault::Torn).take(shape.watches)]);
}

fn watches_are_cut_and_refused() {
    cut(|_| vec![Rule::watches(Fault::Reset)]);
}

fn watches_expire() {
    once(|shape| vec![Rule::watches(Fault::Expired).take(shape.watches)]);
}

fn watches_are_too_old_to_begin() {
    cut(|shape| vec![Rule::watches(Fault::Answer(410, None)).take(2 * shape.watches)]);
}

/// Cuts every watch, so that it is begun anew under these rules.
#[track_caller]
fn cut(rules: impl Fn(&Shape) -> Vec<Rule>) {
    let Some(mut fleet) = Fleet::at_rest() else {
        return;
    };
    let rules = disturb(&fleet, rules);
    for shape in &fleet.shapes {
        shape.proxy.cut_watches();
    }
    fleet.change();
    thread::sleep(WHILE);
    recover(&mut fleet, &rules);
}

fn events_come_twice() {
    costs_nothing(|_| vec![Rule::watches(Fault::Twice)]);
}

fn events_come_late() {
    costs_nothing(|_| vec![Rule::watches(Fault::Late(Duration::from_secs(1)))]);
}

/// Three kinds in one process, and those of one cannot be listed: the others go on as ever.
fn a_refused_watch_does_not_starve_other_kinds() {
    let Some(mut fleet) = Fleet::at_work() else {
        return;
    };
    let refused = |shape: &Shape| vec![refusal(shape.subjects[0].kind.plural)];
    let rules = disturb(&fleet, refused);
    fleet.launch();
    thread::sleep(WHILE);
    fleet.change();
    for shape in &fleet.shapes {
        for subject in 1..shape.subjects.len() {
            let time = time_until(|| fleet.is_done(shape, subject));
            eprintln!("{} {subject}: {time:?}", shape.name);
            assert!(time < PROMPTLY, "{} {subject}: {time:?}", shape.name);
        }
        let is_done = fleet.is_done(shape, 0);
        assert!(!is_done, "{} sees what it may not list", shape.name);
    }
    recover(&mut fleet, &rules);
}

/// A kind whose children of one sort cannot be watched any more still sees what its own objects ask
/// for.
fn a_refused_watch_does_not_starve_its_own_kind() {
    let Some(mut fleet) = Fleet::at_rest() else {
        return;
    };
    let refused = |_: &Shape| vec![refusal("services"), refusal("pods")];
    let rules = disturb(&fleet, refused);
    for shape in &fleet.shapes {
        shape.proxy.cut_watches();
    }
    thread::sleep(WHILE);
    fleet.change();
    for shape in &fleet.shapes {
        for subject in 0..shape.subjects.len() {
            let time = time_until(|| fleet.is_done(shape, subject));
            eprintln!("{} {subject}: {time:?}", shape.name);
            assert!(time < PROMPTLY, "{} {subject}: {time:?}", shape.name);
        }
    }
    recover(&mut fleet, &rules);
}

fn the_api_server_is_restarted() {
    restarted(|fleet| fleet.plane.restart_api_server());
}

fn the_api_server_is_killed() {
    restarted(|fleet| fleet.plane.kill_api_server());
}

fn etcd_is_restarted() {
    restarted(|fleet| fleet.plane.restart_etcd(Duration::from_secs(2)));
}

/// Lets everything change while something restarts: the last of the first writes arrive when it is away.
#[track_caller]
fn restarted(restart: impl Fn(&mut Fleet)) {
    let Some(mut fleet) = Fleet::at_rest() else {
        return;
    };
    let stall = Fault::Stall(Duration::from_secs(1));
    let rules = disturb(&fleet, |shape| {
        vec![Rule::writes(stall).take(shape.subjects.len())]
    });
    fleet.change();
    for (shape, rules) in fleet.shapes.iter().zip(&rules) {
        let has_begun = || rules.iter().any(|rule| rule.hits() > 0);
        soon(&format!("a write of {}", shape.name), has_begun);
    }
    restart(&mut fleet);
    recover(&mut fleet, &rules);
    // The watches have come back too.
    fleet.change();
    recover(&mut fleet, &[]);
}

/// Nothing of this resource can be listed or watched.
fn refusal(resource: &'static str) -> Rule {
    Rule::new(Fault::Answer(503, None), move |request| {
        request.resource == resource && request.purpose != Purpose::Write && request.name.is_none()
    })
}

fn time_until(mut is_so: impl FnMut() -> bool) -> Duration {
    let start = Instant::now();
    while !is_so() && start.elapsed() < 2 * PROMPTLY {
        thread::sleep(Duration::from_millis(50));
    }
    start.elapsed()
}

/// What is done to one operator.
type Rules = Vec<Arc<Rule>>;

/// Lets everything change under faults that go on for a while. Returns all requests.
#[track_caller]
fn for_a_while(rules: impl Fn(&Shape) -> Vec<Rule>) -> Option<Vec<Request>> {
    let mut fleet = Fleet::at_rest()?;
    let rules = disturb(&fleet, rules);
    fleet.change();
    thread::sleep(WHILE);
    Some(recover(&mut fleet, &rules))
}

/// Lets everything change under faults that end by themselves, or that do not matter in the end.
#[track_caller]
fn once(rules: impl Fn(&Shape) -> Vec<Rule>) {
    let Some(mut fleet) = Fleet::at_rest() else {
        return;
    };
    change_once(&mut fleet, rules);
}

/// The same, under faults that give an operator nothing to do.
#[track_caller]
fn costs_nothing(rules: impl Fn(&Shape) -> Vec<Rule>) {
    let Some(mut fleet) = Fleet::at_rest() else {
        return;
    };
    let count = change_once(&mut fleet, rules).len();
    let usual: usize = fleet.shapes.iter().map(|shape| shape.usual).sum();
    // Which changes share a status write is a matter of moments.
    assert!(
        2 * count <= 3 * usual,
        "{count} requests, where {usual} are usual"
    );
}

#[track_caller]
fn change_once(fleet: &mut Fleet, rules: impl Fn(&Shape) -> Vec<Rule>) -> Vec<Request> {
    let rules = disturb(fleet, rules);
    fleet.change();
    fleet.ends_as_ever();
    recover(fleet, &rules)
}

fn disturb(fleet: &Fleet, rules: impl Fn(&Shape) -> Vec<Rule>) -> Vec<Rules> {
    let add = |shape: &Shape| {
        let rules = rules(shape).into_iter();
        rules.map(|rule| shape.proxy.add(rule)).collect()
    };
    fleet.shapes.iter().map(add).collect()
}

/// Ends the faults and waits for the end. Looks at what it took.
#[track_caller]
fn recover(fleet: &mut Fleet, rules: &[Rules]) -> Vec<Request> {
    for (shape, rules) in fleet.shapes.iter().zip(rules) {
        let hits: usize = rules.iter().map(|rule| rule.hits()).sum();
        assert!(hits > 0, "nothing happened to {}", shape.name);
        shape.proxy.heal();
    }
    fleet.ends_as_ever();
    let mut all = Vec::new();
    for shape in &fleet.shapes {
        let requests = shape.proxy.take_requests();
        let faulty = requests.iter().filter(|request| request.is_faulty).count();
        let (name, usual, count) = (shape.name, shape.usual, requests.len());
        eprintln!("{name}: {count} requests, {faulty} of them disturbed, where {usual} are usual");
        // A watch that fails is followed by a list.
        let most = 3 * usual + TRIES * (shape.subjects.len() + 2 * shape.watches);
        assert!(count <= most, "{name}: {count} requests");
        for request in requests.iter().filter(|request| request.is_faulty) {
            let again = |other: &&Request| other.is_faulty && other.is_like(request);
            let count = requests.iter().filter(again).count();
            // An event of each object is the same kind of request.
            let most = match &*request.resource {
                "events" => TRIES * shape.subjects.len(),
                _ => TRIES,
            };
            assert!(count <= most, "{name}: {count} times {request}");
        }
        all.extend(requests);
    }
    all
}

//! Operators that want to lead, and what takes the lease from the one that does.
//!
//! ```console
//! $ cargo test --test it -- cluster::contention
//! $ ROP_TAKEOVERS=1000 cargo test --test it -- cluster::contention
//! ```

mod verdict;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};
use std::{env, io, thread};

use serde_json::json;

use super::operator::{Installed, Operator};
use super::{SOON, app_service, is_accepted};
use crate::support::World;
use crate::support::control_plane::{Api, ControlPlane, eventually};

const OPERATORS: usize = 5;

/// What they reconcile.
const OBJECTS: usize = 20;

/// How often the lease is taken from the leader, unless `ROP_TAKEOVERS` says so.
const TAKEOVERS: usize = 12;

/// Short, for each takeover waits for it.
const FLAGS: &str = "--leader-elect --leader-elect-lease-duration=3s \
    --leader-elect-renew-deadline=2s --leader-elect-retry-period=400ms";

const SERVICES: &str = "/apis/app.example.com/v1alpha1/namespaces/default/appservices";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/app-operator-system/leases";

/// What a leader says in the end that has lost its lease.
const LOST: &str = "no longer the leader";

/// Refuses renewals by one operator: the rest of what it sends gets through.
const POLICY: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-renewal}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - apiGroups: [coordination.k8s.io]
      apiVersions: [v1]
      operations: [UPDATE]
      resources: [leases]
  validations:
  - expression: \"!object.spec.holderIdentity.startsWith('VICTIM')\"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-renewal}
spec: {policyName: no-renewal, validationActions: [Deny]}
";

/// How a leader loses its lease.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Blow {
    /// It is killed.
    Kill,
    /// It is stopped, and goes on when another leads.
    Stop,
    /// It is asked to end.
    Terminate,
    /// The API server refuses its renewals.
    Refuse,
}

const BLOWS: [Blow; 4] = [Blow::Kill, Blow::Stop, Blow::Terminate, Blow::Refuse];

/// Whatever takes the lease from a leader, no two operators ever write at the same time.
#[test]
fn no_two_operators_write_at_the_same_time() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let takeovers = env::var("ROP_TAKEOVERS").map_or(TAKEOVERS, |it| it.parse().expect("a number"));
    let world = World::with_api();
    let mut arena = Arena::new(&world, &plane);
    let mut times = BLOWS.map(|_| Vec::new());
    let start = Instant::now();
    thread::scope(|scope| {
        // Gone at the end, however that comes.
        let alive = Arc::new(());
        let unrest = Arc::downgrade(&alive);
        scope.spawn(|| keep_changing(&plane, unrest));
        for round in 0..takeovers {
            let blow = BLOWS[round % BLOWS.len()];
            // At any moment of the leader's work.
            thread::sleep(Duration::from_millis(200 + random(400)));
            times[round % BLOWS.len()].push(arena.strike(blow, round).as_secs_f64());
        }
    });
    let time = start.elapsed();
    let mut denied = super::denied(&plane, super::USER);
    // Those of one are refused on purpose.
    denied.retain(|it| !it.contains("leases"));
    drop(arena);

    let mut verdict = verdict::judge(&plane.audit_log());
    let mut report = format!(
        "{takeovers} takeovers forced in {time:.0?}, {} seen, {} writes by {} leaders\n",
        verdict.takeovers, verdict.writes, verdict.active
    );
    let _ = writeln!(
        report,
        "from release to takeover: {}",
        spread(&mut verdict.handovers)
    );
    for (blow, times) in BLOWS.iter().zip(&mut times) {
        let _ = writeln!(report, "from {blow:?} to takeover: {}", spread(times));
    }
    for late in &verdict.late {
        let _ = writeln!(report, "carried out late by the API server: {late}");
    }
    for violation in &verdict.violations {
        let _ = writeln!(report, "violation: {violation}");
    }
    for denied in &denied {
        let _ = writeln!(report, "denied: {denied}");
    }
    let _ = io::Write::write_all(&mut io::stderr(), report.as_bytes());

    assert_eq!(verdict.violations, Vec::<String>::new());
    assert!(verdict.active > takeovers / 2, "leaders write");
    assert_eq!(denied, Vec::<String>::new());
}

/// Operators of one program.
struct Arena<'a> {
    plane: &'a ControlPlane,
    installed: Installed,
    kubeconfig: PathBuf,
    contenders: Vec<Contender>,
    runs: usize,
}

/// An operator, and the name of its host: a part of its identity, and of no other's.
struct Contender {
    host: String,
    operator: Operator,
}

impl<'a> Arena<'a> {
    fn new(world: &World, plane: &'a ControlPlane) -> Self {
        let installed = Installed::new(world, plane, "app-operator");
        let kubeconfig = installed.kubeconfig(plane, None);
        plane.apply(&POLICY.replace("VICTIM", "nobody"));
        for index in 0..OBJECTS {
            let spec = json!({"image": "nginx", "replicas": 1});
            assert!(is_accepted(plane, &app_service(&name(index), spec)));
        }
        let mut arena = Self {
            plane,
            installed,
            kubeconfig,
            contenders: Vec::new(),
            runs: 0,
        };
        for _ in 0..OPERATORS {
            let contender = arena.run();
            arena.contenders.push(contender);
        }
        arena.leader_other_than("");
        arena
    }

    /// Starts an operator.
    fn run(&mut self) -> Contender {
        self.runs += 1;
        let host = format!("operator-{}", self.runs);
        let flags: Vec<_> = FLAGS.split_whitespace().collect();
        let environment = [("HOSTNAME", &*host)];
        let operator = self
            .installed
            .run(self.plane, &self.kubeconfig, &environment, &flags);
        Contender { host, operator }
    }

    /// Takes the lease from the leader, waits until another leads and works, and gives the time
    /// until it led.
    fn strike(&mut self, blow: Blow, round: usize) -> Duration {
        let (leader, index) = self.leader_other_than("");
        self.storm(round);
        let start = Instant::now();
        match blow {
            Blow::Kill => self.contenders[index].operator.signal("KILL"),
            Blow::Stop => self.contenders[index].operator.signal("STOP"),
            Blow::Terminate => self.contenders[index].operator.signal("TERM"),
            Blow::Refuse => self.refuse(&leader),
        }
        let (next, _) = self.leader_other_than(&leader);
        let time = start.elapsed();
        assert_ne!(next, leader);
        self.works(round);
        if blow == Blow::Stop {
            self.storm(round + 1);
            self.contenders[index].operator.signal("CONT");
        }
        if blow == Blow::Refuse {
            self.refuse("nobody");
        }
        let what = format!("the end of {leader} after {blow:?}");
        eventually(&what, SOON, || self.contenders[index].operator.ended());
        for other in 0..OPERATORS {
            self.renew(other, Some(blow).filter(|_| other == index));
        }
        time
    }

    /// Starts an operator again where it has ended: as it does after `blow`, or because it lost the
    /// lease, as any of them may at any time on a machine that is too slow.
    fn renew(&mut self, index: usize, blow: Option<Blow>) {
        let Some(status) = self.contenders[index].operator.ended() else {
            return;
        };
        let log = self.contenders[index].operator.log();
        let is_expected = match (blow, status.code()) {
            (Some(Blow::Kill), None) | (Some(Blow::Terminate), Some(0)) => true,
            (_, code) => code == Some(1) && log.contains(LOST),
        };
        assert!(is_expected, "{status}: {log}");
        self.contenders[index] = self.run();
    }

    /// Who leads, and which operator that is.
    fn leader_other_than(&self, other: &str) -> (String, usize) {
        let deadline = Instant::now() + SOON;
        loop {
            let leases = self.plane.api().get(LEASES);
            let holder = leases["items"][0]["spec"]["holderIdentity"].as_str();
            let holder = holder.filter(|holder| !holder.is_empty() && *holder != other);
            // One that is gone may still have it.
            let index = holder.and_then(|holder| {
                let host = holder.split_once('_')?.0;
                self.contenders.iter().position(|it| it.host == host)
            });
            if let (Some(holder), Some(index)) = (holder, index) {
                return (holder.to_owned(), index);
            }
            assert!(
                Instant::now() < deadline,
                "no leader after {other:?}: {leases}"
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Gives the leader much to do at once.
    fn storm(&self, round: usize) {
        for index in 1..OBJECTS {
            scale(self.plane.api(), index, 20 + (round + index) % 10);
        }
    }

    /// Waits until somebody has done what was asked for just now.
    fn works(&self, round: usize) {
        let replicas = 100 + round % 1000;
        scale(self.plane.api(), 0, replicas);
        let path = format!("{DEPLOYMENTS}/{}", name(0));
        eventually("work by the new leader", SOON, || {
            (self.plane.api().get(&path)["spec"]["replicas"] == replicas).then_some(())
        });
    }

    /// Lets the API server refuse renewals by one operator.
    fn refuse(&self, victim: &str) {
        let applied = self.plane.apply(&POLICY.replace("VICTIM", victim));
        assert!(applied.status.success(), "{applied:?}");
    }
}

/// Changes objects, one after the other, while `alive` is.
fn keep_changing(plane: &ControlPlane, alive: Weak<()>) {
    for count in 0.. {
        if alive.strong_count() == 0 {
            return;
        }
        scale(
            plane.api(),
            1 + count % (OBJECTS - 1),
            1 + count / OBJECTS % 10,
        );
        thread::sleep(Duration::from_millis(30));
    }
}

fn name(index: usize) -> String {
    format!("app-{index}")
}

fn scale(api: &Api, index: usize, replicas: usize) {
    let path = format!("{SERVICES}/{}", name(index));
    api.merge(&path, &json!({"spec": {"replicas": replicas}}));
}

/// A number below `limit`, good enough to vary when something happens.
fn random(limit: u64) -> u64 {
    let time = SystemTime::UNIX_EPOCH.elapsed().expect("a time after 1970");
    u64::from(time.subsec_nanos()) / 1000 % limit
}

/// Median, shortest and longest of some times in seconds.
fn spread(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    match (times.first(), times.last()) {
        (Some(first), Some(last)) => {
            let median = times[times.len() / 2];
            format!(
                "{median:.3} s ({first:.3} to {last:.3}, {} times)",
                times.len()
            )
        }
        _ => "never".to_owned(),
    }
}

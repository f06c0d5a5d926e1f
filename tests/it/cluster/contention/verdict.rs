//! Who wrote what, and who was allowed to: from the audit log of the API server.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

/// What the audit log says of a run.
#[derive(Default)]
pub(super) struct Verdict {
    /// Writes by operators, but for those to the lease.
    pub(super) writes: usize,
    /// How often the lease went to another.
    pub(super) takeovers: usize,
    /// Leaders that wrote something.
    pub(super) active: usize,
    /// Every write by an operator that did not hold the lease.
    pub(super) violations: Vec<String>,
    /// Every write that the API server had before the lease went to another, and carried out
    /// after that. No client can prevent it: what has left has left.
    pub(super) late: Vec<String>,
    /// From each release of the lease to its taking, in seconds.
    pub(super) handovers: Vec<f64>,
}

/// A change of the cluster.
struct Change {
    /// When the API server got the request, and when it had answered.
    received: String,
    answered: String,
    /// Which operator made it, if any.
    author: Option<String>,
    /// For one of the lease: who holds it from now on.
    holder: Option<String>,
    what: String,
}

/// Judges the run that an audit log tells of.
///
/// etcd numbers all changes of the cluster in one row, and each object carries the number of its
/// last change: so their order is exact, whatever the clocks and delays of those that wrote.
pub(super) fn judge(audit_log: &Path) -> Verdict {
    let mut verdict = Verdict::default();
    let (mut leader, mut released) = (None::<String>, None::<String>);
    let mut active = BTreeSet::new();
    // Since when somebody else may lead than who did before.
    let mut since = String::new();
    for (revision, change) in changes(audit_log) {
        let Some(author) = change.author else {
            continue;
        };
        let is_leader = leader.as_ref() == Some(&author);
        match change.holder {
            Some(holder) if holder.is_empty() => {
                if !is_leader {
                    verdict
                        .violations
                        .push(format!("{revision}: {author} released the lease"));
                }
                since = change.received;
                (leader, released) = (None, Some(change.answered));
            }
            Some(holder) => {
                if holder != author {
                    let claim = format!("{revision}: {author} wrote {holder} into the lease");
                    verdict.violations.push(claim);
                }
                if !is_leader {
                    verdict.takeovers += 1;
                    let handover = released.take().map(|time| seconds(&change.answered, &time));
                    verdict.handovers.extend(handover);
                    since = change.received;
                }
                leader = Some(holder);
            }
            None => {
                verdict.writes += 1;
                if is_leader {
                    active.insert(author);
                    continue;
                }
                let claim = format!(
                    "{revision}, got at {}, answered at {}: {author} {} when the leader was \
                     {leader:?} since {since}",
                    change.received, change.answered, change.what
                );
                if change.received < since {
                    verdict.late.push(claim);
                } else {
                    verdict.violations.push(claim);
                }
            }
        }
    }
    verdict.active = active.len();
    verdict
}

/// Every change, by its number.
///
/// A write that changes nothing is answered with the number of the last change, made before: it
/// was got when a later one, or that one, had been answered.
fn changes(audit_log: &Path) -> BTreeMap<u64, Change> {
    let log = BufReader::new(File::open(audit_log).expect("an audit log"));
    let lines = log
        .lines()
        .map(|line| line.expect("a line of the audit log"));
    let mut answers: Vec<_> = lines.filter_map(|line| change(&line)).collect();
    answers.sort_by(|(a, one), (b, other)| (a, &one.answered).cmp(&(b, &other.answered)));
    let mut changes = BTreeMap::new();
    let mut earliest_of_later: Option<String> = None;
    for (revision, change) in answers.into_iter().rev() {
        let answered = change.answered.clone();
        if earliest_of_later
            .as_ref()
            .is_none_or(|later| change.received <= *later)
        {
            // Of two answers with one number the earlier one made the change.
            changes.insert(revision, change);
        }
        earliest_of_later = earliest_of_later
            .filter(|later| *later < answered)
            .or(Some(answered));
    }
    changes
}

/// What a line of the audit log says of a change.
fn change(line: &str) -> Option<(u64, Change)> {
    let event: Value = serde_json::from_str(line).ok()?;
    let is_done = event["responseStatus"]["code"].as_u64()? < 300;
    let result = event.get("responseObject").filter(|_| is_done)?;
    let revision = result["metadata"]["resourceVersion"].as_str()?;
    let agent = event["userAgent"].as_str().unwrap_or_default();
    let author = agent
        .strip_prefix("app-operator/")
        .and_then(|rest| rest.split_once('('))
        .map(|(_, identity)| identity.trim_end_matches(')').to_owned());
    let is_lease = event["objectRef"]["resource"] == "leases";
    let holder = is_lease.then(|| {
        let holder = result["spec"]["holderIdentity"].as_str();
        holder.unwrap_or_default().to_owned()
    });
    let time = |field: &str| event[field].as_str().map(str::to_owned);
    let change = Change {
        received: time("requestReceivedTimestamp")?,
        answered: time("stageTimestamp")?,
        author,
        holder,
        what: format!("{} {}", event["verb"], event["requestURI"]),
    };
    Some((revision.parse().ok()?, change))
}

/// The time between two timestamps, less than a day apart.
fn seconds(later: &str, earlier: &str) -> f64 {
    let of_day = |time: &str| -> f64 {
        let clock = time.split_once('T').map_or("", |(_, clock)| clock);
        let parts = clock.trim_end_matches('Z').split(':');
        parts.fold(0.0, |sum, part| {
            sum * 60.0 + part.parse::<f64>().unwrap_or(0.0)
        })
    };
    (of_day(later) - of_day(earlier)).rem_euclid(86_400.0)
}

//! What the simulation reports of a seed: a line of JSON.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What came of a seed.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct History {
    pub(crate) seed: u64,
    /// A sum of the whole history: the same seed gives the same one.
    pub(crate) digest: String,
    /// Simulated.
    pub(crate) seconds: u64,
    pub(crate) faults: u64,
    pub(crate) reconciles: u64,
    pub(crate) requests: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failure>,
}

impl History {
    /// What a line says of a seed. The harness of the tests has lines of its own, and leaves the name of a test
    /// in front of the first line that the test prints.
    pub(super) fn read(line: &str) -> Option<Self> {
        let start = line.find("{\"seed\":")?;
        serde_json::from_str(&line[start..]).ok()
    }
}

/// Results of the cluster without faults, before the seeds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Calm {
    /// How many changes of others the operator repaired.
    pub(crate) repairs: u64,
    /// How many shapes of fields the operator answered, and how many there are.
    #[serde(default)]
    pub(crate) shapes: u64,
    #[serde(default)]
    pub(crate) shapes_found: u64,
    /// At how many points of a crash the operator recovered, and how many there are.
    #[serde(default)]
    pub(crate) points: u64,
    #[serde(default)]
    pub(crate) points_found: u64,
    /// Fields of specs that change no child and no status.
    pub(crate) ineffective_fields: Vec<String>,
    /// Kinds that are ready before what they need, such as `sites before deployments`.
    #[serde(default)]
    pub(crate) hasty_statuses: Vec<String>,
    /// Values of fields for which the API server refuses a child.
    #[serde(default)]
    pub(crate) refused_values: Vec<String>,
    /// Fields that change what Pods have read, with workloads, such as `sites.spec.page of deployments`.
    #[serde(default)]
    pub(crate) outdated_environments: Vec<String>,
}

impl Calm {
    /// Reads a line, like [`History::read`].
    pub(super) fn read(line: &str) -> Option<Self> {
        read_after("{\"calm\":", line)
    }
}

/// All events of a seed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct EventLog {
    pub(crate) plan: String,
    /// The invariant that does not hold, and the name of the object that it is about.
    invariant: Option<String>,
    about: Option<String>,
    /// Details of the violation, line by line.
    story: Vec<String>,
    events: Vec<Event>,
}

/// When, in milliseconds, who did what to which object, and the result.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Event(u64, String, String, String, String);

impl EventLog {
    /// Reads a line, like [`History::read`].
    pub(super) fn read(line: &str) -> Option<Self> {
        read_after("{\"history\":", line)
    }
}

/// What all seeds together say of the project's role.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Role {
    /// Permissions that no request needed, as in a marker.
    pub(crate) never_used: Vec<String>,
}

impl Role {
    /// Reads a line, like [`History::read`].
    pub(super) fn read(line: &str) -> Option<Self> {
        read_after("{\"role\":", line)
    }
}

/// The JSON value after `start`.
fn read_after<T: DeserializeOwned>(start: &str, line: &str) -> Option<T> {
    let start = line.find(start)? + start.len();
    let mut values = serde_json::Deserializer::from_str(&line[start..]).into_iter();
    values.next()?.ok()
}

/// What broke in a seed.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Failure {
    /// The rule that does not hold.
    pub(crate) invariant: String,
    /// What the seed was made smaller to, as `--plan` takes it.
    pub(crate) plan: String,
    /// For a person to read: what is wrong, and who did what when.
    pub(crate) report: String,
}

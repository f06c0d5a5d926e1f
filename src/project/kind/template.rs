use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// What the types and the controller of a kind start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Template {
    /// A Deployment and, if there are ports, a Service.
    #[default]
    Workload,
    /// One example field, and a reconcile that updates the status.
    Minimal,
    /// One pod.
    Pod,
    /// A Job that runs once and is deleted after a time to live.
    Job,
}

impl Template {
    /// All of them.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// Whether objects have `/scale`.
    pub fn has_scale(self) -> bool {
        self == Self::Workload
    }

    /// Whether its controller creates children, in `resources.rs`.
    pub fn has_resources(self) -> bool {
        self != Self::Minimal
    }

    /// Whether its objects depend on their history: what ran stays in the status, whatever becomes of the spec.
    pub fn has_history(self) -> bool {
        self == Self::Job
    }

    /// The image of a sample, where nobody asked for another.
    pub fn default_image(self) -> Option<&'static str> {
        match self {
            Self::Workload => Some("nginx:1.29"),
            Self::Job | Self::Pod => Some("busybox:1.37"),
            Self::Minimal => None,
        }
    }

    /// The port of a sample, where nobody asked for another.
    pub fn default_port(self) -> Option<u16> {
        (self == Self::Workload).then_some(80)
    }
}

/// The name on the command line, in PROJECT, and below `templates/kind/`.
impl fmt::Display for Template {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        formatter.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// OLM, or the catalog that asks for it, does not take the bundle.
    Error,
    /// It takes it, and something is missing or will break.
    Warning,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// The rules that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Suite {
    /// Whether the files can be read. Always runs, as the next four.
    Loading,
    /// The annotations and dependencies.
    Format,
    /// The `ClusterServiceVersion`.
    Csv,
    /// The CRDs.
    Crd,
    /// How the objects fit together.
    Content,
    /// What OperatorHub shows.
    OperatorHub,
    /// That the validator `operatorhub` is out of date.
    OperatorHubV1,
    /// The level of capabilities.
    Capabilities,
    /// The categories.
    Categories,
    /// Recommendations.
    GoodPractices,
    /// APIs that Kubernetes removed.
    RemovedApis,
    /// The community catalog of OpenShift.
    Community,
    /// Architectures.
    MultiArch,
    /// Objects that disturb a cluster.
    Objects,
    /// OLM v1.
    OlmV1,
}

impl Suite {
    /// The optional validators that run it; none if it always runs.
    pub fn validators(self) -> &'static [&'static str] {
        match self {
            Self::Loading | Self::Format | Self::Csv | Self::Crd | Self::Content => &[],
            Self::OperatorHub => &["operatorhubv2", "operatorhub"],
            Self::OperatorHubV1 => &["operatorhub"],
            Self::Capabilities => &["capabilities", "operatorhub"],
            Self::Categories => &["categories", "operatorhub"],
            Self::GoodPractices => &["good-practices"],
            Self::RemovedApis => &["alpha-deprecated-apis", "operatorhubv2", "operatorhub"],
            Self::Community => &["community"],
            Self::MultiArch => &["multiarch"],
            Self::Objects => &["object"],
            Self::OlmV1 => &["olmv1"],
        }
    }
}

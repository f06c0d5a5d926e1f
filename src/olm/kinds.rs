//! What OLM knows.

/// The kind that describes one version of an operator.
pub(super) const CSV: &str = "ClusterServiceVersion";

/// Begins each annotation of a bundle, before `package.v1` and the like.
pub(super) const BUNDLE_PREFIX: &str = "operators.operatorframework.io.bundle.";

/// The kinds that a bundle can have beside its CSV and CRDs.
pub(super) const SUPPORTED_KINDS: [&str; 19] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "ConsoleQuickStart",
    "ConsoleYAMLSample",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "PriorityClass",
    "PrometheusRule",
    "Role",
    "RoleBinding",
    "Secret",
    "Service",
    "ServiceAccount",
    "ServiceMonitor",
    "VerticalPodAutoscaler",
];

/// What a `ClusterServiceVersion` says of a webhook as a webhook configuration does. OLM selects the namespaces itself.
pub(super) const WEBHOOK_FIELDS: [&str; 8] = [
    "admissionReviewVersions",
    "failurePolicy",
    "matchPolicy",
    "objectSelector",
    "reinvocationPolicy",
    "rules",
    "sideEffects",
    "timeoutSeconds",
];

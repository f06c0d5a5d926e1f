//! Commands that other tools have, or that rop is to have, and what to do until then.

/// The word that was not understood, and the way there is.
const UNSUPPORTED: [(&str, &str); 16] = [
    (
        "update",
        "compare with a fresh `rop init` in another directory: `rop update` is planned",
    ),
    (
        "import",
        "start with `rop init` and write the types by hand: `rop import` is planned",
    ),
    (
        "doctor",
        "`rop version` says what it generates for: `rop doctor` is planned",
    ),
    (
        "check",
        "`rop generate manifests --check` checks the manifests: `rop check` is planned",
    ),
    ("webhook", "it is `rop create webhook`"),
    (
        "helm",
        "`rop generate installer` writes one file for `kubectl apply`; `rop generate helm` is planned",
    ),
    (
        "catalog",
        "OLM is planned; `rop generate installer` writes one file for `kubectl apply`",
    ),
    (
        "csv",
        "OLM is planned; `rop generate installer` writes one file for `kubectl apply`",
    ),
    ("olm", "OLM is planned; `rop deploy` deploys without it"),
    (
        "cleanup",
        "`rop undeploy` removes the operator from a cluster",
    ),
    (
        "scorecard",
        "`cargo test` tests the operator, with KUBEBUILDER_ASSETS set on a real API server too",
    ),
    ("test", "`cargo test` tests the operator"),
    ("manifests", "it is `rop generate manifests`"),
    ("api", "it is `rop create api`"),
    (
        "docs",
        "`cargo doc` shows the types; `rop generate docs` is planned",
    ),
    (
        "rbac",
        "it is `rop generate manifests`, from the markers `+kubebuilder:rbac` in `src/`",
    ),
];

/// What to do where `word` is no command.
pub(super) fn hint(word: &str) -> Option<&'static str> {
    let found = UNSUPPORTED.iter().find(|(absent, _)| *absent == word);
    found.map(|(_, hint)| *hint)
}

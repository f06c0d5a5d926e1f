//! Commands of other tools, and planned commands, with the alternative.

/// The unknown word, and the alternative.
const UNSUPPORTED: [(&str, &str); 14] = [
    (
        "import",
        "start with `rop init` and write the types by hand; `rop import` is planned",
    ),
    (
        "alpha",
        "`rop update` brings a project to this release, and `rop generate project` generates the files that PROJECT lists",
    ),
    (
        "packagemanifests",
        "the format is deprecated: `rop bundle` generates a bundle",
    ),
    (
        "pkgman-to-bundle",
        "the format packagemanifests is deprecated: `rop bundle` generates a bundle",
    ),
    ("render", "use `rop catalog init` and `rop catalog add`"),
    ("dockerfile", "use `rop catalog build`"),
    ("webhook", "use `rop create webhook`"),
    ("helm", "use `rop generate chart`"),
    ("csv", "use `rop bundle`"),
    ("test", "`cargo test` tests the operator"),
    ("manifests", "use `rop generate manifests`"),
    ("api", "use `rop create api`"),
    ("docs", "use `rop generate docs`"),
    (
        "rbac",
        "use `rop generate manifests`, which reads the `+kubebuilder:rbac` markers in `src/`",
    ),
];

/// Whether `rop run` of operator-sdk has this subcommand.
pub(super) fn is_subcommand_of_run(word: &str) -> bool {
    word == "packagemanifests"
}

/// What to do where `word` is no command.
pub(super) fn hint(word: &str) -> Option<&'static str> {
    let found = UNSUPPORTED.iter().find(|(command, _)| *command == word);
    found.map(|(_, hint)| *hint)
}

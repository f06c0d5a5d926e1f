use clap::Args;

use crate::ui::Ui;

/// Flags of the Go tools that mean nothing in Rust: taken, so that scripts and habits carry over.
#[derive(Debug, Args)]
pub(in crate::cli) struct IgnoredFlags {
    #[arg(long, hide = true)]
    repo: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    fetch_deps: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    make: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    skip_go_version_check: Option<bool>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    ssa: Option<bool>,
    #[arg(long, hide = true)]
    plugins: Option<String>,
    #[arg(long, hide = true)]
    project_version: Option<String>,
}

impl IgnoredFlags {
    /// Notes each given flag that has no effect here.
    pub(in crate::cli) fn report(&self, ui: &Ui) {
        let given = [
            (
                self.repo.is_some(),
                "--repo",
                "a cargo package needs no import path",
            ),
            (
                self.fetch_deps.is_some(),
                "--fetch-deps",
                "cargo fetches dependencies when it builds",
            ),
            (
                self.make.is_some(),
                "--make",
                "rop writes the manifests itself",
            ),
            (
                self.skip_go_version_check.is_some(),
                "--skip-go-version-check",
                "no Go is needed",
            ),
            (
                self.ssa.is_some(),
                "--ssa",
                "operators always use server-side apply",
            ),
            (
                self.plugins.is_some(),
                "--plugins",
                "everything is built in",
            ),
            (
                self.project_version.is_some(),
                "--project-version",
                "the only version is 3",
            ),
        ];
        for (_, flag, why) in given.into_iter().filter(|(given, ..)| *given) {
            ui.note(&format!("{flag} has no effect: {why}"));
        }
    }
}

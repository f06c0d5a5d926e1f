use clap::Args;

use crate::address::COMPAT;
use crate::cli::bundle::generate;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::cli::legacy::generate::bundle::BASES;
use crate::cli::legacy::generate::without_meaning::{WithoutMeaning, check};
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  rop generate kustomize manifests -q";

/// Generate the base of a bundle; `rop bundle` also does this.
///
/// Writes `config/manifests/bases/<project>.clusterserviceversion.yaml` if it does not exist, and asks no questions.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[COMPAT]))]
pub(in crate::cli) struct ManifestsArgs {
    #[arg(long, hide = true)]
    package: Option<String>,
    #[arg(long, hide = true)]
    input_dir: Option<String>,
    #[arg(long, hide = true)]
    output_dir: Option<String>,
    #[arg(long, hide = true)]
    apis_dir: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    interactive: Option<bool>,
}

pub(super) fn run(args: &ManifestsArgs, invocation: &Invocation) -> Result<()> {
    let is_other = |given: &Option<String>, usual: &str| {
        let given = given.as_deref();
        given.is_some_and(|folder| folder.trim_end_matches('/') != usual)
    };
    let folder = "remove it: the base of the bundle is in `config/manifests`";
    check(&[
        WithoutMeaning {
            flag: "--input-dir",
            is_given: is_other(&args.input_dir, BASES),
            hint: folder,
        },
        WithoutMeaning {
            flag: "--output-dir",
            is_given: is_other(&args.output_dir, BASES),
            hint: folder,
        },
        WithoutMeaning {
            flag: "--apis-dir",
            is_given: is_other(&args.apis_dir, "api"),
            hint: "remove it: the types are in `api`",
        },
    ])?;
    let ui = &invocation.ui;
    ui.note("`rop bundle` does this too");
    if args.interactive == Some(true) {
        ui.note("--interactive has no effect: describe the operator in the base");
    }
    generate::base_of_package(args.package.as_deref(), invocation)
}

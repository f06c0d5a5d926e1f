use clap::{ArgAction, Args};

use super::without_meaning::{WithoutMeaning, check};
use crate::address::COMPAT;
use crate::cli::bundle::generate::{self, GenerateArgs};
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  rop generate bundle --version 1.0.0 --channels stable --default-channel stable
  rop generate bundle -q --overwrite --version 1.0.0 --output-dir bundle";

/// Generate an OLM bundle; same as `rop bundle`.
///
/// It reads nothing from stdin: rop renders `config/default` itself.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[COMPAT]))]
pub(in crate::cli) struct BundleArgs {
    #[command(flatten)]
    generate: GenerateArgs,

    /// Package of the bundle: the name of the project.
    #[arg(long, hide = true)]
    package: Option<String>,
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    overwrite: Option<bool>,
    #[arg(long, hide = true)]
    input_dir: Option<String>,
    #[arg(long, hide = true)]
    deploy_dir: Option<String>,
    #[arg(long, hide = true)]
    crds_dir: Option<String>,
    #[arg(long, hide = true)]
    kustomize_dir: Option<String>,
    #[arg(long, hide = true)]
    extra_service_accounts: Option<String>,
    #[arg(long, hide = true, action = ArgAction::SetTrue)]
    manifests: bool,
    #[arg(long, hide = true, action = ArgAction::SetTrue)]
    metadata: bool,
    #[arg(long, hide = true, action = ArgAction::SetTrue)]
    stdout: bool,
    #[arg(long, hide = true, action = ArgAction::SetTrue)]
    use_image_digests: bool,
}

/// Where operator-sdk has the base of a bundle, and rop too.
pub(super) const BASES: &str = "config/manifests";

pub(super) fn run(args: &BundleArgs, invocation: &Invocation) -> Result<()> {
    let rendered = "remove it: rop renders `config/default` itself";
    let elsewhere = args
        .kustomize_dir
        .as_deref()
        .is_some_and(|it| it.trim_end_matches('/') != BASES);
    check(&[
        WithoutMeaning {
            flag: "--input-dir",
            is_given: args.input_dir.is_some(),
            hint: rendered,
        },
        WithoutMeaning {
            flag: "--deploy-dir",
            is_given: args.deploy_dir.is_some(),
            hint: rendered,
        },
        WithoutMeaning {
            flag: "--crds-dir",
            is_given: args.crds_dir.is_some(),
            hint: rendered,
        },
        WithoutMeaning {
            flag: "--kustomize-dir",
            is_given: elsewhere,
            hint: "remove it: the base of the bundle is in `config/manifests`",
        },
        WithoutMeaning {
            flag: "--extra-service-accounts",
            is_given: args.extra_service_accounts.is_some(),
            hint: "remove it: the bundle has the roles of the service accounts of all Deployments",
        },
        WithoutMeaning {
            flag: "--manifests",
            is_given: args.manifests && !args.metadata,
            hint: "remove it: rop writes the manifests with the metadata",
        },
        WithoutMeaning {
            flag: "--metadata",
            is_given: args.metadata && !args.manifests,
            hint: "remove it: rop writes the metadata with the manifests",
        },
        WithoutMeaning {
            flag: "--stdout",
            is_given: args.stdout,
            hint: "`rop bundle --dry-run --verbose` prints what would be written, as a diff",
        },
        WithoutMeaning {
            flag: "--use-image-digests",
            is_given: args.use_image_digests,
            hint: "list the digests in a file: `rop bundle --image-digests FILE`",
        },
    ])?;
    let ui = &invocation.ui;
    ui.note("this command is now `rop bundle`");
    if args.overwrite.is_some() {
        ui.note("--overwrite has no effect: rop merges your edits with what changed");
    }
    generate::run_of_package(args.package.as_deref(), &args.generate, invocation)
}

use std::path::PathBuf;

use clap::Args;

use crate::error::{Code, Error, Result};
use crate::output::DeployFolder;
use crate::project::Project;
use crate::project::name::{Domain, Owner};
use crate::shell_word::shell_word;

use crate::address::COMPAT;
use crate::cli::args::ignored_flags::IgnoredFlags;
use crate::cli::help::examples;
use crate::cli::init::{self, InitArgs};
use crate::cli::invocation::Invocation;

/// The domain of a project that nobody has named one for.
const DOMAIN: &str = "example.com";

const EXAMPLES: &str = "\
Examples:
  rop new app-operator --domain example.com
  rop new app-operator --repo github.com/example-inc/app-operator";

/// Create a project in a new directory.
///
/// Also generates the directory `deploy/`; without it, use `rop init NAME --domain DOMAIN`. If `--domain` is not set, the
/// first `rop add api` sets the domain.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[COMPAT]))]
pub(in crate::cli) struct NewArgs {
    /// Name of the project and of the new directory.
    #[arg(value_name = "NAME")]
    name: PathBuf,

    /// Domain of the API groups, such as `example.com`.
    #[arg(long)]
    domain: Option<Domain>,

    /// Copyright holder in the source headers.
    #[arg(long)]
    owner: Option<Owner>,

    #[arg(long = "type", hide = true, default_value = "go")]
    sort: String,

    #[command(flatten)]
    ignored: IgnoredFlags,
}

pub(super) fn run(args: NewArgs, invocation: &Invocation) -> Result<()> {
    if args.sort != "go" {
        let sort = &args.sort;
        return Err(Error::new(
            Code::Unsupported,
            format!("unsupported operator type `{sort}`: rop generates Rust operators only"),
        )
        .hint("remove `--type`"));
    }
    let domain = match args.domain {
        Some(domain) => domain,
        None => DOMAIN.parse()?,
    };
    invocation.ui.note(&format!(
        "this command is now `rop init {} --domain {domain}`, with `rop generate deploy` for the directory `deploy/`",
        shell_word(&args.name.to_string_lossy())
    ));
    let init = InitArgs::new(args.name, domain, args.owner, args.ignored);
    let first_api = |project: &Project| {
        format!(
            "rop add api --api-version=app.{}/v1alpha1 --kind=AppService",
            project.domain
        )
    };
    init::run_with(init, Some(&DeployFolder), first_api, invocation)
}

use std::path::PathBuf;

use clap::Args;

use crate::error::{Code, Error, Result};
use crate::output::DeployFolder;
use crate::project::Project;
use crate::project::name::{Domain, Owner};

use crate::cli::args::ignored_flags::IgnoredFlags;
use crate::cli::init::{self, InitArgs};
use crate::cli::invocation::Invocation;

/// The domain of a project that nobody has named one for.
const DOMAIN: &str = "example.com";

const EXAMPLES: &str = "\
Examples:
  rop new app-operator --domain example.com
  rop new app-operator --repo github.com/example-inc/app-operator";

/// Create a project in a new directory, as operator-sdk 0.x does.
///
/// Also writes the folder `deploy/`. Without `--domain`, the first `rop add api` sets the domain.
/// Without that folder, use `rop init NAME --domain DOMAIN`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct NewArgs {
    /// Name of the project, and of the new directory.
    #[arg(value_name = "NAME")]
    name: PathBuf,

    /// Domain of the API groups.
    #[arg(long)]
    domain: Option<Domain>,

    /// Copyright holder for the sources.
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
            format!("rop cannot generate operators of the type `{sort}`"),
        )
        .hint("leave out `--type`: the operator is written in Rust"));
    }
    let domain = match args.domain {
        Some(domain) => domain,
        None => DOMAIN.parse()?,
    };
    invocation.ui.note(&format!(
        "today this is `rop init {} --domain {domain}`, and `rop generate deploy` for the folder `deploy/`",
        args.name.display()
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

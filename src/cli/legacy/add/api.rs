use clap::Args;

use crate::cli::create::extend;
use crate::cli::invocation::Invocation;
use crate::error::Result;
use crate::project::{ProjectKind, Template};

use super::KindArgs;
use crate::address::COMPAT;
use crate::cli::help::examples;

const EXAMPLES: &str = "\
Examples:
  rop add api --api-version=app.example.com/v1alpha1 --kind=AppService";

/// Add the types, CRD and sample of an API, without a controller.
///
/// Same as `rop create api --template pod --controller=false`; the template `pod` does what operator-sdk's example did.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[COMPAT]))]
pub(in crate::cli) struct ApiArgs {
    #[command(flatten)]
    kind: KindArgs,
}

pub(super) fn run(args: ApiArgs, invocation: &Invocation) -> Result<()> {
    let args = args.kind;
    args.ignored.report(&invocation.ui);
    extend("add api", args.force, invocation, |project| {
        let (group, domain) = args.api_version.group(project)?;
        let (version, kind) = (args.api_version.version, args.kind);
        invocation.ui.note(&format!(
            "this command is now `rop create api --group {group} --version {version} --kind {kind} --template pod \
            --controller=false`"
        ));
        let mut new = ProjectKind {
            controllers: Vec::new(),
            ..ProjectKind::own(domain, group, version, kind)
        };
        new.versions[0].template = Template::Pod;
        let existing = project.same(&new).and_then(|kind| kind.version(&new.hub));
        if existing.is_some_and(|existing| existing.version.template == Template::Pod) {
            Ok(())
        } else {
            project.add(new)
        }
    })
}

use clap::{ArgGroup, Args};

use crate::error::{Code, Error, Result};
use crate::output;
use crate::project::name::{Plural, Version, WebhookPath};
use crate::project::{Project, Webhooks};
use crate::scaffold::Change;

use super::edits::edits;
use super::fixture::say_what_to_check;
use crate::cli::args::ignored_flags::IgnoredFlags;
use crate::cli::args::kind::KindArgs;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};

const EXAMPLES: &str = "\
Examples:
  rop create webhook --group app --kind AppService --defaulting --validation
  rop create webhook --group app --version v1 --kind AppService --programmatic-validation
  rop create webhook --group core --kind Pod --defaulting      # a kind of Kubernetes
  rop create webhook --group core --kind Pod --defaulting --defaulting-path /mutate-pods
  rop create webhook --group app --kind AppService --conversion --spoke v1";

/// Add webhooks for a kind: functions that complete, check or convert its objects.
///
/// The kind is one of the project's, or one of Kubernetes, such as `--group core --kind Pod`.
///
/// Most rules need no webhook: defaults and CEL rules with the types in `api/` are checked by the API
/// server itself, so they cannot be down. A policy (`rop create policy`) also sees who asks and the labels of
/// the namespace. A webhook is for what CEL cannot do, such as asking other systems.
///
/// A kind with several versions whose types differ needs a conversion between the hub, in which its objects are
/// stored, and each of the others, the spokes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("webhooks").required(true).multiple(true))]
#[command(mut_arg("version", |flag| flag.help("The version [default: the hub, or the preferred one of Kubernetes]")))]
pub(in crate::cli) struct WebhookArgs {
    #[command(flatten)]
    of: KindArgs,

    #[arg(long, hide = true)]
    plural: Option<Plural>,

    /// Add a webhook that completes objects: `default.rs`.
    #[arg(long, group = "webhooks", num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, value_name = "BOOL", hide_default_value = true, hide_possible_values = true)]
    defaulting: bool,

    /// Add a webhook that checks objects: `validate.rs`.
    #[arg(long, group = "webhooks", visible_alias = "programmatic-validation", num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, value_name = "BOOL", hide_default_value = true, hide_possible_values = true)]
    validation: bool,

    /// Convert objects between the hub of the kind and its other versions.
    #[arg(long, group = "webhooks", num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, value_name = "BOOL", hide_default_value = true, hide_possible_values = true)]
    conversion: bool,

    /// The versions to convert [default: all but the hub].
    #[arg(
        long,
        value_name = "VERSIONS",
        value_delimiter = ',',
        requires = "conversion"
    )]
    spoke: Vec<Version>,

    /// Path of the first [default: as in `/mutate-app-example-com-v1-appservice`].
    #[arg(long, value_name = "PATH", requires = "defaulting")]
    defaulting_path: Option<WebhookPath>,

    /// Path of the second [default: as in `/validate-app-example-com-v1-appservice`].
    #[arg(long, value_name = "PATH", requires = "validation")]
    validation_path: Option<WebhookPath>,

    /// Overwrite files that conflict.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    ignored: IgnoredFlags,
}

pub(super) fn run(args: WebhookArgs, invocation: &Invocation) -> Result<()> {
    args.ignored.report(&invocation.ui);
    if args.plural.is_some() {
        invocation
            .ui
            .note("--plural has no effect: a webhook is for a kind that exists, with its plural");
    }
    if !(args.defaulting || args.validation || args.conversion) {
        return Err(Error::new(
            Code::ConflictingFlags,
            "each kind of webhook is asked not to be made",
        )
        .hint("name one that is: `--defaulting`, `--validation` or `--conversion`"));
    }
    let Opened { entered, root } = invocation.open_whole(Access::Write)?;
    let view = &entered.view;
    let mut project = root.project.clone();
    let wanted = Webhooks {
        conversion: args.conversion,
        spoke: args.spoke,
        defaulting: args.defaulting,
        defaulting_path: args.defaulting_path,
        validation: args.validation,
        validation_path: args.validation_path,
        ..Webhooks::default()
    };
    project.add_webhooks(
        &args.of.group,
        args.of.version.as_ref(),
        &args.of.kind,
        &wanted,
    )?;
    for note in output::of(view).filter_map(|output| output.note(&project)) {
        invocation.ui.note(note);
    }
    let (before, after) = Change::new(view, Some(&root.project), &project).trees()?;
    say_what_to_check(view, &project, &before, &invocation.ui)?;
    let plan = invocation.carry_out(&Transition {
        command: "create webhook",
        view,
        before,
        after,
        force: args.force,
    })?;
    let edits = edits(files, [&root.project, &project]).into_iter();
    let steps = ["cargo test".into(), "rop dev".into()];
    invocation.next(&plan, &edits.chain(steps).collect::<Vec<_>>());
    Ok(())
}

/// The files of all webhooks and conversions.
fn files(project: &Project) -> Vec<String> {
    let kinds = project.webhook_kinds();
    let files = kinds
        .iter()
        .flat_map(|kind| kind.sorts().map(|sort| kind.source(sort)));
    let conversions = project.conversions().map(|one| one.source());
    files.chain(conversions).collect()
}

use clap::{ArgGroup, Args};

use crate::error::{Code, Error, Result};
use crate::output;
use crate::project::name::{Plural, Version, WebhookPath};
use crate::project::{Project, Webhooks};
use crate::scaffold::Change;

use super::edits::edits;
use super::fixture::note_fields_to_check;
use crate::address::{VERSIONS, WEBHOOKS};
use crate::cli::args::ignored_flags::IgnoredFlags;
use crate::cli::args::kind::KindArgs;
use crate::cli::help::examples;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};

const EXAMPLES: &str = "\
Examples:
  rop create webhook --group app --kind AppService --defaulting --validation
  rop create webhook --group app --version v1 --kind AppService --programmatic-validation
  rop create webhook --group core --kind Pod --defaulting      # a built-in kind
  rop create webhook --group core --kind Pod --defaulting --defaulting-path /mutate-pods
  rop create webhook --group app --kind AppService --conversion --spoke v1";

/// Add defaulting, validating and conversion webhooks for a kind.
///
/// The kind belongs to the project or is built into Kubernetes, such as `--group core --kind Pod`.
///
/// Most rules need no webhook: the API server itself applies defaults and CEL rules declared in `api/`, so they are
/// always available. A policy (`rop create policy`) can also check the user and the namespace's labels. Use a webhook
/// for what CEL cannot do, such as calling other systems.
///
/// A kind with several versions whose types differ needs a conversion between the hub (its storage version) and the
/// other versions (the spokes).
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[WEBHOOKS, VERSIONS]), group = ArgGroup::new("webhooks").required(true).multiple(true))]
#[command(mut_arg("version", |flag| flag.help("API version [default: the hub, or the preferred built-in version]")))]
pub(in crate::cli) struct WebhookArgs {
    #[command(flatten)]
    of: KindArgs,

    #[arg(long, hide = true)]
    plural: Option<Plural>,

    /// Add a defaulting webhook.
    #[arg(long, group = "webhooks", num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, value_name = "BOOL", hide_default_value = true, hide_possible_values = true)]
    defaulting: bool,

    /// Add a validating webhook.
    #[arg(long, group = "webhooks", visible_alias = "programmatic-validation", num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, value_name = "BOOL", hide_default_value = true, hide_possible_values = true)]
    validation: bool,

    /// Add a conversion between the hub and the other versions.
    #[arg(long, group = "webhooks", num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, value_name = "BOOL", hide_default_value = true, hide_possible_values = true)]
    conversion: bool,

    /// Versions to convert, separated by commas [default: all but the hub].
    #[arg(
        long,
        value_name = "VERSIONS",
        value_delimiter = ',',
        requires = "conversion"
    )]
    spoke: Vec<Version>,

    /// URL path of the defaulting webhook [default: derived from the kind].
    #[arg(long, value_name = "PATH", requires = "defaulting")]
    defaulting_path: Option<WebhookPath>,

    /// URL path of the validating webhook [default: derived from the kind].
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
            .note("--plural has no effect: the webhook uses the plural of the existing kind");
    }
    if !(args.defaulting || args.validation || args.conversion) {
        return Err(Error::new(
            Code::ConflictingFlags,
            "nothing to create: no webhook was requested",
        )
        .hint("add `--defaulting`, `--validation` or `--conversion`"));
    }
    let Opened { entered, root } = invocation.open_complete(Access::Write)?;
    let view = &entered.view;
    let mut project = root.project.clone();
    let requested = Webhooks {
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
        &requested,
    )?;
    for note in output::of(view).filter_map(|output| output.note(&project)) {
        invocation.ui.note(note);
    }
    let (before, after) = Change::new(view, Some(&root.project), &project).trees()?;
    note_fields_to_check(view, &project, &before, &invocation.ui)?;
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
    let conversions = project.conversions().map(|conversion| conversion.source());
    files.chain(conversions).collect()
}

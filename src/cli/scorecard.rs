mod cluster;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::address::SCORECARD;
use crate::error::{Code, Error, Result};
use crate::olm::read::{Bundle, TroubleKind};
use crate::olm::scorecard::{Config, Item, Location, Report, Results, Runner, Test, TestResult};
use crate::olm::validate::Selector;

use super::args::bundle_directory::BundleDirectory;
use super::help::examples;
use super::invocation::Invocation;
use super::report::scorecard as report;
use cluster::{ClusterArgs, Pods};

const EXAMPLES: &str = "\
Examples:
  rop scorecard
  rop scorecard bundle --selector suite=olm -o xunit >scorecard.xml
  rop scorecard --list
  rop scorecard --cluster --namespace app-operator-system";

/// Run operator-sdk's scorecard on a bundle, without a cluster or images.
///
/// DIR is a bundle of any tool; the default is `bundle` in the project, else the current directory. Its configuration
/// lists the tests. rop runs the built-in tests itself. Tests in other images need a cluster: with `--cluster` they run
/// as pods, which are deleted afterwards. The exit code is 1 if a test fails.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[SCORECARD]))]
pub(super) struct ScorecardArgs {
    #[command(flatten)]
    bundle: BundleDirectory,

    /// Configuration file [default: the one in the bundle].
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Tests to run, by label such as `suite=olm`.
    #[arg(long, short = 'l')]
    selector: Option<String>,

    /// List the selected tests and exit.
    #[arg(long, short = 'L')]
    list: bool,

    /// Output format.
    #[arg(long, short, value_enum, default_value = "text")]
    output: Format,

    #[command(flatten)]
    cluster: ClusterArgs,
}

/// How the results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// The `TestList` of operator-sdk.
    Json,
    /// XML, for CI servers.
    Xunit,
}

pub(super) fn run(args: &ScorecardArgs, invocation: &Invocation) -> Result<()> {
    if invocation.json && args.output != Format::Text {
        return Err(Error::new(
            Code::ConflictingFlags,
            "`--json` cannot be used with `--output`",
        )
        .hint("leave out one of them"));
    }
    let directory = args.bundle.directory()?;
    let bundle = bundle(&directory)?;
    let location = match &args.config {
        Some(path) => Location::named(path)?,
        None => Location::in_bundle(&directory, &bundle)?,
    };
    let config = Config::read(&location)?;
    for note in &config.notes {
        invocation.ui.note(note);
    }
    let selector = args
        .selector
        .as_deref()
        .filter(|text| !text.trim().is_empty())
        .map(parse)
        .transpose()?;
    check_selection(&config, selector.as_ref(), args.selector.as_deref())?;
    args.cluster.note_flags_without_effect(invocation);
    let mut ended = Ok(());
    let report = if args.list {
        listed(&config, selector.as_ref())
    } else {
        let (needs_cluster, dry_run) = (args.cluster.is_used(), invocation.dry_run);
        let needs_cluster = needs_cluster
            && config.tests().any(|test| {
                test.is_selected(selector.as_ref()) && matches!(test.runner(), Runner::Cluster)
            });
        let pods = (needs_cluster && !dry_run)
            .then(|| Pods::create(&args.cluster, &directory, &config, invocation))
            .transpose()?;
        let run = Run {
            directory: &directory,
            bundle: &bundle,
            selector: selector.as_ref(),
            reason: if dry_run && needs_cluster {
                "it would run in the cluster without `--dry-run`"
            } else {
                "it needs a cluster: `--cluster` runs it there"
            },
            pods: pods.as_ref(),
        };
        let report = run.all(&config);
        if let Some(pods) = &pods {
            ended = pods.end(invocation);
        }
        report
    };
    print(&report, args.output, &directory, &location, invocation)?;
    ended?;
    if args.list {
        return Ok(());
    }
    conclude(&report, &directory, invocation)
}

fn bundle(directory: &Path) -> Result<Bundle> {
    use crate::olm::read::Directory;
    let bundle = Bundle::read(&Directory::new(directory));
    let mut troubles = bundle.troubles.iter();
    if let Some(trouble) = troubles.find(|trouble| trouble.kind == TroubleKind::NoDirectory) {
        let message = format!(
            "no bundle in `{}`: {}",
            directory.display(),
            trouble.message
        );
        return Err(Error::new(Code::UnreadableFile, message)
            .hint("generate a bundle with `rop bundle`, or pass the directory of another bundle; images are not pulled"));
    }
    Ok(bundle)
}

fn parse(text: &str) -> Result<Selector> {
    Selector::parse(text).map_err(|why| {
        Error::new(Code::Usage, format!("invalid selector `{text}`: {why}"))
            .hint("write for example `suite=olm` or `test in (a, b)`")
    })
}

/// Refuses a selector that selects nothing: a check that checks nothing would always pass.
fn check_selection(config: &Config, selector: Option<&Selector>, text: Option<&str>) -> Result<()> {
    if config.tests().any(|test| test.is_selected(selector)) {
        return Ok(());
    }
    let message = format!("no test matches `{}`", text.unwrap_or_default());
    Err(Error::new(Code::Usage, message)
        .hint("`rop scorecard --list` shows the tests and their labels"))
}

fn listed(config: &Config, selector: Option<&Selector>) -> Report {
    let tests = config.tests().filter(|test| test.is_selected(selector));
    let item = |test: &Test| Item {
        test: test.clone(),
        results: Results::Listed,
    };
    Report {
        items: tests.map(item).collect(),
    }
}

/// What a run of the tests needs.
struct Run<'a> {
    directory: &'a Path,
    bundle: &'a Bundle,
    selector: Option<&'a Selector>,
    /// Why tests for a cluster do not run.
    reason: &'a str,
    pods: Option<&'a Pods<'a>>,
}

impl Run<'_> {
    fn all(&self, config: &Config) -> Report {
        let mut items = Vec::new();
        for stage in &config.stages {
            let selected: Vec<&Test> = stage
                .tests
                .iter()
                .filter(|test| test.is_selected(self.selector))
                .collect();
            let of_cluster: Vec<&Test> = selected
                .iter()
                .copied()
                .filter(|test| matches!(test.runner(), Runner::Cluster))
                .collect();
            let mut from_cluster = self
                .pods
                .map(|pods| pods.run(&of_cluster, stage.is_parallel))
                .unwrap_or_default()
                .into_iter();
            for test in selected {
                let results = match test.runner() {
                    Runner::BuiltIn(built_in) => {
                        Results::Ran(vec![TestResult::of(built_in, self.bundle, self.directory)])
                    }
                    Runner::Unknown(name) => Results::Ran(vec![TestResult::unknown(name)]),
                    Runner::Cluster => from_cluster
                        .next()
                        .unwrap_or_else(|| Results::NotRun(self.reason.to_owned())),
                };
                items.push(Item {
                    test: test.clone(),
                    results,
                });
            }
        }
        Report { items }
    }
}

fn print(
    report: &Report,
    format: Format,
    directory: &Path,
    location: &Location,
    invocation: &Invocation,
) -> Result<()> {
    let ui = &invocation.ui;
    match format {
        _ if invocation.json => ui.json(&report::json(report, directory, &location.path)),
        Format::Json => ui.json(&report::test_list(report)),
        Format::Xunit => ui.data(&report::xunit(report)),
        Format::Text => ui.data(&report::text(report)),
    }
}

/// Says what the results mean.
fn conclude(report: &Report, directory: &Path, invocation: &Invocation) -> Result<()> {
    for item in &report.items {
        if let Some(reason) = item.reason() {
            let name = item.test.name();
            invocation
                .ui
                .note(&format!("the test `{name}` did not run: {reason}"));
        }
    }
    let shown = directory.display();
    let ran: Vec<_> = report
        .items
        .iter()
        .filter(|it| it.reason().is_none())
        .collect();
    let failed: Vec<_> = ran.iter().filter(|item| item.fails()).collect();
    let tests = |count: usize| match count {
        1 => "1 test".to_owned(),
        count => format!("{count} tests"),
    };
    if ran.is_empty() {
        let message = format!("no test ran on `{shown}`");
        return Err(Error::new(Code::ScorecardFailed, message)
            .hint("run the tests in a cluster with `--cluster`, or select others"));
    }
    if failed.is_empty() {
        let text = format!("`{shown}` passes {}", tests(ran.len()));
        invocation.ui.done("done", &text);
        return Ok(());
    }
    let names: Vec<_> = failed.iter().map(|item| item.test.name()).collect();
    let message = format!(
        "`{shown}` fails {} of {}: {}",
        failed.len(),
        tests(ran.len()),
        names.join(", ")
    );
    Err(Error::new(Code::ScorecardFailed, message)
        .hint("follow the suggestions above and run the command again"))
}

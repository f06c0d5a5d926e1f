use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::FOLDER;
use super::init::shown;
use super::trees::trees;
use crate::cli::args::place::{Place, named_or_of_project};
use crate::cli::invocation::{Access, Invocation, Transition, working_directory};
use crate::cli::report::findings;
use crate::error::Result;
use crate::olm::catalog::{Catalog, Options, Stream, add, render};
use crate::olm::read::Directory;
use crate::olm::validate::{Level, Options as Checked, validate};
use crate::project::name::Image;

const EXAMPLES: &str = "\
Examples:
  rop catalog add bundle --image registry.example.com/app-operator-bundle:v1.0.0
  rop catalog add bundle --channels stable,fast
  rop catalog add bundle --semver --channels candidate,stable
  rop catalog add bundle --replaces app-operator.v1.0.0 --skips app-operator.v1.0.1";

/// Add a bundle directory to a file-based catalog.
///
/// Renders the bundle as `opm render --migrate` does, and adds an entry to each channel. The entry replaces the
/// channel's head, unless a flag or the CSV says otherwise. Existing bundles in the catalog are never changed, and its comments,
/// order and unknown fields are kept. Without `--image`, the manifests are embedded, so that the
/// catalog can be served without a registry.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct AddArgs {
    /// Directory of the bundle, with `manifests/` and `metadata/`.
    #[arg(value_name = "BUNDLE_DIR")]
    bundle: PathBuf,

    /// Image of the bundle.
    #[arg(long, value_name = "REF")]
    image: Option<Image>,

    /// Channels, or tiers with `--semver` [default: those of the bundle].
    #[arg(long, value_delimiter = ',', value_name = "CHANNELS")]
    channels: Vec<String>,

    /// Bundle that this one replaces [default: the head of the channel].
    #[arg(long, value_name = "NAME")]
    replaces: Option<String>,

    /// Bundles that this one skips.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    skips: Vec<String>,

    /// Versions that can be upgraded to this one, such as `>=1.0.0 <1.2.0`.
    #[arg(long, value_name = "RANGE")]
    skip_range: Option<String>,

    /// Generate the channels of each tier from the versions.
    #[arg(
        long,
        value_enum,
        value_name = "STREAM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "minor",
        conflicts_with_all = ["replaces", "skips", "skip_range"]
    )]
    semver: Option<SemverStream>,

    /// Directory of the catalog [default: catalog].
    #[arg(long, value_name = "DIR")]
    catalog: Option<PathBuf>,
}

/// Which channels are generated.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SemverStream {
    /// A channel for each minor version, such as `stable-v1.2`.
    Minor,
    /// A channel for each major version, such as `stable-v1`.
    Major,
    /// Both.
    Both,
}

pub(super) fn run(args: AddArgs, invocation: &Invocation) -> Result<()> {
    let directory = working_directory()?.join(&args.bundle);
    let bundle = render(&directory, args.image.as_ref())?;
    let folder = named_or_of_project(args.catalog.as_deref(), FOLDER)?;
    let place = Place::find(&folder)?;
    let entered = invocation.enter(&place.root, Access::Write)?;
    let catalog = Catalog::read(&entered.view, &place.folder)?;
    let options = Options {
        channels: args.channels,
        replaces: args.replaces,
        skips: args.skips,
        skip_range: args.skip_range,
        streams: match args.semver {
            None => Vec::new(),
            Some(SemverStream::Minor) => vec![Stream::Minor],
            Some(SemverStream::Major) => vec![Stream::Major],
            Some(SemverStream::Both) => vec![Stream::Major, Stream::Minor],
        },
    };
    let addition = add(&catalog, &bundle, &options)
        .map_err(|error| error.context(format!("cannot add `{}`", bundle.name)))?;
    let files = addition
        .files
        .into_iter()
        .map(|(path, before, after)| (path, Some(before), after));
    let (before, mut after) = trees(files.collect());
    if let Some(note) = invalid(&directory, &args.bundle) {
        after.note(note);
    }
    for note in addition.notes {
        after.note(note);
    }
    let noun = if addition.channels.len() == 1 {
        "channel"
    } else {
        "channels"
    };
    let channels = addition.channels.join("`, `");
    after.note(format!("`{}` is in the {noun} `{channels}`", bundle.name));
    let plan = invocation.carry_out(&Transition {
        command: "catalog add",
        view: &entered.view,
        before,
        after,
        force: false,
    })?;
    invocation.next(
        &plan,
        &[
            format!("rop catalog validate {}", shown(&folder)),
            format!(
                "rop catalog build {} --image REGISTRY/CATALOG:TAG --push",
                shown(&folder)
            ),
        ],
    );
    Ok(())
}

/// Says that a bundle breaks rules of OLM. A catalog can have it: others may have published it.
fn invalid(directory: &Path, named: &Path) -> Option<String> {
    let report = validate(&Directory::new(directory), &Checked::default());
    let mut findings = report.findings.iter();
    let first = findings.find(|finding| finding.level == Level::Error)?;
    let line = first.line.map(|line| format!(":{line}"));
    Some(format!(
        "`{}` has {}; `{}{}`: {}; `rop bundle validate {}` shows how to fix them",
        named.display(),
        findings::counts(&report),
        findings::path(named, &first.file),
        line.unwrap_or_default(),
        first.message,
        shown(named)
    ))
}

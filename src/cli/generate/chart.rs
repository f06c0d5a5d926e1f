use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};

use crate::cli::args::operator::render_copy;
use crate::cli::args::place::{in_project, named_or_of_project};
use crate::cli::args::registry::RegistryArgs;
use crate::cli::invocation::{Invocation, Opened, Transition};
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::image::ChartArchive;
use crate::output::{Chart, Crds, Manifests, Package};
use crate::project::name::Image;
use crate::scaffold;

use super::check::{Check, Drift, access};
use super::recorded;

const EXAMPLES: &str = "\
Examples:
  rop generate chart
  rop generate chart --check
  rop generate chart --package
  rop generate chart --push oci://registry.example.com/charts
  helm install app-operator dist/chart --namespace app-operator-system --create-namespace";

const CHECK: Check<'_> = Check {
    command: "generate chart --check",
    fine: "the chart is up to date",
    drift: "the chart is out of date",
    hint: "run `rop generate chart` with the same flags and commit the result",
};

/// What an upgrade to a chart without CRDs does.
const MOVED: &str = "the next upgrade of a release removes the CRDs from it, and deletes them if its `crd.keep` is \
                     false: set `crd.keep=true` in the release first, and install the chart of the CRDs with \
                     `--take-ownership`";

/// What an upgrade to a chart with CRDs takes that another release has.
const MOVED_BACK: &str = "a release of the chart of the CRDs still has them: upgrade the operator's release with \
                          `--take-ownership`, and then uninstall the other one, whose `crd.keep` must be true";

/// Generate a Helm chart from the manifests in `config/`.
///
/// Each component in `config/` has a value that turns it on or off; it is on if `config/default` lists it. New values
/// are added to `values.yaml`, which keeps your edits. rop owns the templates and the schema of the values; your own
/// files in `templates/` are kept. Neither Helm nor a cluster is needed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ChartArgs {
    /// Directory of the chart, in the project [default: dist/chart].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// Location of the CRDs [default: as last time, or templates].
    #[arg(long, value_name = "LOCATION")]
    crds: Option<CrdsArg>,

    /// Pack the chart into `dist/NAME-VERSION.tgz`, next to its directory.
    #[arg(long, conflicts_with = "check")]
    package: bool,

    /// Push the chart to this registry path, as `helm push` does.
    #[arg(long, value_name = "REF", conflicts_with = "check")]
    push: Option<String>,

    #[command(flatten)]
    registry: RegistryArgs,

    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Overwrite files even if you edited them.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CrdsArg {
    /// In the chart, which upgrades them.
    Templates,
    /// In a separate chart, for releases larger than the 1 MiB that Helm can store.
    Separate,
}

impl From<CrdsArg> for Crds {
    fn from(crds: CrdsArg) -> Self {
        match crds {
            CrdsArg::Templates => Self::Templates,
            CrdsArg::Separate => Self::Separate,
        }
    }
}

pub(super) fn run(args: &ChartArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open(access(args.check))?;
    let output = named_or_of_project(args.output.as_deref(), Chart::PATH)?;
    let view = &entered.view;
    scaffold::check_templates(view, &root.project)?;
    let invalid = |reason: &str| {
        let message = format!("invalid directory `{}`: {reason}", output.display());
        let error = Error::new(Code::InvalidFile, message);
        error.hint(format!("use a path such as `--output {}`", Chart::PATH))
    };
    let folder =
        in_project(&root.path, &output)?.ok_or_else(|| invalid("it must be in the project"))?;
    if let Some(reason) = Chart::refusal(&folder, view) {
        return Err(invalid(&reason));
    }
    if let Some(other) = Chart::with_crds_in(&folder, view) {
        let message =
            format!("invalid directory `{folder}`: it has the CRDs of the chart in `{other}`");
        let error = Error::new(Code::InvalidFile, message);
        return Err(error.hint(format!(
            "use `--output {other}`, which generates both charts, or another directory"
        )));
    }
    let last_crds = Crds::of(&folder, view);
    let crds = args.crds.map_or(last_crds, Crds::from);
    let render = render_copy(invocation);
    let manifests = Manifests::on_disk(&root.project, view).with_renderer(&render);
    let mut after = Chart::files(&folder, crds, &manifests)?;
    let is_new = !Chart::is_at(&folder, view);
    let mut written = Chart::written(&folder, view)?;
    match [last_crds, crds] {
        [Crds::Templates, Crds::Separate] if !is_new => after.note(MOVED.to_owned()),
        [Crds::Separate, Crds::Templates] => {
            after.note(MOVED_BACK.to_owned());
            written.extend(Chart::given_of_crds(&folder, view)?);
        }
        _ => {}
    }
    let (before, after) = recorded::change(view, is_new, written, after)?;
    let change = Transition {
        command: "generate chart",
        view,
        before,
        after,
        force: args.force,
    };
    if args.check {
        return Drift::of(&change)?.report(&CHECK, invocation);
    }
    invocation.carry_out(&change)?;
    if invocation.dry_run || !(args.package || args.push.is_some()) {
        return Ok(());
    }
    let mut archives = Vec::new();
    for folder in crds.folders(&folder) {
        let package = Package::read(&View::of(&root.path)?, &folder)?;
        let archive = ChartArchive::new(&package.name, &package.metadata, &package.files)?;
        if args.package {
            write(&archive, &package, &folder, &root.path, invocation)?;
        }
        archives.push((package, archive));
    }
    let Some(repository) = &args.push else {
        return Ok(());
    };
    // Other commands need not wait for a registry.
    drop(entered);
    for (package, archive) in &archives {
        push(archive, package, repository, &args.registry, invocation)?;
    }
    Ok(())
}

/// Writes the archive next to the folder of the chart.
fn write(
    archive: &ChartArchive,
    package: &Package,
    folder: &str,
    root: &Path,
    invocation: &Invocation,
) -> Result<()> {
    let parent = folder
        .rsplit_once('/')
        .map_or(String::new(), |(parent, _)| format!("{parent}/"));
    let path = format!("{parent}{}-{}.tgz", package.name, package.version);
    archive.write(root, &path)?;
    invocation.ui.done("write", &path);
    Ok(())
}

fn push(
    archive: &ChartArchive,
    package: &Package,
    repository: &str,
    registry: &RegistryArgs,
    invocation: &Invocation,
) -> Result<()> {
    let repository = repository.strip_prefix("oci://").unwrap_or(repository);
    // A tag has no `+`, for which Helm writes `_`.
    let version = package.version.replace('+', "_");
    let name = format!(
        "{}/{}:{version}",
        repository.trim_end_matches('/'),
        package.name
    );
    let image: Image = name.parse()?;
    let digest = archive.push(
        &image,
        registry.insecure,
        registry.patience(),
        &invocation.ui,
    )?;
    invocation.ui.done("push", &format!("{image} ({digest})"));
    Ok(())
}

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};

use crate::cli::args::operator::{kubectl_to_render, manifests};
use crate::cli::args::place::{in_project, named_or_of_project};
use crate::cli::invocation::{Invocation, Opened, Transition};
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::image::ChartArchive;
use crate::output::{Chart, Crds, Manifests, Package};
use crate::plan::{Tree, is_inside};
use crate::project::name::Image;
use crate::record;
use crate::scaffold;

use super::check::{Check, Drift, access};

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

/// Registry timeout.
const PATIENCE: Duration = Duration::from_mins(1);

/// Generate a Helm chart from the manifests in `config/`.
///
/// Each component in `config/` is a value that switches all its parts, off unless `config/default` lists it. New values
/// are added to `values.yaml`, which keeps your edits; the templates and the schema of the values are rop's. Your own
/// files in `templates/` stay. Neither Helm nor a cluster is needed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ChartArgs {
    /// Folder of the chart, in the project [default: dist/chart].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// Where the CRDs are [default: as last time, or templates].
    #[arg(long, value_name = "WHERE")]
    crds: Option<CrdsArg>,

    /// Pack the chart into `dist/NAME-VERSION.tgz`, next to its folder.
    #[arg(long, conflicts_with = "check")]
    package: bool,

    /// Push the chart to this repository of a registry, as `helm push` does.
    #[arg(long, value_name = "REF", conflicts_with = "check")]
    push: Option<String>,

    /// Allow registries without TLS; not needed for localhost.
    #[arg(long, requires = "push")]
    insecure: bool,

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
    /// In a chart of their own, for releases larger than the 1 MiB that Helm can store.
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
    let folder = in_project(&root.path, &output)?.unwrap_or_default();
    if !is_inside(&folder) {
        let message = format!(
            "invalid folder `{}`: it must be in the project",
            output.display()
        );
        let error = Error::new(Code::InvalidFile, message);
        return Err(error.hint(format!("use a path such as `--output {}`", Chart::PATH)));
    }
    let view = &entered.view;
    let crds = args
        .crds
        .map_or_else(|| Crds::of(&folder, view), Crds::from);
    let mut after = Chart::files(&folder, crds, &Manifests::on_disk(&root.project, view))?;
    let mut before = if Chart::is_at(&folder, view) {
        scaffold::given(view, &after)?
    } else {
        Tree::default()
    };
    let mut written = Chart::written(&folder, view)?;
    written.retain(|file| after.get(file.path()).is_none());
    before.extend(written);
    let (recorded, record) = record::extended(view, &after)?;
    before.extend(recorded);
    after.extend(record);
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
    deliver(args, &View::of(&root.path)?, &folder, invocation)
}

/// Packs the chart, and pushes it.
fn deliver(args: &ChartArgs, view: &View, folder: &str, invocation: &Invocation) -> Result<()> {
    let objects = manifests(view, None, kubectl_to_render(invocation))?;
    let tag = objects.image().map(str::parse::<Image>).transpose()?;
    // `latest` is no version.
    let tag = tag
        .as_ref()
        .and_then(Image::tag)
        .filter(|tag| *tag != "latest");
    let package = Package::read(view, folder, tag)?;
    let archive = ChartArchive::new(&package.name, &package.metadata, &package.files)?;
    if args.package {
        let parent = folder
            .rsplit_once('/')
            .map_or(String::new(), |(parent, _)| format!("{parent}/"));
        let path = format!("{parent}{}-{}.tgz", package.name, package.version);
        archive.write(view.root(), &path)?;
        invocation.ui.done("write", &path);
    }
    if let Some(repository) = &args.push {
        let repository = repository.strip_prefix("oci://").unwrap_or(repository);
        // A tag has no `+`, for which Helm writes `_`.
        let version = package.version.replace('+', "_");
        let name = format!(
            "{}/{}:{version}",
            repository.trim_end_matches('/'),
            package.name
        );
        let image: Image = name.parse()?;
        let digest = archive.push(&image, args.insecure, PATIENCE, &invocation.ui)?;
        invocation.ui.done("push", &format!("{image} ({digest})"));
    }
    Ok(())
}

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use semver::Version;

use crate::cli::args::operator::{kubectl_to_render, manifests};
use crate::cli::args::place::{in_project, named_or_of_project};
use crate::cli::catalog;
use crate::cli::generate::check::{Check, Drift, access};
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::disk::{View, read_text};
use crate::error::{Code, Context, Error, Result};
use crate::objects::Objects;
use crate::olm::bundle::{self, Digests, FOLDER, Request, Settings, Written};
use crate::olm::check_channel;
use crate::olm::validate::Finding;
use crate::plan::{Tree, is_inside};
use crate::project::Project;
use crate::project::name::Image;
use crate::shell_word::shell_word;
use crate::yaml;

use super::parts::parts;
use super::written::{note_unknown_field, validate_generated};

pub(super) const EXAMPLES: &str = "\
Examples:
  rop bundle --image registry.example.com/app-operator:v0.1.0
  rop bundle --version 1.0.0 --channels stable,fast --default-channel stable
  rop bundle --check";

const CHECK: Check<'_> = Check {
    command: "bundle --check",
    fine: "the bundle is up to date",
    drift: "the bundle is out of date",
    hint: "run `rop bundle` with the same flags and commit the result",
};

#[derive(Debug, Default, Args)]
pub(in crate::cli) struct GenerateArgs {
    /// Operator version [default: Cargo.toml's or a newer bundle's].
    #[arg(long, value_name = "VERSION")]
    version: Option<Version>,

    /// Channels [default: the last bundle's, else by the version].
    #[arg(long, value_name = "CHANNELS", value_delimiter = ',')]
    channels: Vec<String>,

    /// Channel for users who choose none [default: the last bundle's].
    #[arg(long, value_name = "CHANNEL")]
    default_channel: Option<String>,

    /// Operator image [default: config/manager's, or the last bundle's].
    #[arg(long, value_name = "IMAGE")]
    image: Option<Image>,

    /// YAML file that maps images to digests, as `IMAGE: sha256:…`.
    #[arg(long, value_name = "FILE")]
    image_digests: Option<PathBuf>,

    /// Directory of the bundle, in the project [default: bundle].
    #[arg(long, alias = "output-dir", value_name = "DIR")]
    output: Option<PathBuf>,

    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Discard all of your edits in the bundle.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(super) fn run(args: &GenerateArgs, invocation: &Invocation) -> Result<()> {
    run_of_package(None, args, invocation)
}

/// As [`run`], for a package that must be the project's.
pub(in crate::cli) fn run_of_package(
    package: Option<&str>,
    args: &GenerateArgs,
    invocation: &Invocation,
) -> Result<()> {
    let Opened { entered, root } = invocation.open(access(args.check))?;
    check_package(package, &root.project)?;
    let view = &entered.view;
    let output = named_or_of_project(args.output.as_deref(), FOLDER)?;
    let folder = &valid_folder(&root.path, &output)?;
    let operator = || manifests(view, None, kubectl_to_render(invocation));
    let made = args.generate(view, &root.project, folder, &operator, invocation)?;
    let package = root.project.project_name.as_str();
    let validate = || {
        validate_generated(
            view,
            [folder, package],
            &output,
            &made.unknown_fields,
            invocation,
        )
    };
    if args.check {
        let drift = Drift::of(&made.change)?;
        if drift.is_empty() {
            validate()?;
        }
        return drift.report(&CHECK, invocation);
    }
    let mut next = Vec::new();
    if !made.has_base {
        let base = bundle::base(package);
        next.push(format!("edit {base}, then run `rop bundle`"));
    }
    next.extend(publish(package, &output)?);
    let plan = invocation.carry_out(&made.change)?;
    if !invocation.dry_run {
        validate()?;
    }
    invocation.next(&plan, &next);
    Ok(())
}

/// Whether the project has a bundle in its default folder.
pub(in crate::cli) fn is_in(view: &View) -> bool {
    view.is_file(&format!("{FOLDER}/metadata/annotations.yaml"))
}

/// The files of this bundle that are out of date. `operator` renders the manifests of the operator.
pub(in crate::cli) fn drift(
    project: &Project,
    view: &View,
    operator: &dyn Fn() -> Result<Objects>,
    invocation: &Invocation,
) -> Result<Drift> {
    let args = GenerateArgs::default();
    let made = args.generate(view, project, FOLDER, operator, invocation)?;
    let drift = Drift::of(&made.change)?;
    if drift.is_empty() {
        let shown = named_or_of_project(None, FOLDER)?;
        let package = project.project_name.as_str();
        validate_generated(
            view,
            [FOLDER, package],
            &shown,
            &made.unknown_fields,
            invocation,
        )?;
    }
    Ok(drift)
}

/// The commands that publish a package's bundle in a folder.
fn publish(package: &str, folder: &Path) -> Result<Vec<String>> {
    let folder = shell_word(&folder.to_string_lossy());
    let mut commands = vec![
        format!("rop bundle validate {folder} --select-optional suite=operatorframework"),
        format!("rop bundle build {folder} --image REGISTRY/BUNDLE:TAG --push"),
    ];
    commands.extend(catalog::addition(package, &folder, "REGISTRY/BUNDLE:TAG")?);
    Ok(commands)
}

/// Generates the base of the bundle, if it is missing.
pub(in crate::cli) fn base_of_package(
    package: Option<&str>,
    invocation: &Invocation,
) -> Result<()> {
    let Opened { entered, root } = invocation.open(Access::Write)?;
    check_package(package, &root.project)?;
    let plan = invocation.carry_out(&Transition {
        command: "generate kustomize manifests",
        view: &entered.view,
        before: Tree::default(),
        after: bundle::missing_base(&entered.view, &root.project)?,
        force: false,
    })?;
    let base = bundle::base(root.project.project_name.as_str());
    let next = format!("edit {base}, then run `rop bundle`");
    invocation.next(&plan, &[next]);
    Ok(())
}

/// A package is named as its project.
fn check_package(package: Option<&str>, project: &Project) -> Result<()> {
    let name = project.project_name.as_str();
    match package.filter(|package| *package != name) {
        Some(package) => Err(Error::new(
            Code::Unsupported,
            format!("the package cannot be `{package}`: it has the name of the project, `{name}`"),
        )
        .hint(format!(
            "remove `--package`, or rename the project: `rop edit --project-name {}`",
            shell_word(package)
        ))),
        None => Ok(()),
    }
}

/// A bundle as it will be.
struct Generated<'a> {
    change: Transition<'a>,
    /// The unknown fields of its base.
    unknown_fields: Vec<Finding>,
    /// Whether somebody described the operator.
    has_base: bool,
}

impl GenerateArgs {
    /// The bundle in a folder of the project.
    fn generate<'a>(
        &self,
        view: &'a View,
        project: &Project,
        folder: &str,
        operator: &dyn Fn() -> Result<Objects>,
        invocation: &Invocation,
    ) -> Result<Generated<'a>> {
        bundle::check_place(view, folder)?;
        let package = project.project_name.as_str();
        let written = Written::read(view, folder, package)?;
        let version = self.version(view, &written, invocation)?;
        let settings = self.settings(folder, version, &written)?;
        let mut parts = parts(view, operator, invocation)?;
        let objects = &mut parts.objects;
        if let Some(image) = &self.image {
            objects.set_image(image.as_str())?;
        } else if let Some(image) = written.keep_image(package, objects)? {
            invocation.ui.note(&format!(
                "keeping the image `{image}` of the last bundle; `--image` sets another"
            ));
        }
        if let Some(digests) = self.digests()? {
            digests.pin(objects)?;
        }
        let request = Request::new(project, &settings, &parts, &written);
        let made = bundle::make(view, &request)?;
        for note in &made.notes {
            invocation.ui.note(note);
        }
        for field in &made.unknown_fields {
            note_unknown_field(&field.file, field, invocation);
        }
        let change = Transition {
            command: "bundle",
            view,
            before: made.before,
            after: made.after,
            force: self.force,
        };
        Ok(Generated {
            change,
            unknown_fields: made.unknown_fields,
            has_base: parts.base.is_some() || view.is_file(&bundle::base(package)),
        })
    }

    /// The version that is asked for, or the newer one of Cargo.toml and the last bundle.
    fn version(&self, view: &View, written: &Written, invocation: &Invocation) -> Result<Version> {
        if let Some(version) = &self.version {
            return Ok(version.clone());
        }
        let version = bundle::package_version(view)?;
        let Some(newer) = written.newer_version(&version) else {
            return Ok(version);
        };
        invocation.ui.note(&format!(
            "keeping the version {newer} of the last bundle, which is newer than {version} in Cargo.toml; `--version` \
            sets another"
        ));
        Ok(newer)
    }

    /// What is asked for, completed from the last bundle.
    fn settings(&self, folder: &str, version: Version, written: &Written) -> Result<Settings> {
        if !version.build.is_empty() {
            let message = format!("invalid version `{version}`: OLM allows no build metadata");
            let hint = format!("leave out `+{}`", version.build);
            return Err(Error::new(Code::InvalidName, message).hint(hint));
        }
        let mut channels = match (&self.channels[..], &written.channels) {
            ([], Some(channels)) => channels.clone(),
            ([], None) if version.major == 0 => vec!["candidate".to_owned()],
            ([], None) => vec!["stable".to_owned()],
            (channels, _) => channels.to_vec(),
        };
        let mut seen = BTreeSet::new();
        channels.retain(|channel| seen.insert(channel.clone()));
        for channel in &channels {
            check_channel(channel, "--channels candidate,stable")?;
        }
        let last = written
            .default_channel
            .clone()
            .filter(|channel| channels.contains(channel));
        let default_channel = self.default_channel.clone().or(last);
        if let Some(channel) = default_channel.as_ref().filter(|it| !channels.contains(it)) {
            return Err(Error::new(
                Code::InvalidName,
                format!(
                    "the default channel `{channel}` is not one of the channels: {}",
                    channels.join(", ")
                ),
            )
            .hint(format!(
                "add it: `--channels {}`",
                shell_word(&format!("{},{channel}", channels.join(",")))
            )));
        }
        Ok(Settings {
            folder: folder.to_owned(),
            version: version.to_string(),
            channels,
            default_channel,
            force: self.force,
        })
    }

    fn digests(&self) -> Result<Option<Digests>> {
        let Some(path) = &self.image_digests else {
            return Ok(None);
        };
        let name = path.display();
        let text =
            read_text(path).context(Code::UnreadableFile, || format!("failed to read `{name}`"))?;
        let digests = yaml::from_str(&text).context(Code::MalformedFile, || {
            format!("`{name}` does not list digests as `IMAGE: sha256:…`")
        })?;
        Ok(Some(digests))
    }
}

/// The folder of the bundle, relative to the project. Its Dockerfile names it, where blanks and wildcards have a meaning.
fn valid_folder(root: &Path, output: &Path) -> Result<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    let folder = in_project(root, output)?.unwrap_or_default();
    let rule = if folder.split('/').any(|part| part.starts_with('.')) {
        "no part of it may start with a dot"
    } else if !is_inside(&folder) {
        "it must be in the project"
    } else if folder.split('/').next() == Some("target") {
        "cargo builds into `target`, and `cargo clean` deletes it"
    } else if !folder.chars().all(is_plain) {
        "only letters, digits, `-`, `_`, `.` and `/` are allowed"
    } else {
        return Ok(folder);
    };
    let message = format!("invalid directory `{}`: {rule}", output.display());
    let error = Error::new(Code::InvalidDirectory, message);
    Err(error.hint("use a relative path such as `--output bundle`"))
}

use clap::Args;
use semver::Version;

use crate::cli::args::operator::{kubectl_to_render, manifests};
use crate::cli::generate::check::{Check, Drift, access};
use crate::cli::invocation::{Access, Invocation, Opened, Transition};
use crate::cli::shell_word::shell_word;
use crate::disk::{View, read_text};
use crate::dns::label_value;
use crate::error::{Code, Context, Error, Result};
use crate::objects::Objects;
use crate::olm::bundle::{self, Digests, FOLDER, Request, Settings, Written};
use crate::olm::read::Directory;
use crate::olm::validate::{Level, Options, validate};
use crate::plan::{Tree, is_inside};
use crate::project::Project;
use crate::project::layout::SAMPLES;
use crate::project::name::Image;
use crate::yaml;

use super::validate::counts;

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
    /// Operator version [default: the version in Cargo.toml].
    #[arg(long, value_name = "VERSION")]
    version: Option<Version>,

    /// Channels [default: the last ones, or candidate, or stable].
    #[arg(long, value_name = "CHANNELS", value_delimiter = ',')]
    channels: Vec<String>,

    /// Channel for users who choose none [default: the last one].
    #[arg(long, value_name = "CHANNEL")]
    default_channel: Option<String>,

    /// Operator image [default: the last one, or that in config/manager].
    #[arg(long, value_name = "IMAGE")]
    image: Option<Image>,

    /// YAML file that maps images to digests, as `IMAGE: sha256:…`.
    #[arg(long, value_name = "FILE")]
    image_digests: Option<std::path::PathBuf>,

    /// Directory of the bundle.
    #[arg(long, alias = "output-dir", value_name = "FOLDER", default_value = FOLDER)]
    output: String,

    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Overwrite files even if you edited them.
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
    let settings = args.settings(view)?;
    let change = args.change(view, &root.project, &settings, invocation)?;
    let folder = &settings.folder;
    if args.check {
        Drift::of(&change)?.report(&CHECK, invocation)?;
        return validate_written(view, folder, invocation);
    }
    let base = bundle::base(root.project.project_name.as_str());
    let mut next = Vec::new();
    if !view.is_file(&base) {
        next.push(format!("edit {base}, then run `rop bundle` again"));
    }
    next.extend(publish(folder));
    let plan = invocation.carry_out(&change)?;
    if !invocation.dry_run {
        validate_written(view, folder, invocation)?;
    }
    invocation.next(&plan, &next);
    Ok(())
}

/// Whether the project has a bundle in its default folder.
pub(in crate::cli) fn is_in(view: &View) -> bool {
    view.is_file(&format!("{FOLDER}/metadata/annotations.yaml"))
}

/// The files of this bundle that are out of date.
pub(in crate::cli) fn drift(
    project: &Project,
    view: &View,
    invocation: &Invocation,
) -> Result<Drift> {
    let args = GenerateArgs {
        output: FOLDER.to_owned(),
        ..GenerateArgs::default()
    };
    let settings = args.settings(view)?;
    let drift = Drift::of(&args.change(view, project, &settings, invocation)?)?;
    if drift.is_empty() {
        validate_written(view, FOLDER, invocation)?;
    }
    Ok(drift)
}

/// What to do with a bundle in a folder.
fn publish(folder: &str) -> [String; 3] {
    let folder = shell_word(folder);
    [
        format!("rop bundle validate {folder} --select-optional suite=operatorframework"),
        format!("rop bundle build {folder} --image REGISTRY/BUNDLE:TAG --push"),
        format!("rop catalog add {folder} --image REGISTRY/BUNDLE:TAG"),
    ]
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
    let next = format!("describe the operator in {base}, then run `rop bundle`");
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
            "remove `--package`, or rename the project: `rop edit --project-name {package}`"
        ))),
        None => Ok(()),
    }
}

/// Checks the bundle on disk by the rules of OLM.
pub(super) fn validate_written(view: &View, folder: &str, invocation: &Invocation) -> Result<()> {
    let directory = Directory::new(&view.root().join(folder));
    let report = validate(&directory, &Options::default());
    let (counts, command) = (counts(&report), format!("`rop bundle validate {folder}`"));
    if report.count(Level::Error) > 0 {
        let message = format!("`{folder}` has {counts}");
        return Err(Error::new(Code::InvalidBundle, message)
            .hint(format!("{command} shows where and how to fix them")));
    }
    if report.count(Level::Warning) > 0 {
        let note = format!("`{folder}` has {counts}: {command} shows them");
        invocation.ui.note(&note);
    }
    Ok(())
}

impl GenerateArgs {
    /// The files of the bundle as last generated, and the desired ones.
    fn change<'a>(
        &self,
        view: &'a View,
        project: &Project,
        settings: &Settings,
        invocation: &Invocation,
    ) -> Result<Transition<'a>> {
        let mut objects = manifests(view, None, kubectl_to_render(invocation))?;
        let package = project.project_name.as_str();
        if let Some(image) = &self.image {
            objects.set_image(image.as_str())?;
        } else if let Some(image) =
            bundle::keep_image(view, &settings.folder, package, &mut objects)?
        {
            invocation.ui.note(&format!(
                "keeping the image `{image}` of the last bundle; `--image` sets another"
            ));
        }
        if let Some(digests) = self.digests()? {
            digests.pin(&mut objects)?;
        }
        let samples = if view.is_file(&format!("{SAMPLES}/kustomization.yaml")) {
            Objects::render(view, SAMPLES, kubectl_to_render(invocation))?
        } else {
            Objects::default()
        };
        let request = Request::new(project, settings, &objects, &samples);
        let made = bundle::make(view, &request)?;
        for note in &made.notes {
            invocation.ui.note(note);
        }
        Ok(Transition {
            command: "bundle",
            view,
            before: made.before,
            after: made.after,
            force: self.force,
        })
    }

    /// What is asked for, completed from the last bundle.
    fn settings(&self, view: &View) -> Result<Settings> {
        let folder = valid_folder(&self.output)?;
        bundle::check_place(view, folder)?;
        let version = match &self.version {
            Some(version) => version.clone(),
            None => bundle::package_version(view)?,
        };
        if !version.build.is_empty() {
            let message = format!("invalid version `{version}`: OLM allows no build metadata");
            let hint = format!("leave out `+{}`", version.build);
            return Err(Error::new(Code::InvalidName, message).hint(hint));
        }
        let written = Written::read(view, folder)?;
        let channels = match (&self.channels[..], written.channels) {
            ([], Some(channels)) => channels,
            ([], None) if version.major == 0 => vec!["candidate".to_owned()],
            ([], None) => vec!["stable".to_owned()],
            (channels, _) => channels.to_vec(),
        };
        for channel in &channels {
            valid_channel(channel)?;
        }
        let last = written
            .default_channel
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
                "add it: `--channels {},{channel}`",
                channels.join(",")
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
fn valid_folder(output: &str) -> Result<&str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    let folder = output.trim_end_matches('/').trim_start_matches("./");
    let rule = if !is_inside(folder) {
        "it must be in the project"
    } else if folder.split('/').any(|part| part.starts_with('.')) {
        "no part of it may start with a dot"
    } else if !folder.chars().all(is_plain) {
        "only letters, digits, `-`, `_`, `.` and `/` are allowed"
    } else {
        return Ok(folder);
    };
    let message = format!("invalid folder `{output}`: {rule}");
    let error = Error::new(Code::InvalidDirectory, message);
    Err(error.hint("use a relative path such as `--output bundle`"))
}

/// Channels are listed with commas, and are in labels of the Dockerfile.
fn valid_channel(channel: &str) -> Result<()> {
    label_value(channel).map_err(|rule| {
        let message = format!("invalid channel `{channel}`: {rule}");
        let hint = "pass others, such as `--channels candidate,stable`";
        Error::new(Code::InvalidName, message).hint(hint)
    })
}

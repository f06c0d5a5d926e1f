use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::disk::PENDING;
use crate::error::{Code, Error, Result};
use crate::output::Output;
use crate::project::name::{Domain, Owner, ProjectName};
use crate::project::{self, FILE_NAME, License, Project, Runtime};
use crate::scaffold::Change;
use crate::template;

use super::args::api_spec::ApiSpec;
use super::args::ignored_flags::IgnoredFlags;
use super::invocation::{Access, Invocation, Transition, working_directory};
use crate::address::RUNTIME;
use crate::cli::help::examples;
use crate::shell_word::shell_word;

const EXAMPLES: &str = r#"Examples:
  rop init --domain example.com
  rop init app-operator --domain example.com --api app/AppService
  rop init --domain example.com --api app/v1/AppService --api cache/v1/Redis
  rop init --domain example.com --license apache2 --owner "Example Inc."
  rop init --domain example.com --runtime path:../rop-runtime"#;

/// Create a project, optionally with APIs.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[RUNTIME]))]
pub(super) struct InitArgs {
    /// Directory of the project; created if it does not exist.
    #[arg(default_value = ".")]
    dir: PathBuf,

    /// Domain of the API groups, such as `example.com`.
    #[arg(long)]
    domain: Domain,

    /// API to create, as GROUP/KIND or GROUP/VERSION/KIND; repeatable.
    #[arg(long = "api", value_name = "API")]
    apis: Vec<ApiSpec>,

    /// Name of the project [default: the directory's name].
    #[arg(long, value_name = "NAME")]
    project_name: Option<ProjectName>,

    /// License of the sources.
    #[arg(long, value_enum)]
    license: Option<License>,

    /// Copyright holder in the source headers.
    #[arg(long)]
    owner: Option<Owner>,

    /// Watch only the operator's namespace, with a namespaced Role.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, value_name = "BOOL", hide_default_value = true, hide_possible_values = true)]
    namespaced: bool,

    /// Use a directory for the controllers of each group.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value_t = false, value_name = "BOOL", hide_default_value = true, hide_possible_values = true)]
    multigroup: bool,

    /// rop-runtime as vendored (default), VERSION, path:DIR or git:URL[#REV].
    #[arg(long, value_name = "SOURCE")]
    #[allow(rustdoc::broken_intra_doc_links, reason = "the help shows it as it is")]
    runtime: Option<Runtime>,

    /// Overwrite files that conflict.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    ignored: IgnoredFlags,
}

pub(super) fn run(args: InitArgs, invocation: &Invocation) -> Result<()> {
    let first_api = |_: &Project| "rop create api --group app --kind AppService".to_owned();
    run_with(args, None, first_api, invocation)
}

/// Runs `init` with an output, and suggests what `first_api` returns as the command for the first API.
pub(super) fn run_with(
    args: InitArgs,
    output: Option<&'static dyn Output>,
    first_api: impl Fn(&Project) -> String,
    invocation: &Invocation,
) -> Result<()> {
    args.ignored.report(&invocation.ui);
    let root = working_directory()?.join(&args.dir);
    if root.to_str().is_none() {
        return Err(Error::new(
            Code::InvalidDirectory,
            format!("the path `{}` is not UTF-8", root.display()),
        ));
    }
    check_directory(&root)?;
    let desired = args.project(&root)?;
    warn(&args, &root, invocation);
    let entered = invocation.enter(&root, Access::Write)?;
    let view = &entered.view;
    let current = Project::read(view)?;
    let mut project = if let Some(project) = &current {
        args.check(project)?;
        project.missing_sources(view).check()?;
        project.clone()
    } else {
        desired.check_cargo(view, || {
            let rendered = template::render(&desired)?;
            let manifest = rendered.get("Cargo.toml");
            Ok(manifest.map_or("", |file| file.text()).to_owned())
        })?;
        desired
    };
    if current.is_none() {
        project.runtime.check_folder(view)?;
    }
    for api in &args.apis {
        project.add(api.kind(&project)?)?;
    }
    let change = Change {
        output,
        ..Change::new(view, current.as_ref(), &project)
    };
    let (before, after) = change.trees()?;
    let plan = invocation.carry_out(&Transition {
        command: "init",
        view,
        before,
        after,
        force: args.force,
    })?;
    let mut steps = Vec::new();
    let directory: PathBuf = invocation.start.join(&args.dir).components().collect();
    if directory != Path::new(".") {
        steps.push(format!("cd {}", shell_word(&directory.to_string_lossy())));
    }
    steps.push(if project.kinds.is_empty() {
        first_api(&project)
    } else {
        "cargo test".into()
    });
    invocation.next(&plan, &steps);
    Ok(())
}

/// Refuses a path at which, or above which, there is something else than a directory, one within git's folder, and a
/// project of another user.
fn check_directory(root: &Path) -> Result<()> {
    if root.components().any(|part| part.as_os_str() == ".git") {
        let root = root.display();
        return Err(Error::new(
            Code::InvalidDirectory,
            format!("`{root}` is inside a `.git` directory"),
        )
        .hint("choose another directory for the project"));
    }
    if root.join(FILE_NAME).exists() || root.join(PENDING).exists() {
        project::check_owner(root)?;
    }
    let found = root
        .ancestors()
        .find_map(|path| Some((path, fs::metadata(path).ok()?)));
    match found {
        Some((path, found)) if !found.is_dir() => Err(Error::new(
            Code::InvalidDirectory,
            format!("`{}` is not a directory", path.display()),
        )
        .hint("choose an empty directory, or one that does not exist yet")),
        _ => Ok(()),
    }
}

/// What is said of a copyright holder that nothing names.
pub(super) const UNUSED_OWNER: &str =
    "--owner has no effect without --license: sources have no header";

impl InitArgs {
    /// A project in a directory of its own.
    pub(super) fn new(
        dir: PathBuf,
        domain: Domain,
        owner: Option<Owner>,
        ignored: IgnoredFlags,
    ) -> Self {
        Self {
            dir,
            domain,
            project_name: None,
            owner,
            license: None,
            namespaced: false,
            multigroup: false,
            runtime: None,
            apis: Vec::new(),
            force: false,
            ignored,
        }
    }

    fn project(&self, root: &Path) -> Result<Project> {
        let name = match &self.project_name {
            Some(name) => name.clone(),
            None => ProjectName::from_directory(&directory_name(root))?,
        };
        let mut project = Project::new(name, self.domain.clone());
        project.owner.clone_from(&self.owner);
        project.license = self.license.unwrap_or_default();
        project.namespaced = self.namespaced;
        project.multigroup = self.multigroup;
        project.runtime = self.runtime.clone().unwrap_or_default();
        Ok(project)
    }

    /// Checks that an existing project has the requested settings.
    fn check(&self, project: &Project) -> Result<()> {
        let same = [
            ("--domain", self.domain == project.domain),
            (
                "--project-name",
                self.project_name
                    .as_ref()
                    .is_none_or(|n| *n == project.project_name),
            ),
            (
                "--owner",
                self.owner.is_none() || self.owner == project.owner,
            ),
            (
                "--license",
                self.license.is_none_or(|l| l == project.license),
            ),
            ("--namespaced", !self.namespaced || project.namespaced),
            ("--multigroup", !self.multigroup || project.multigroup),
            (
                "--runtime",
                self.runtime.as_ref().is_none_or(|r| *r == project.runtime),
            ),
        ];
        let other: Vec<_> = same
            .iter()
            .filter(|(_, same)| !same)
            .map(|(flag, _)| *flag)
            .collect();
        if other.is_empty() {
            return Ok(());
        }
        Err(Error::new(
            Code::ProjectExists,
            format!(
                "a project already exists here, with different values for {}",
                other.join(", ")
            ),
        )
        .hint(format!(
            "see {FILE_NAME} for the values; change them with `rop edit`, add APIs with `rop create api`"
        )))
    }
}

/// Notes an owner without a license, and a project around the new one.
fn warn(args: &InitArgs, root: &Path, invocation: &Invocation) {
    if args.owner.is_some() && args.license.unwrap_or_default().is_none() {
        invocation.ui.note(UNUSED_OWNER);
    }
    let above = root.parent().map(project::find);
    if let Some(Ok(outer)) = above {
        invocation.ui.note(&format!(
            "the new project is inside the project `{}`: commands run in it act on the new project",
            outer.path.display()
        ));
    }
}

/// The last part of a path, with `.` and `..` taken away.
fn directory_name(root: &Path) -> String {
    let path = root.canonicalize().or_else(|_| std::path::absolute(root));
    path.ok()
        .and_then(|path| path.file_name()?.to_str().map(str::to_owned))
        .unwrap_or_default()
}

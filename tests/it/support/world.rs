use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rop::disk::View;
use rop::plan::Tree;
use rop::project::Project;
use tempfile::TempDir;

use super::memory::temporary;
use super::shared::Once;
use super::{Outcome, hints, schema};

/// Makes a project with one API that has no copy of the runtime: four of five files. For tests of what becomes of files,
/// which make hundreds of worlds: a disk takes longer for those than all else that they do.
pub(crate) const WITHOUT_RUNTIME: &str =
    "init --domain example.com --api app/AppService --runtime path:../runtime";

/// An empty directory, and a HOME beside it.
pub(crate) struct World {
    dir: TempDir,
}

impl World {
    /// A world with an empty directory `app-operator` to work in, and `runtime` beside it for projects without a copy.
    pub(crate) fn new() -> Self {
        let dir = temporary();
        let manifest = "[package]\nname = \"rop-runtime\"\n";
        std::fs::create_dir_all(dir.path().join("runtime")).expect("a directory");
        std::fs::write(dir.path().join("runtime/Cargo.toml"), manifest).expect("a manifest");
        std::fs::create_dir_all(dir.path().join("home")).expect("a home");
        std::fs::create_dir_all(dir.path().join("app-operator")).expect("a directory");
        Self { dir }
    }

    /// A world with a fresh project in it.
    pub(crate) fn with_project() -> Self {
        Self::after("init --domain example.com")
    }

    /// The same under a name of its own, which no other test waits for.
    pub(crate) fn with_project_of(name: &str) -> Self {
        Self::after(&format!("init --project-name {name} --domain example.com"))
    }

    /// A world with a project that has one API.
    pub(crate) fn with_api() -> Self {
        Self::after("init --domain example.com --api app/AppService")
    }

    /// The same with [`WITHOUT_RUNTIME`].
    pub(crate) fn without_runtime() -> Self {
        Self::after(WITHOUT_RUNTIME)
    }

    /// The same under a name of its own, which no other test waits for.
    pub(crate) fn with_api_of(name: &str) -> Self {
        let init = format!("init --project-name {name} --domain example.com --api app/AppService");
        Self::after(&init)
    }

    /// A world with what a first command makes. Hundreds of tests begin like this, so it runs once and is copied.
    fn after(command: &str) -> Self {
        static MADE: Once<String, Arc<BTreeMap<String, String>>> = Once::new();
        let made = MADE.get(command.to_owned(), || {
            let world = Self::new();
            world.rop(command).ok();
            Arc::new(world.tree())
        });
        let world = Self::new();
        for (path, text) in &*made {
            world.write(path, text);
        }
        world
    }

    /// A world with the project that PROJECT alone makes, as one command would.
    pub(crate) fn of(project: &Project) -> Self {
        let world = Self::new();
        for file in world.rendered(project).files() {
            world.write(file.path(), file.text());
        }
        world
    }

    /// What PROJECT alone makes in this directory.
    pub(crate) fn rendered(&self, project: &Project) -> Tree {
        let mut rendered = rop::template::render(project).expect("a tree");
        let view = View::of(&self.path()).expect("a directory");
        let sources =
            rop::manifest::Sources::read(&view, &Tree::default(), &rendered).expect("sources");
        let role = rop::manifest::role(&sources, project);
        rendered.extend(role.expect("a role"));
        rendered
    }

    /// A world with a copy of this one's project.
    pub(crate) fn copy(&self) -> Self {
        let (copy, from) = (Self::new(), self.path());
        for entry in walkdir::WalkDir::new(&from).min_depth(1) {
            let entry = entry.expect("a readable tree");
            let to = copy
                .path()
                .join(entry.path().strip_prefix(&from).expect("below it"));
            if entry.file_type().is_dir() {
                std::fs::create_dir(to).expect("a directory");
            } else {
                std::fs::copy(entry.path(), to).expect("a file");
            }
        }
        copy
    }

    /// Where the project is.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("app-operator")
    }

    /// Runs rop with words that have no blanks in them.
    #[must_use = "look at how the command ended"]
    pub(crate) fn rop(&self, arguments: &str) -> Outcome {
        self.rop_in(".", &arguments.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs rop in a directory below the project.
    #[must_use = "look at how the command ended"]
    pub(crate) fn rop_in(&self, directory: &str, arguments: &[&str]) -> Outcome {
        let outcome = self.run(self.command(directory).args(arguments));
        let project = match arguments {
            ["-C", project, ..] => project,
            _ => ".",
        };
        hints::check(self, directory, project, &outcome);
        outcome
    }

    /// rop, about to be run.
    pub(crate) fn command(&self, directory: &str) -> Command {
        self.program(env!("CARGO_BIN_EXE_rop"), directory)
    }

    /// A program, about to be run as rop is: nothing of this machine shows, and cargo builds nothing anew
    /// because a variable is another one than for the test before.
    pub(crate) fn program(&self, program: impl AsRef<OsStr>, directory: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.path().join(directory))
            .env_clear()
            .env("HOME", self.dir.path().join("home"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("COLUMNS", "100");
        // What cargo needs, where a command of rop runs it.
        for name in ["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        if let Some(home) = std::env::home_dir() {
            for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
                if std::env::var_os(name).is_none() && home.join(folder).is_dir() {
                    command.env(name, home.join(folder));
                }
            }
        }
        command
    }

    /// Runs a command and takes this world's paths out of what it printed, and that cargo waited for another
    /// test.
    #[must_use = "look at how the command ended"]
    pub(crate) fn run(&self, command: &mut Command) -> Outcome {
        let output = command.output().expect("the command starts");
        let clean = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("UTF-8");
            let real = self.dir.path().canonicalize().expect("a path");
            let waits = |line: &&str| line.contains("Blocking waiting for file lock");
            let lines = text.split_inclusive('\n').filter(|line| !waits(line));
            let text = lines.collect::<String>();
            text.replace(&*real.to_string_lossy(), "[DIR]")
                .replace(&*self.dir.path().to_string_lossy(), "[DIR]")
        };
        let outcome = Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: clean(output.stdout),
            stderr: clean(output.stderr),
        };
        if prints_documented_json(command) && outcome.stdout.starts_with('{') {
            schema::check(&outcome.stdout);
        }
        outcome
    }

    /// The text of a file of the project.
    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Replaces a part of a file, which must be there.
    #[track_caller]
    pub(crate) fn replace(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "no {from:?} in {path}");
        self.write(path, &text.replace(from, to));
    }

    /// Has cert-manager make the certificate of the webhooks, which are the last of the components.
    pub(crate) fn use_cert_manager(&self) {
        let kustomization = "config/default/kustomization.yaml";
        self.replace(kustomization, "../webhook]", "../webhook, ../cert-manager]");
        let text = self.read(kustomization);
        let names = "replacements:\n- path: cert_manager.yaml\n";
        self.write(kustomization, &format!("{text}{names}"));
    }

    /// Every file of the project, but for what cargo built and what is true on one machine alone.
    pub(crate) fn tree(&self) -> BTreeMap<String, String> {
        tree(&self.path())
    }
}

/// Every file below a directory, but for what cargo built and what is true on one machine alone.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, String> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .filter_entry(|entry| entry.file_name() != "target")
        .map(|entry| entry.expect("a readable tree"))
        .filter(|entry| !entry.file_type().is_dir() && !entry.path().ends_with(".rop/seen"))
        .map(|entry| {
            let path = entry.path().strip_prefix(root).expect("below the root");
            let text = std::fs::read(entry.path()).unwrap_or_default();
            (
                path.to_string_lossy().into_owned(),
                String::from_utf8_lossy(&text).into_owned(),
            )
        })
        .collect()
}

/// The paths of files that are not the same in two trees.
pub(crate) fn differing<'a>(
    one: &'a BTreeMap<String, String>,
    other: &'a BTreeMap<String, String>,
) -> Vec<&'a str> {
    let paths: BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let differs = paths
        .into_iter()
        .filter(|path| one.get(*path) != other.get(*path));
    differs.map(String::as_str).collect()
}

/// Whether a command prints rop's own JSON, and not that of another tool.
fn prints_documented_json(command: &Command) -> bool {
    let has = |word: &str| command.get_args().any(|argument| argument == word);
    command.get_program() == env!("CARGO_BIN_EXE_rop")
        && has("--json")
        && !["json-alpha1", "sarif"].into_iter().any(has)
}

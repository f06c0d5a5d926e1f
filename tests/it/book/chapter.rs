//! Chapters of the book that are run as they are read.
//!
//! A block `shell` is run, and has to end well; `shell,fails` has to end badly, and `shell,background`
//! runs until the next block that says `shell,stop`. Each line of a block `text,said` or `yaml,said`
//! is part of what was printed last, and each of `text,logged` soon becomes part of what is printed in
//! the background. A block `diff` is an edit of the project; one with a file's name behind its
//! language, such as `yaml,config/samples/a.yaml`, is that file, and with `,append` its end. What
//! stands in other blocks is to be read.

use std::collections::VecDeque;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::SOON;
use crate::cluster::operator::PROBES;
use crate::support::World;
use crate::support::cargo::{QUICK_RELEASE, compile, settings};
use crate::support::control_plane::{ControlPlane, eventually};
use crate::support::turn::age_runtime;
use crate::support::variant::Part;

/// A chapter, with what of it is still to run.
pub(super) struct Chapter<'a> {
    world: &'a World,
    cluster: Option<&'a ControlPlane>,
    /// What is found before rop and kubectl.
    programs: PathBuf,
    folder: PathBuf,
    registry: String,
    blocks: VecDeque<Block>,
    background: Option<Background>,
    /// What the last command printed.
    said: String,
}

/// A block, and the heading that it stands under.
struct Block {
    heading: String,
    language: String,
    text: String,
}

impl<'a> Chapter<'a> {
    /// A chapter of `book/src/tutorials`.
    pub(super) fn new(name: &str, world: &'a World) -> Self {
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/tutorials");
        let text = fs::read_to_string(book.join(name)).expect("a chapter");
        Self {
            world,
            cluster: None,
            programs: world.path().with_file_name("programs"),
            folder: world.path(),
            registry: String::new(),
            blocks: blocks(&text),
            background: None,
            said: String::new(),
        }
    }

    /// The same, where the reader starts in another folder than that of the project.
    pub(super) fn in_folder(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// The same, beside other chapters: the operator that `rop run` starts answers probes at any port. In one chapter
    /// it does at its own.
    pub(super) fn at_any_port(self) -> Self {
        let rop = self.programs.join("rop");
        let text = format!(
            "#!/bin/sh\nif [ \"$1\" = run ]; then set -- \"$@\" -- {PROBES}=127.0.0.1:0; fi\nexec {} \"$@\"\n",
            env!("CARGO_BIN_EXE_rop")
        );
        fs::create_dir(&self.programs).expect("a folder");
        fs::write(&rop, text).expect("a program");
        fs::set_permissions(&rop, Permissions::from_mode(0o755)).expect("a program");
        self
    }

    /// The same, from where the reader needs a cluster.
    pub(super) fn with_cluster(mut self, plane: &'a ControlPlane) -> Self {
        self.cluster = Some(plane);
        self
    }

    /// The same, for a reader who keeps images in this registry.
    pub(super) fn with_registry(mut self, host: &str) -> Self {
        host.clone_into(&mut self.registry);
        self
    }

    /// Runs all up to the end of what stands under a heading.
    #[track_caller]
    pub(super) fn run_through(&mut self, heading: &str) {
        let last = self
            .blocks
            .iter()
            .rposition(|block| block.heading == heading);
        let last = last.unwrap_or_else(|| panic!("nothing to run under {heading:?}"));
        for block in self.blocks.drain(..=last).collect::<Vec<_>>() {
            self.run(&block);
        }
    }

    /// Leaves out what stands under a heading, which this machine cannot run.
    pub(super) fn leave_out(&mut self, heading: &str) {
        self.blocks.retain(|block| block.heading != heading);
    }

    /// Everything has been run.
    #[track_caller]
    pub(super) fn ends(self) {
        let left: Vec<_> = self.blocks.iter().map(|block| &block.text).collect();
        assert!(left.is_empty(), "not run: {left:?}");
    }

    #[track_caller]
    fn run(&mut self, block: &Block) {
        let Block { language, text, .. } = block;
        let result = match language.split_once(',') {
            None if language == "shell" => self.shell(text, true),
            None if language == "diff" => self.patch(text),
            Some(("shell", "background")) => {
                self.compile(text);
                self.background = Some(Background::start(self.command(text), self.world));
                Ok(())
            }
            Some(("shell", "stop")) => {
                let ended = self.background.take().expect("a process in the background");
                ended.stop();
                self.shell(text, true)
            }
            Some(("shell", "fails")) => self.shell(text, false),
            Some(("text" | "yaml", "said")) => {
                match text.lines().find(|line| !self.said.contains(line)) {
                    Some(line) => Err(format!("no {line:?} in {}", self.said)),
                    None => Ok(()),
                }
            }
            Some(("text", "logged")) => {
                let background = self.background.as_ref();
                background.expect("a process in the background").logs(text);
                Ok(())
            }
            Some((_, path)) => {
                match path.strip_suffix(",append") {
                    Some(path) => self.world.write(path, &(self.world.read(path) + text)),
                    None => self.world.write(path, text),
                }
                Ok(())
            }
            None => Ok(()),
        };
        let log = || self.background.as_ref().map(Background::log);
        if let Err(said) = result {
            panic!("{text}\n{said}\nin the background: {:?}", log());
        }
    }

    fn shell(&mut self, text: &str, ends_well: bool) -> Result<(), String> {
        self.compile(text);
        let output = self.command(text).output().expect("sh runs");
        if text.contains("rop init") {
            age_runtime(self.world);
        }
        let said = [output.stdout, output.stderr].concat();
        self.said = String::from_utf8_lossy(&said).into_owned();
        if output.status.success() == ends_well {
            Ok(())
        } else {
            Err(format!("{}\n{}", output.status, self.said))
        }
    }

    /// Compiles what these commands need, where no other chapter has.
    fn compile(&self, text: &str) {
        if text.contains("cargo test") || text.contains("--example") {
            compile(self.world, Part::Tests);
        } else if text.contains("rop run") || text.contains("make run") {
            compile(self.world, Part::Program);
        } else if text.contains("generate manifests") || text.contains("make manifests") {
            compile(self.world, Part::Types);
        }
    }

    fn patch(&self, text: &str) -> Result<(), String> {
        let mut command = Command::new("git");
        let mut git = command
            .args(["apply", "--recount", "-"])
            .current_dir(self.world.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("git runs");
        let mut stdin = git.stdin.take().expect("stdin is piped");
        stdin.write_all(text.as_bytes()).expect("git reads");
        drop(stdin);
        let output = git.wait_with_output().expect("git ends");
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// A shell in the project, as a reader has it: with rop and kubectl.
    fn command(&self, text: &str) -> Command {
        let rop = Path::new(env!("CARGO_BIN_EXE_rop"));
        let assets = crate::support::control_plane::assets();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let rop = rop.parent().expect("a folder").to_owned();
        let folders = [self.programs.clone(), rop].into_iter().chain(assets);
        let folders = folders.chain(std::env::split_paths(&path));
        let mut command = self.world.program("sh", ".");
        command
            .args(["-e", "-c", text])
            .current_dir(&self.folder)
            .env("PATH", std::env::join_paths(folders).expect("a path"))
            .envs(settings())
            .envs(QUICK_RELEASE)
            .env("SIMULATION_SEEDS", "1")
            .env("REGISTRY", &self.registry);
        if let Some(cluster) = self.cluster {
            command.env("KUBECONFIG", cluster.kubeconfig());
        }
        command
    }
}

/// The operator, while it runs beside the rest. Its process group ends with it.
struct Background {
    child: Child,
    log: PathBuf,
}

impl Background {
    fn start(mut command: Command, world: &World) -> Self {
        let log = world.path().with_file_name("background.log");
        let file = File::create(&log).expect("a log");
        let child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("a log"))
            .stderr(file)
            .spawn()
            .expect("sh runs");
        Self { child, log }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until it has printed each of these lines.
    #[track_caller]
    fn logs(&self, lines: &str) {
        for line in lines.lines() {
            eventually(line, SOON, || self.log().contains(line).then_some(()));
        }
    }

    /// Ends it as Ctrl-C does.
    fn stop(mut self) {
        signal(&self.child, "INT");
        self.child.wait().expect("an end");
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in the background:\n{}", self.log());
        }
        if matches!(self.child.try_wait(), Ok(None)) {
            signal(&self.child, "KILL");
            let _ = self.child.wait();
        }
    }
}

/// Sends a signal to a process and to all that it started.
fn signal(child: &Child, name: &str) {
    let mut kill = Command::new("kill");
    kill.args(["-s", name, "--", &format!("-{}", child.id())]);
    let _ = kill.status();
}

fn blocks(text: &str) -> VecDeque<Block> {
    let mut blocks = VecDeque::new();
    let (mut heading, mut open) = (String::new(), None::<Block>);
    for line in text.lines() {
        if let Some(mut block) = open.take() {
            if line.trim_end() == "```" {
                blocks.push_back(block);
            } else {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
        } else if let Some(language) = line.strip_prefix("```") {
            open = Some(Block {
                heading: heading.clone(),
                language: language.to_owned(),
                text: String::new(),
            });
        } else if line.starts_with('#') {
            line.trim_start_matches(['#', ' ']).clone_into(&mut heading);
        }
    }
    blocks
}

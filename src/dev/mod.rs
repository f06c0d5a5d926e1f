//! Runs an operator against a throw-away control plane, and again when its code changes.

mod changes;
mod cluster;
mod folder;
mod identity;
mod operator;
mod unserved;
mod webhooks;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::cargo::{Build, Target};
use crate::control_plane::{ControlPlane, Options};
use crate::error::{Code, Context, Error, Result};
use crate::project::Root;
use crate::project::layout::{DEFAULT, SAMPLES};
use crate::ui::Ui;

use changes::{Changes, Saved};
use cluster::Cluster;
use folder::Folder;
use operator::Operator;

pub use folder::kubeconfig;

/// How often the operator is looked at, which may end by itself.
const LOOK: Duration = Duration::from_millis(200);

/// An operator that is worked on.
pub struct Session<'a> {
    /// Its project.
    pub root: &'a Root,
    /// Where the programs of a control plane are.
    pub assets: &'a Path,
    /// Whether Kubernetes' own controllers run as well.
    pub controllers: bool,
    /// What the operator is started with.
    pub arguments: &'a [OsString],
    /// Writes the manifests of its code, and says whether that changed any.
    pub generate: &'a dyn Fn() -> Result<bool>,
    /// Reads PROJECT, which commands change meanwhile.
    pub project: &'a dyn Fn() -> Result<Root>,
    /// Where it is told what goes on.
    pub ui: &'a Ui,
}

/// What runs in a session.
struct Running {
    operator: Option<Operator>,
    /// Whether the samples were applied: that may need the operator.
    has_samples: bool,
}

/// What a session waits for.
enum Event {
    /// Files were saved.
    Changed(Saved),
    /// It is to end.
    Stop,
}

impl Session<'_> {
    /// Runs until it is told to end. Nothing of it is left then: no process and no file.
    ///
    /// # Errors
    /// The project does not build, or the control plane does not start. Later errors are
    /// reported, and the next save tries again.
    pub fn run(&self) -> Result<()> {
        let (sender, events) = channel();
        stop_on_signals(sender.clone())?;
        let start = Instant::now();
        let folder = Folder::take(&self.root.path)?;
        let (mut cluster, program) = self.begin(&folder)?;
        let _changes = Changes::watch(&self.root.path, sender)?;
        let mut operator = cluster.run(&program, self.arguments)?;
        let has_samples = cluster
            .apply_samples(Some(&mut operator))
            // kubectl only says that nobody answers.
            .map_err(|error| cluster.ended().unwrap_or(error))?;
        if has_samples {
            self.ui.done("ready", &after(start));
        }
        let shell = format!("export KUBECONFIG={}", cluster.admin().display());
        let metrics = cluster
            .metrics(self.arguments)
            .map(|address| format!("curl http://{address}/metrics"));
        let mut next = vec![format!("{shell}    # for kubectl in another terminal")];
        next.extend(metrics);
        self.ui.next(&next);
        let running = Running {
            operator: Some(operator),
            has_samples,
        };
        self.watch(&mut cluster, running, &events)
    }

    /// Starts the control plane while the operator is built: neither needs the other.
    fn begin(&self, folder: &Folder) -> Result<(Cluster<'_>, PathBuf)> {
        let options = Options {
            assets: self.assets,
            dir: folder.path(),
            controllers: self.controllers,
            flags: "",
        };
        let (ui, is_built) = (self.ui, AtomicBool::new(false));
        // A first build takes minutes more.
        let report = |error| {
            if is_built.load(Ordering::Relaxed) {
                return error;
            }
            ui.error(&error);
            Error::new(
                Code::ControlPlaneFailed,
                "the control plane did not start: see its error above",
            )
        };
        let (plane, built) = thread::scope(|scope| {
            let plane = scope.spawn(|| ControlPlane::start(&options).map_err(report));
            let built = (self.generate)().and_then(|_| self.build());
            is_built.store(true, Ordering::Relaxed);
            (plane.join(), built)
        });
        let plane = plane.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let (plane, program) = (plane?, built?);
        let cluster = Cluster::new(plane, self.root, self.ui)?;
        Ok((cluster, program))
    }

    /// Waits for changes, and does what each asks for.
    fn watch(
        &self,
        cluster: &mut Cluster<'_>,
        mut running: Running,
        events: &Receiver<Event>,
    ) -> Result<()> {
        let mut left = Saved::default();
        loop {
            match events.recv_timeout(LOOK) {
                Ok(Event::Changed(change)) => {
                    let start = Instant::now();
                    left = left.with(change);
                    match self.renew(cluster, &mut left, &mut running) {
                        Ok(()) => self.ui.done("ready", &after(start)),
                        Err(error) => {
                            still_runs(cluster)?;
                            self.ui.error(&error);
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    still_runs(cluster)?;
                    if let Some(status) = running.operator.as_mut().and_then(Operator::ended) {
                        running.operator = None;
                        self.ui.note(&format!(
                            "the operator exited ({status}); it restarts when a file is saved"
                        ));
                    }
                }
                Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => {
                    return running.operator.map_or(Ok(()), Operator::stop);
                }
            }
        }
    }

    /// Does what a change asks for, and leaves in it what is still to be done. Where that fails, the operator of
    /// before runs on.
    fn renew(
        &self,
        cluster: &mut Cluster<'_>,
        change: &mut Saved,
        running: &mut Running,
    ) -> Result<()> {
        self.check_name()?;
        let program = if change.code {
            // Code that does not build is built again when it changes.
            change.code = false;
            change.manifests |= (self.generate)()?;
            let program = self.build()?;
            change.code = true;
            Some(program)
        } else {
            None
        };
        if change.manifests {
            self.ui.done("apply", DEFAULT);
            cluster.apply_manifests(&(self.project)()?)?;
            change.manifests = false;
        }
        if let Some(program) = program {
            if let Some(operator) = running.operator.take() {
                operator.stop()?;
            }
            running.operator = Some(cluster.run(&program, self.arguments)?);
            change.code = false;
            self.ui.done("restarted", "the operator");
        }
        if change.samples || !running.has_samples {
            self.ui.done("apply", SAMPLES);
            running.has_samples = cluster.apply_samples(running.operator.as_mut())?;
            change.samples = false;
            if !running.has_samples {
                let message = "the operator exited, so its webhooks do not respond";
                return Err(Error::new(Code::WebhookUnanswered, message)
                    .hint("the samples are applied when the operator runs again"));
            }
        }
        Ok(())
    }

    /// Checks that the project still has the name that the control plane was set up for.
    fn check_name(&self) -> Result<()> {
        let project = (self.project)()?.project;
        let (old, new) = (&self.root.project.project_name, &project.project_name);
        if old == new {
            return Ok(());
        }
        let message = format!("the project was renamed from `{old}` to `{new}`");
        Err(Error::new(Code::ProjectRenamed, message)
            .hint("stop `rop dev` with Ctrl-C, then start it again"))
    }

    fn build(&self) -> Result<PathBuf> {
        let name = self.root.project.project_name.as_str();
        let build = Build {
            root: &self.root.path,
            packages: &[name],
            what: "the operator",
            program: Target::Binary(name),
            flags: &[],
            environment: &[],
            quiet: self.ui.hides_progress(),
        };
        build.run()
    }
}

/// # Errors
/// The control plane has ended by itself.
fn still_runs(cluster: &mut Cluster<'_>) -> Result<()> {
    match cluster.ended() {
        Some(error) => Err(error.hint("start it again: `rop dev`")),
        None => Ok(()),
    }
}

/// Ctrl-C, the end of the terminal, and what `kill` sends by default.
fn stop_on_signals(events: Sender<Event>) -> Result<()> {
    ctrlc::set_handler(move || {
        let _ = events.send(Event::Stop);
    })
    .context(Code::SystemError, || "failed to wait for signals")
}

fn after(start: Instant) -> String {
    format!("after {:.1} s", start.elapsed().as_secs_f64())
}

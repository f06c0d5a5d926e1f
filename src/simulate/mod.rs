//! The project's operator in simulation: its `tests/simulation.rs`, built to be fast.

mod history;
pub(crate) mod report;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::address::SIMULATION;
use crate::bounded;
use crate::cargo::{Build, Target, metadata};
use crate::error::{Code, Context, Error, Result};
use crate::ui::Ui;
pub(crate) use history::{Calm, EventLog, Failure, History, Role};

/// The file of tests, without its extension.
const TEST: &str = "simulation";

/// Which seeds are run, half open.
const SEEDS: &str = "SIMULATION_SEEDS";

/// What happens in the one seed that is run.
const PLAN: &str = "SIMULATION_PLAN";

/// For how many simulated minutes there are faults.
const MINUTES: &str = "SIMULATION_MINUTES";

/// Has each seed reported as a line of JSON.
const REPORT: &str = "SIMULATION_REPORT";

/// The longest line: the events of a seed with hours of faults.
const LONGEST_LINE: usize = 256 << 20;

/// How much of what the program prints to stderr is kept.
const STDERR: usize = 1 << 20;

/// Has the events of a seed reported as well.
const HISTORY: &str = "SIMULATION_HISTORY";

/// Says that the standard input stays open for as long as this process lives.
const HELD: &str = "SIMULATION_HELD";

/// A profile of its own, so that it rebuilds nothing of `cargo test` or of the image. Optimized, for a seed then
/// takes a fraction of the time; with the checks of a dev build; in many units, for a quick build after an edit.
const PROFILE: [&str; 7] = [
    // `is_first` knows its name.
    "--profile=simulation",
    "--config=profile.simulation.inherits='dev'",
    "--config=profile.simulation.opt-level=2",
    "--config=profile.simulation.debug=false",
    "--config=profile.simulation.package.\"*\".debug=false",
    "--config=profile.simulation.codegen-units=16",
    "--config=profile.simulation.incremental=true",
];

/// Which seeds to simulate.
#[derive(Clone, Debug)]
pub(crate) enum Selection {
    /// Seeds, with faults for some simulated minutes.
    Seeds(Range<u64>, Option<u32>),
    /// A part of a seed, as a failure names it.
    Plan(String),
}

impl Selection {
    /// How many seeds are run.
    fn total(&self) -> u64 {
        match self {
            Self::Seeds(seeds, _) => seeds.end - seeds.start,
            Self::Plan(_) => 1,
        }
    }

    /// Whether it includes a seed. That of a plan is not known here.
    fn has(&self, seed: u64) -> bool {
        match self {
            Self::Seeds(seeds, _) => seeds.contains(&seed),
            Self::Plan(_) => true,
        }
    }

    /// What the simulation finds in its environment.
    fn environment(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Seeds(Range { start, end }, minutes) => {
                let minutes = minutes.map(|minutes| (MINUTES, minutes.to_string()));
                let seeds = (SEEDS, format!("{start}..{end}"));
                [seeds].into_iter().chain(minutes).collect()
            }
            Self::Plan(plan) => vec![(PLAN, plan.clone())],
        }
    }
}

/// Results of a run.
#[derive(Debug)]
pub(crate) struct SeedResults {
    /// The seeds that were run, in order.
    pub(crate) seeds: Vec<History>,
    /// The cluster without faults, which a single plan does not have.
    pub(crate) calm: Option<Calm>,
    /// The events of the failed seed, or of the first one, if they were asked for.
    pub(crate) log: Option<EventLog>,
    /// The role, which a single plan says nothing of.
    pub(crate) role: Option<Role>,
}

impl SeedResults {
    /// The first seed in which something broke.
    pub(crate) fn broken(&self) -> Option<(u64, &Failure)> {
        let mut seeds = self.seeds.iter();
        seeds.find_map(|seed| Some((seed.seed, seed.failure.as_ref()?)))
    }
}

/// Builds the simulation of a project, whose package is `package`, and gives the program.
///
/// # Errors
/// The project has none, or it does not compile.
pub(crate) fn build(root: &Path, package: &str, ui: &Ui) -> Result<PathBuf> {
    let file = root.join("tests").join(TEST).with_extension("rs");
    if !file.is_file() {
        let message = format!("the project has no simulation: `tests/{TEST}.rs` does not exist");
        return Err(Error::new(Code::NoSimulation, message).hint(format!(
            "create a controller, which adds the file: `rop create api`; or write the file: see {SIMULATION}"
        )));
    }
    ui.building("the simulation");
    if is_first(root) {
        ui.note(
            "the first build compiles all dependencies with optimizations and takes minutes; \
            later builds take seconds",
        );
    }
    let build = Build {
        root,
        packages: &[package],
        what: "the simulation",
        program: Target::Test(TEST),
        flags: &PROFILE,
        environment: &[],
        quiet: ui.hides_progress(),
    };
    build.run()
}

/// Whether nothing was built for a simulation yet. What cargo does not say, its build will.
fn is_first(root: &Path) -> bool {
    metadata(root, &["--no-deps"]).is_ok_and(|metadata| {
        let target = metadata["target_directory"].as_str();
        target.is_some_and(|target| !Path::new(target).join(TEST).is_dir())
    })
}

/// Runs seeds until all are done, or something breaks in one. With `has_log`, also returns the events of a seed.
///
/// # Errors
/// The program cannot be run, or it ended without a report of all seeds, though nothing broke.
pub(crate) fn run(
    program: &Path,
    selection: &Selection,
    has_log: bool,
    ui: &Ui,
) -> Result<SeedResults> {
    let mut command = Command::new(program);
    for variable in [PLAN, SEEDS, MINUTES, HISTORY] {
        command.env_remove(variable);
    }
    command
        .args(["--nocapture", "--test-threads=1"])
        .envs(selection.environment())
        .env(REPORT, "json")
        .env(HELD, "1")
        .envs(has_log.then_some((HISTORY, "1")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let what = || format!("failed to run `{}`", program.display());
    let mut process = command.spawn().context(Code::SimulationFailed, what)?;
    // The process ends with this one, however this one ends.
    let held = process.stdin.take();
    let stderr = process.stderr.take();
    let stderr = stderr.map(|pipe| bounded::Text::beginning(pipe, STDERR));
    let stdout = process.stdout.take().expect("it is piped");
    let total = selection.total();
    let first = match selection {
        Selection::Seeds(..) => "a cluster without faults".to_owned(),
        Selection::Plan(_) => "the plan".to_owned(),
    };
    let progress = ui.progress("simulate", &first, None);
    let (mut seeds, mut calm, mut role, mut log) = (BTreeMap::new(), None, None, None);
    let mut unread = Ok(());
    for line in bounded::printed(&mut process, stdout, LONGEST_LINE) {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                unread = Err(error);
                break;
            }
        };
        let before = (seeds.len(), calm.is_some());
        if let Some(seed) = History::read(&line).filter(|seed| selection.has(seed.seed)) {
            seeds.entry(seed.seed).or_insert(seed);
        }
        calm = calm.or_else(|| Calm::read(&line));
        if before != (seeds.len(), calm.is_some()) {
            progress.say(&format!("{} of {total} seeds", seeds.len()));
        }
        log = log.or_else(|| EventLog::read(&line));
        role = role.or_else(|| Role::read(&line));
    }
    drop(progress);
    if unread.is_err() {
        let _ = process.kill();
    }
    let status = process.wait().context(Code::SimulationFailed, what)?;
    unread.context(Code::SimulationFailed, what)?;
    drop(held);
    let stderr_text = stderr.map(bounded::Text::ended).unwrap_or_default();
    let seeds: Vec<_> = seeds.into_values().collect();
    let results = SeedResults {
        seeds,
        calm,
        log,
        role,
    };
    let is_early = (results.seeds.len() as u64) < total;
    if results.broken().is_none() && (is_early || !status.success()) {
        let message = if is_early {
            format!("the simulation ended early, with {status}")
        } else {
            format!("the simulation failed, with {status}")
        };
        let stderr_text = stderr_text.trim();
        return Err(if stderr_text.is_empty() {
            Error::new(Code::SimulationFailed, message)
        } else {
            Error::new(Code::SimulationFailed, stderr_text).context(message)
        });
    }
    Ok(results)
}

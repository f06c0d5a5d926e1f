use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::error::{Code, Error, Result};
use crate::plan::{self, File, Tree};
use crate::shell_word::shell_word;
use crate::simulate::{self, SeedResults, Selection};

use super::args::place::Place;
use super::args::target::project_here;
use super::invocation::{Access, Invocation};
use crate::address::SIMULATION;
use crate::cli::help::examples;

const EXAMPLES: &str = "\
Examples:
  rop simulate
  rop simulate --seeds 10000
  rop simulate --seed 4711           # the same history each time
  rop simulate --minutes 60 --json
  rop simulate --report target/simulation.html";

/// The faults of a plan end within a day.
const MOST_MINUTES: i64 = 24 * 60;

/// Fewer seeds do not use all permissions.
const MANY: usize = 50;

/// The form of a plan.
const PLAN: &str = "expected a plan as a failure prints it, such as 'seed=7 seconds=60 objects=1 replicas=2 faults=Kill'";

/// Run the operator in a simulated cluster with injected faults.
///
/// Builds `tests/simulation.rs` with optimizations and runs it on all cores. Each seed determines which requests fail,
/// which replicas crash and what users do. Invariants are checked throughout; if one is broken, the exit code is 1, and
/// the same seed reproduces the failure. Does not support `--dry-run`.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[SIMULATION]))]
pub(super) struct SimulateArgs {
    /// Number of seeds to run, or a range such as 200..400.
    #[arg(long, value_name = "N", default_value = "200", value_parser = seeds)]
    seeds: Range<u64>,

    /// Run only this seed.
    #[arg(long, value_name = "S", conflicts_with = "seeds", value_parser = clap::value_parser!(u64).range(..u64::MAX))]
    seed: Option<u64>,

    /// Run a reduced seed, as printed by a failure.
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["seeds", "seed", "minutes"], value_parser = plan)]
    plan: Option<String>,

    /// Simulated minutes with faults in each seed [default: set by the project].
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..=MOST_MINUTES))]
    minutes: Option<u32>,

    /// Fail if a field has no effect, or a permission is never used.
    #[arg(long, conflicts_with = "plan")]
    strict: bool,

    /// HTML file to write with the events of one seed.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Overwrite the report even if you edited it.
    #[arg(long, requires = "report")]
    force: bool,
}

pub(super) fn run(args: &SimulateArgs, invocation: &Invocation) -> Result<()> {
    if invocation.dry_run {
        return Err(Error::new(
            Code::ConflictingFlags,
            "`rop simulate` does not support `--dry-run`: it has nothing to preview",
        ));
    }
    let root = project_here(invocation)?;
    let name = root.project.project_name.as_str();
    write_report(args, String::new(), Access::Read, invocation)?;
    let program = simulate::build(&root.path, name, &invocation.ui)?;
    let selection = match (&args.plan, args.seed) {
        (Some(plan), _) => Selection::Plan(plan.clone()),
        (None, Some(seed)) => Selection::Seeds(seed..seed.saturating_add(1), args.minutes),
        (None, None) => Selection::Seeds(args.seeds.clone(), args.minutes),
    };
    let results = simulate::run(&program, &selection, args.report.is_some(), &invocation.ui)?;
    // No seed is run if an invariant is violated in the cluster without faults.
    let has_seeds = args.plan.is_some() || results.calm.is_some();
    print(&results, has_seeds, invocation)?;
    let reported = report_events(args, &results, invocation);
    let Some((seed, failure)) = results.broken() else {
        reported?;
        let is_enough = results.seeds.len() >= MANY;
        let calm = results.calm.unwrap_or_default();
        let permissions = results.role.filter(|_| is_enough);
        let permissions = permissions.map(|role| role.never_used).unwrap_or_default();
        for (message, found) in [
            (HASTY, calm.hasty_statuses),
            (REFUSED, calm.refused_values),
            (OUTDATED, calm.outdated_environments),
        ] {
            if !found.is_empty() {
                invocation
                    .ui
                    .note(&format!("{message}: {}", quoted(&found)));
            }
        }
        let found = [
            (&INEFFECTIVE, calm.ineffective_fields),
            (&UNUSED, permissions),
        ];
        return report(&found, args.strict, invocation);
    };
    if !invocation.json {
        invocation
            .ui
            .data(&format!("{}\n", failure.report.trim_end()))?;
    }
    if let Err(error) = reported {
        let why: Vec<_> = error.chain().collect();
        let message = format!("there is no report: {}", why.join(": "));
        invocation.ui.note(&message);
    }
    let again = replay(&failure.plan);
    let place = if has_seeds {
        format!("seed {seed}")
    } else {
        "the cluster without faults".to_owned()
    };
    Err(Error::new(
        Code::InvariantBroken,
        format!("{place}: {}", failure.invariant),
    )
    .hint(format!("replay the reduced failure: {again}")))
}

/// Writes the report of the events, if one is asked for.
fn report_events(
    args: &SimulateArgs,
    results: &SeedResults,
    invocation: &Invocation,
) -> Result<()> {
    if args.report.is_none() {
        return Ok(());
    }
    let log = results.log.as_ref().ok_or_else(|| {
        let message = "the project's library reports no events, so there is no report";
        Error::new(Code::SimulationFailed, message).hint("update the project: `rop update`")
    })?;
    let page = simulate::report::page(log, &replay(&log.plan))?;
    write_report(args, page, Access::Write, invocation)
}

/// Prints the results as JSON, or their sums.
fn print(results: &SeedResults, has_seeds: bool, invocation: &Invocation) -> Result<()> {
    if invocation.json {
        let mut report = json!({ "command": "simulate", "seeds": results.seeds });
        if let Some(calm) = &results.calm {
            report["calm"] = json!(calm);
        }
        if let Some(role) = &results.role {
            report["role"] = json!(role);
        }
        invocation.ui.json(&report)?;
    } else {
        if let Some(calm) = &results.calm {
            let checked = format!(
                "{} repairs, {} of {} shapes of fields and {} of {} points of a crash in a cluster without faults",
                calm.repairs, calm.shapes, calm.shapes_found, calm.points, calm.points_found
            );
            invocation.ui.done("checked", &checked);
        }
        if has_seeds {
            invocation.ui.done("simulated", &figures(results));
        }
    }
    Ok(())
}

/// The command that repeats a plan.
fn replay(plan: &str) -> String {
    format!("rop simulate --plan {}", shell_word(plan))
}

/// Writes the report, if one is asked for. Without access to write, only checks that it can be written.
fn write_report(
    args: &SimulateArgs,
    page: String,
    access: Access,
    invocation: &Invocation,
) -> Result<()> {
    let Some(file) = &args.report else {
        return Ok(());
    };
    if file.extension().is_none_or(|ending| ending != "html") {
        let message = format!(
            "invalid file `{}`: its name must end with `.html`",
            file.display()
        );
        let error = Error::new(Code::InvalidFile, message);
        return Err(error.hint("use a path such as `--report target/simulation.html`"));
    }
    let place = Place::find(file)?;
    let entered = invocation.enter(&place.root, access)?;
    let mut after = Tree::default();
    after.insert(File::owned(place.folder.clone(), page));
    let plan = plan::plan(&entered.view, &Tree::default(), &after, args.force)?;
    if access == Access::Write {
        invocation.write("simulate", &entered.view, &plan)?;
        invocation.ui.done("write", &place.folder);
    }
    Ok(())
}

/// Names that `--strict` makes an error.
struct Finding {
    code: Code,
    message: &'static str,
    hint: &'static str,
}

const INEFFECTIVE: Finding = Finding {
    code: Code::IneffectiveField,
    message: "a change of these fields changed no child and no status",
    hint: "use the field in the controller, or remove it from the type; if it is for a service outside the cluster, \
           declare it with `.external_fields([…])` in `tests/simulation.rs`",
};

/// What ready means is the author's choice.
const HASTY: &str =
    "a kind is `Ready` before a workload that it owns, or an object that its spec names";

/// Not every rule of a child can be one of the CRD.
const REFUSED: &str = "the API server refuses a child for values that the CRD allows";

/// Some programs read their configuration again by themselves.
const OUTDATED: &str = "pods keep environment variables of a ConfigMap or a Secret that these fields change, because \
                        the pod template does not change";

const UNUSED: Finding = Finding {
    code: Code::UnusedPermission,
    message: "no request of the operator needed these permissions",
    hint: "remove them from the markers `+kubebuilder:rbac`, and run `rop generate manifests`",
};

/// Reports what was found. With `is_strict`, the first finding is an error.
fn report(
    found: &[(&Finding, Vec<String>)],
    is_strict: bool,
    invocation: &Invocation,
) -> Result<()> {
    let mut first = Ok(());
    for (finding, names) in found.iter().filter(|(_, names)| !names.is_empty()) {
        let message = format!("{}: {}", finding.message, quoted(names));
        if is_strict && first.is_ok() {
            first = Err(Error::new(finding.code, message).hint(finding.hint));
        } else {
            invocation.ui.note(&message);
        }
    }
    first
}

fn quoted(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Checks the form of a plan: the names of its faults depend on the project's library.
fn plan(text: &str) -> std::result::Result<String, String> {
    let parts = text.split_whitespace().map(|part| part.split_once('='));
    let is_number = |value: &str| value.parse::<u64>().is_ok();
    let mut has_seed = false;
    for part in parts {
        match part {
            Some(("seed", value)) if is_number(value) => has_seed = true,
            Some(("seconds" | "objects" | "replicas", value)) if is_number(value) => {}
            Some(("faults", _)) => {}
            _ => return Err(PLAN.to_owned()),
        }
    }
    if has_seed {
        Ok(text.to_owned())
    } else {
        Err(PLAN.to_owned())
    }
}

/// Reads a number of seeds, or the first and the one after the last.
fn seeds(text: &str) -> std::result::Result<Range<u64>, String> {
    let (start, end) = text.split_once("..").unwrap_or(("0", text));
    match (start.parse(), end.parse()) {
        (Ok(start), Ok(end)) if start < end => Ok(start..end),
        _ => Err("expected a number above 0, or a range such as 200..400".to_owned()),
    }
}

/// The sums of all seeds.
fn figures(results: &SeedResults) -> String {
    let sum = |of: fn(&simulate::History) -> u64| {
        results.seeds.iter().map(of).fold(0, u64::saturating_add)
    };
    let minutes = sum(|seed| seed.seconds) / 60;
    let count = results.seeds.len();
    format!(
        "{count} seed{}: {} h {} min, {} faults, {} reconciles, {} requests",
        if count == 1 { "" } else { "s" },
        minutes / 60,
        minutes % 60,
        sum(|seed| seed.faults),
        sum(|seed| seed.reconciles),
        sum(|seed| seed.requests),
    )
}

//! What scaffolding costs: in process, and as whole commands.
//!
//! `cargo bench --bench scaffold` runs everything; with `-- 'create api'` behind it, what has those
//! words in its name. Where kubebuilder, kubectl, or operator-sdk and kustomize are on PATH, their commands are timed too, and
//! the ratio is said.
//! The first run builds a generated project, for minutes; it is kept for the next one.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "it makes the projects that it times, and says what came of it"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, SamplingMode};
use rop::disk::View;
use rop::plan::Tree;
use rop::project::{Project, ProjectKind};
use tempfile::TempDir;

/// What makes and what checks a bundle.
const BUNDLE: &[&str] = &[
    "bundle",
    "--image",
    "registry.example.com/app-operator:v0.1.0",
];
const VALIDATE: &[&str] = &["bundle", "validate", "bundle"];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    in_process(&mut criterion);
    commands(&mut criterion);
    bundles(&mut criterion);
    manifests(&mut criterion);
    criterion.final_summary();
    peer();
    chart();
    peers_of_bundles();
}

/// The work without a process around it, and without reading the templates: that is done once.
fn in_process(criterion: &mut Criterion) {
    let (empty, full) = (project(), with_api(project()));
    let mut group = group(criterion, "in process");
    group.bench_function("render", |b| b.iter(|| rop::template::render(&full)));
    group.bench_function("init", |b| {
        b.iter_batched_ref(
            directory,
            |dir| init(dir.path(), &empty),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("create api", |b| {
        b.iter_batched_ref(
            || {
                let dir = directory();
                init(dir.path(), &empty);
                dir
            },
            |dir| create_api(dir.path()),
            BatchSize::PerIteration,
        );
    });
}

/// Whole commands, from the start of the process to its end.
fn commands(criterion: &mut Criterion) {
    const INIT: &[&str] = &["init", "--domain", "example.com"];
    const WITH_API: &[&str] = &["init", "--domain", "example.com", "--api", "app/AppService"];
    const CREATE_API: &[&str] = &["create", "api", "--group", "app", "--kind", "AppService"];
    let mut group = group(criterion, "command");
    // What every command costs, whatever it does.
    group.bench_function("version", |b| b.iter(|| rop(Path::new("."), &["version"])));
    for (name, before, command) in [
        ("init", None, INIT),
        ("init --api", None, WITH_API),
        ("create api", Some(INIT), CREATE_API),
        ("generate chart", Some(WITH_API), &["generate", "chart"]),
    ] {
        group.bench_function(name, |b| {
            b.iter_batched_ref(
                || {
                    let dir = directory();
                    if let Some(before) = before {
                        rop(dir.path(), before);
                    }
                    dir
                },
                |dir| rop(dir.path(), command),
                BatchSize::PerIteration,
            );
        });
    }
}

/// A bundle of a finished operator: the first, the same again, and its validation.
fn bundles(criterion: &mut Criterion) {
    let mut group = group(criterion, "bundle");
    group.bench_function("first", |b| {
        b.iter_batched_ref(
            || {
                let dir = packaged();
                std::fs::remove_dir_all(dir.path().join("bundle")).expect("a bundle");
                dir
            },
            |dir| rop(dir.path(), BUNDLE),
            BatchSize::PerIteration,
        );
    });
    let dir = packaged();
    group.bench_function("again", |b| b.iter(|| rop(dir.path(), BUNDLE)));
    group.bench_function("validate", |b| b.iter(|| rop(dir.path(), VALIDATE)));
}

/// A copy of the example of the `AppService`, which has a bundle.
fn packaged() -> TempDir {
    let dir = directory();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/appservice/.");
    let to = dir.path().to_str().expect("UTF-8");
    run("cp", Path::new("/"), &["-R", example, to]);
    dir
}

/// The same commands of rop and of kubebuilder, by turns, for what else the machine does changes from minute to minute.
/// kubebuilder neither asks a network for dependencies nor compiles. Says the median of each, and the ratio.
fn peer() {
    const TURNS: usize = 15;
    const INIT: &str =
        "init --domain example.com --repo example.com/app-operator --fetch-deps=false";
    const CREATE: &str = "create api --group app --version v1 --kind AppService --resource --controller --make=false";
    let words = |line: &'static str| line.split(' ').collect::<Vec<_>>();
    if Command::new("kubebuilder").arg("version").output().is_err() {
        return;
    }
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..TURNS {
        let [ours, theirs] = [directory(), directory()];
        for (index, program, dir, line) in [
            (
                0,
                env!("CARGO_BIN_EXE_rop"),
                &ours,
                "init --domain example.com",
            ),
            (1, "kubebuilder", &theirs, INIT),
            (
                2,
                env!("CARGO_BIN_EXE_rop"),
                &ours,
                "create api --group app --kind AppService",
            ),
            (3, "kubebuilder", &theirs, CREATE),
        ] {
            times[index].push(millis(|| run(program, dir.path(), &words(line))));
        }
    }
    let [init, their_init, create, their_create] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[TURNS / 2]
    });
    for (name, ours, theirs) in [
        ("init", init, their_init),
        ("create api", create, their_create),
    ] {
        let ratio = theirs / ours;
        println!("{name}: {ours:.1} ms, kubebuilder {theirs:.1} ms: {ratio:.1} times");
    }
}

/// The goal for a command on a bundle, in milliseconds.
const GOAL: f64 = 50.0;

/// The goal for a chart, in milliseconds.
const CHART_GOAL: f64 = 20.0;

/// A first chart, with its goal.
fn chart() {
    const TURNS: usize = 15;
    let mut times = Vec::new();
    for _ in 0..TURNS {
        let dir = directory();
        rop(
            dir.path(),
            &["init", "--domain", "example.com", "--api", "app/AppService"],
        );
        times.push(millis(|| rop(dir.path(), &["generate", "chart"])));
    }
    times.sort_by(f64::total_cmp);
    against_goal("generate chart", times[TURNS / 2], CHART_GOAL);
}

/// Says whether a time met its goal.
fn against_goal(name: &str, median: f64, goal: f64) {
    let is_met = if median <= goal { "met" } else { "missed" };
    println!("{name}: {median:.1} ms, goal {goal:.0} ms: {is_met}");
}

/// The same for a bundle and its validation, with their goal: rop, and what is on PATH of the pipe of a project of
/// operator-sdk, on the same manifests. `kubectl kustomize` is the first step of that pipe.
fn peers_of_bundles() {
    const TURNS: usize = 15;
    const PEERS: [(&str, &[&str], &str); 2] = [
        (
            "kubectl kustomize alone",
            &["kubectl"],
            "kubectl kustomize config/manifests",
        ),
        (
            "operator-sdk",
            &["operator-sdk", "kustomize"],
            "kustomize build config/manifests | operator-sdk generate bundle --quiet --version 0.1.0
            operator-sdk bundle validate bundle",
        ),
    ];
    let is_there = |program: &&str| Command::new(program).arg("--help").output().is_ok();
    let peers = PEERS
        .iter()
        .filter(|(_, programs, _)| programs.iter().all(is_there));
    let peers: Vec<_> = peers.collect();
    let mut times = vec![Vec::new(); 2 + peers.len()];
    for _ in 0..TURNS {
        let ours = packaged();
        std::fs::remove_dir_all(ours.path().join("bundle")).expect("a bundle");
        times[0].push(millis(|| rop(ours.path(), BUNDLE)));
        times[1].push(millis(|| rop(ours.path(), VALIDATE)));
        for (index, (_, _, pipe)) in peers.iter().enumerate() {
            let theirs = packaged();
            let config = theirs.path().join("config/manifests/kustomization.yaml");
            let resources = "resources: [bases/app-operator.clusterserviceversion.yaml, ../default, ../samples]\n";
            std::fs::write(config, resources).expect("a file");
            std::fs::remove_dir_all(theirs.path().join("bundle")).expect("a bundle");
            times[2 + index].push(millis(|| run("sh", theirs.path(), &["-ec", pipe])));
        }
    }
    let medians = times.into_iter().map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[TURNS / 2]
    });
    let medians: Vec<_> = medians.collect();
    for (name, median) in ["bundle", "bundle validate"].iter().zip(&medians) {
        against_goal(name, *median, GOAL);
    }
    let ours = medians[0] + medians[1];
    for ((name, ..), theirs) in peers.iter().zip(&medians[2..]) {
        let ratio = theirs / ours;
        println!(
            "bundle and its validation: {ours:.1} ms, {name} {theirs:.1} ms: {ratio:.1} times"
        );
    }
}

/// How long something takes, in milliseconds.
fn millis(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1000.0
}

/// `generate manifests`, where cargo has little or nothing to do.
fn manifests(criterion: &mut Criterion) {
    const COMMAND: &[&str] = &["generate", "manifests"];
    let mut group = group(criterion, "generate manifests");
    group.sample_size(10);
    group.bench_function("unchanged", |b| {
        let generated = Generated::new();
        b.iter(|| rop(&generated.path, COMMAND));
    });
    group.bench_function("after an edit", |b| {
        let generated = Generated::new();
        let fields = ["color", "colour"].into_iter().cycle();
        let mut fields = fields.map(|field| generated.with_field(field));
        b.iter_batched_ref(
            || {
                let text = fields.next().expect("it goes round");
                std::fs::write(generated.types(), text).expect("the types");
            },
            |()| rop(&generated.path, COMMAND),
            BatchSize::PerIteration,
        );
        assert!(generated.crd().contains(" colo"), "the edit was not seen");
    });
}

/// A project that was built once, beside its target directory, which stays.
struct Generated {
    path: PathBuf,
    types: String,
}

impl Generated {
    fn new() -> Self {
        let path = scratch().join("app-operator");
        if path.exists() {
            std::fs::remove_dir_all(&path).expect("an old project");
        }
        std::fs::create_dir_all(&path).expect("a directory");
        rop(
            &path,
            &["init", "--domain", "example.com", "--api", "app/AppService"],
        );
        rop(&path, &["generate", "manifests"]);
        let mut generated = Self {
            path,
            types: String::new(),
        };
        generated.types = std::fs::read_to_string(generated.types()).expect("the types");
        generated
    }

    fn types(&self) -> PathBuf {
        self.path.join("api/src/app/v1alpha1/app_service.rs")
    }

    /// The types with one more field.
    fn with_field(&self, name: &str) -> String {
        let spec = "pub struct AppServiceSpec {\n";
        let (before, after) = self.types.split_once(spec).expect("a spec");
        format!("{before}{spec}    /// The appearance.\n    pub {name}: Option<String>,\n\n{after}")
    }

    fn crd(&self) -> String {
        let path = "config/crd/bases/app.example.com_appservices.yaml";
        std::fs::read_to_string(self.path.join(path)).expect("a CRD")
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_secs(1));
    group
}

fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench")
}

/// A fresh directory, in memory where that can be had: on ext4, new files are slow for minutes after
/// others were removed, and a benchmark would measure how it cleans up.
fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    tempfile::Builder::new()
        .prefix("app-operator-")
        .tempdir_in(parent)
        .expect("a directory")
}

/// Runs rop, which has to succeed.
fn rop(dir: &Path, arguments: &[&str]) {
    run(env!("CARGO_BIN_EXE_rop"), dir, arguments);
}

/// Runs a program, which has to succeed.
fn run(program: &str, dir: &Path, arguments: &[&str]) {
    let status = Command::new(program)
        .args(arguments)
        .current_dir(dir)
        .env("CARGO_TARGET_DIR", scratch().join("target"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("it starts");
    let arguments = arguments.join(" ");
    assert!(status.success(), "`{program} {arguments}`: {status}");
}

fn project() -> Project {
    Project::new(
        "app-operator".parse().expect("a name"),
        "example.com".parse().expect("a domain"),
    )
}

fn with_api(mut project: Project) -> Project {
    let name = "AppService".parse().expect("a kind");
    let kind = ProjectKind::own(
        project.domain.clone(),
        "app".parse().expect("a group"),
        "v1alpha1".parse().expect("a version"),
        name,
    );
    project.add(kind).expect("an API");
    project
}

/// What `rop init` does between its arguments and its report.
fn init(dir: &Path, project: &Project) {
    change(dir, project, &Tree::default());
}

/// What `rop create api` does.
fn create_api(dir: &Path) {
    let found = rop::project::find(dir).expect("a project");
    let project = found
        .read(&View::of(dir).expect("a directory"))
        .expect("PROJECT")
        .project;
    let before = rop::template::render(&project).expect("a tree");
    change(dir, &with_api(project), &before);
}

fn change(dir: &Path, project: &Project, before: &Tree) {
    let dir = dir.canonicalize().expect("a path");
    let mut after = rop::template::render(project).expect("a tree");
    let view = View::of(&dir).expect("a directory");
    let sources = rop::manifest::Sources::read(&view, before, &after).expect("sources");
    after.extend(rop::manifest::role(&sources, project).expect("a role"));
    let plan = rop::plan::plan(&view, before, &after, false).expect("a plan");
    assert!(!plan.is_empty(), "nothing to do");
    rop::plan::commit(&dir, "bench", &plan).expect("a commit");
}

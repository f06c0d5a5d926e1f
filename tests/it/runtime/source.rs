//! Where a project has the crate from, as its PROJECT says.

use std::path::Path;

use crate::support::World;
use crate::support::cargo::cargo;

/// Every form, with what Cargo.toml says then.
const SOURCES: [(&str, &str); 6] = [
    ("vendored", "{ path = \"runtime\" }"),
    ("0.1", "{ version = \"0.1\" }"),
    ("path:../rop-runtime", "{ path = \"../rop-runtime\" }"),
    ("path:vendor/runtime", "{ path = \"vendor/runtime\" }"),
    (
        "git:https://example.com/rop",
        "{ git = \"https://example.com/rop\" }",
    ),
    (
        "git:https://example.com/rop#v0.1.0",
        "{ git = \"https://example.com/rop\", rev = \"v0.1.0\" }",
    ),
];

fn init(runtime: &str) -> World {
    let world = World::new();
    let folder = runtime.strip_prefix("path:");
    if let Some(folder) = folder.filter(|folder| Path::new(folder).is_relative()) {
        let manifest = format!("{folder}/Cargo.toml");
        world.write(&manifest, "[package]\nname = \"rop-runtime\"\n");
    }
    world
        .rop(&format!(
            "init --domain example.com --api app/AppService --runtime {runtime}"
        ))
        .ok();
    world
}

/// Writes another source into PROJECT, as its user would.
fn change(world: &World, runtime: &str) {
    let text = world.read("PROJECT");
    let lines = text.lines().filter(|line| !line.starts_with("runtime:"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let line = match runtime {
        "vendored" => String::new(),
        runtime => format!("runtime: {runtime}\n"),
    };
    world.write("PROJECT", &(text + &line));
}

#[test]
fn each_source() {
    for (runtime, dependency) in SOURCES {
        let world = init(runtime);
        let manifest = world.read("Cargo.toml");
        let line = format!("\nrop-runtime = {dependency}\n");
        assert!(manifest.contains(&line), "{runtime}: {manifest}");
        let is_vendored = runtime == "vendored";
        assert_eq!(world.path().join("runtime").exists(), is_vendored);
        assert_eq!(
            manifest.contains("members = [\"api\", \"runtime\"]"),
            is_vendored
        );
        let is_fetched = !is_vendored && !runtime.starts_with("path:");
        let locked = world.read("Cargo.lock").contains("rop-runtime");
        assert_eq!(locked, !is_fetched, "{runtime}");
        let project = world.read("PROJECT");
        assert_eq!(project.contains("runtime"), !is_vendored, "{project}");
        let role = world.read("config/rbac/role.yaml");
        assert!(role.contains("events.k8s.io"), "{runtime}: {role}");
        world
            .rop(&format!("init --domain example.com --runtime {runtime}"))
            .did_nothing();
        world.rop("init --domain example.com").did_nothing();
    }
}

/// Another line in PROJECT, and everything follows.
#[test]
fn another_source() {
    let sources = SOURCES.map(|(source, _)| (source, init(source).tree()));
    for (at, (to, wanted)) in sources.iter().enumerate() {
        for from in [1, 3].map(|step| SOURCES[(at + step) % SOURCES.len()].0) {
            let world = init(from);
            change(&world, to);
            let outcome = world.rop("create api --group app --kind AppService").ok();
            assert_eq!(
                outcome.stderr.contains("delete runtime/ ("),
                from == "vendored"
            );
            let mut tree = world.tree();
            // The lock follows when cargo runs next, and PROJECT is as its user wrote it.
            for path in ["Cargo.lock", "PROJECT"] {
                assert!(tree.remove(path).is_some());
            }
            tree.remove("vendor/runtime/Cargo.toml");
            let differs = tree
                .iter()
                .filter(|(path, text)| wanted.get(*path) != Some(text));
            let differs: Vec<_> = differs.collect();
            assert!(differs.is_empty(), "{from} to {to}: {differs:#?}");
            world
                .rop("create api --group app --kind AppService")
                .did_nothing();
        }
    }
}

/// A copy that the user takes over, or has edited, stays.
#[test]
fn the_copy_of_the_users() {
    let world = init("vendored");
    let files = |world: &World| {
        let tree = world.tree().into_iter();
        tree.filter(|(path, _)| path.starts_with("runtime/"))
            .collect::<Vec<_>>()
    };
    let mut copy = files(&world);
    change(&world, "path:./runtime/");
    world.rop("init --domain example.com").ok();
    copy.retain(|(path, _)| path != "runtime/SUMS");
    assert_eq!(files(&world), copy);

    let world = init("vendored");
    world.replace("runtime/src/lib.rs", "mod action;", "mod action; // mine");
    world.write("runtime/src/mine.rs", "// mine\n");
    change(&world, "0.1");
    let tree = world.tree();
    world
        .rop("create api --group app --kind AppService")
        .exits(1)
        .says("runtime/src/lib.rs would be deleted, but you edited it");
    assert_eq!(world.tree(), tree);
    world
        .rop("create api --group app --kind AppService --force")
        .ok();
    let left: Vec<_> = files(&world).into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, ["runtime/src/mine.rs"]);
}

/// A file that this release of the runtime does not have any more goes; one that rop did not write stays.
#[test]
fn what_the_runtime_drops() {
    let world = init("vendored");
    let text = "// What an earlier release had.\n";
    let mut earlier = rop::plan::Tree::default();
    earlier.vendor(
        "runtime",
        [("src/old.rs", text.to_owned().into())].into_iter(),
    );
    let sum = earlier.get("runtime/SUMS").expect("sums").body().to_owned();
    let line = sum.lines().last().expect("a line");
    let sums = world.read("runtime/SUMS");
    let body = sums.split_once('\n').expect("a header").1;
    let lines = format!("{line}\n0123456789ab  ../src/lib.rs\n{body}");
    let sealed = rop::plan::File::owned("runtime/SUMS", lines);
    world.write("runtime/SUMS", sealed.text());
    world.write("runtime/src/old.rs", text);
    world.write("runtime/src/mine.rs", "// mine\n");
    world.rop("create api --group app --kind Cache").ok();
    assert!(!world.path().join("runtime/src/old.rs").exists());
    assert!(world.path().join("runtime/src/mine.rs").exists());
    assert_eq!(world.read("runtime/SUMS"), sums);
}

/// What the runtime does in a cluster is asked for beside the controllers; what stands in the project's copy
/// of it does not count.
#[test]
fn what_the_runtime_needs() {
    let world = World::with_api();
    let role = world.read("config/rbac/role.yaml");
    let events = "  - events.k8s.io\n  resources:\n  - events\n  verbs:\n  - create\n  - patch\n";
    assert!(role.contains(events), "{role}");
    let marker = "// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get\n";
    world.write("runtime/src/more.rs", marker);
    world.rop("create api --group app --kind Cache").ok();
    assert!(!world.read("config/rbac/role.yaml").contains("batch"));
}

/// What the user made of Cargo.toml stays.
#[test]
fn a_manifest_of_the_users() {
    let world = init("vendored");
    world.replace(
        "Cargo.toml",
        "members = [\"api\", \"runtime\"]",
        "members = [\"api\", \"runtime\", \"tools\"] # ours",
    );
    world.replace("Cargo.toml", "tokio = {", "uuid = \"1\"\ntokio = {");
    let before = world.read("Cargo.toml");
    change(&world, "0.1");
    world.rop("init --domain example.com").ok();
    let after = before
        .replace("\"api\", \"runtime\", \"tools\"", "\"api\", \"tools\"")
        .replace("{ path = \"runtime\" }", "{ version = \"0.1\" }");
    assert_eq!(world.read("Cargo.toml"), after);

    // A source that PROJECT has no words for is the user's.
    let world = init("vendored");
    let own = "{ git = \"https://example.com/fork\", branch = \"ours\" }";
    world.replace("Cargo.toml", "{ path = \"runtime\" }", own);
    change(&world, "0.1");
    world.rop("init --domain example.com").did_nothing();
    assert!(world.read("Cargo.toml").contains(own));
}

/// A number that YAML reads as one is a version.
#[test]
fn a_version_without_quotes() {
    let world = init("vendored");
    change(&world, "0.10");
    world.rop("init --domain example.com").ok();
    assert!(world.read("Cargo.toml").contains("{ version = \"0.10\" }"));
}

#[test]
fn what_cannot_be() {
    let world = World::new();
    let init = |runtime: &str| {
        let outcome = world.rop(&format!("init --domain example.com --runtime {runtime}"));
        assert!(world.tree().is_empty());
        outcome.exits(2)
    };
    insta::assert_snapshot!(init("latest"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid runtime `latest`: expected `vendored`, a version such as `0.1`, `path:DIR` or `git:URL[#REV]`
    ");
    insta::assert_snapshot!(init("../runtime"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid runtime `../runtime`: expected `vendored`, a version such as `0.1`, `path:DIR` or `git:URL[#REV]`
    hint: did you mean `path:../runtime`?
    ");
    insta::assert_snapshot!(init("https://example.com/rop"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid runtime `https://example.com/rop`: expected `vendored`, a version such as `0.1`, `path:DIR` or `git:URL[#REV]`
    hint: did you mean `git:https://example.com/rop`?
    ");
    insta::assert_snapshot!(init("git:git@example.com:rop"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid runtime `git:git@example.com:rop`: expected a URL after `git:`, such as `https://example.com/runtime`
    ");
    insta::assert_snapshot!(init("git:https://example.com/rop#"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid runtime `git:https://example.com/rop#`: expected a commit, tag or branch after `#`
    ");
    insta::assert_snapshot!(init("path:"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid runtime `path:`: expected a directory after `path:`
    ");
    let world = World::with_project();
    world
        .rop("init --domain example.com --runtime 0.1")
        .exits(2)
        .says("with different values for --runtime");
    world.replace("PROJECT", "projectName:", "runtime: newest\nprojectName:");
    world
        .rop("create api --group app --kind Cache")
        .exits(1)
        .says("PROJECT:6:10")
        .says("invalid runtime `newest`: expected");
}

/// Cargo takes what is locked as it is, wherever the runtime is.
#[test]
fn the_lock_fits() {
    let repository = env!("CARGO_MANIFEST_DIR");
    for runtime in ["vendored".to_owned(), format!("path:{repository}/runtime")] {
        let world = init(&runtime);
        cargo(&world, "tree --locked").ok().says("rop-runtime v");
    }
}

//! Two rops at once: the second waits for the first.

use std::process::Stdio;
use std::time::Duration;

use rop::plan::Lock;

use crate::support::World;

#[test]
fn the_second_waits() {
    let world = World::with_project();
    let lock = Lock::take(&world.path(), || panic!("nobody else is here")).expect("a lock");
    let mut command = world.command(".");
    command.args(["create", "api", "--group", "app", "--kind", "Cache"]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("rop starts");
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        child.try_wait().expect("a state").is_none(),
        "it did not wait"
    );
    assert!(!world.tree().contains_key("api/src/app/mod.rs"));
    drop(lock);
    let output = child.wait_with_output().expect("rop ends");
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("waiting for another rop"));
    assert!(world.tree().contains_key("api/src/app/mod.rs"));
}

#[test]
fn many_at_once_lose_nothing() {
    let world = World::new();
    let start = |arguments: &str| {
        let mut command = world.command(".");
        command
            .args(arguments.split_whitespace())
            .stderr(Stdio::null());
        command.spawn().expect("rop starts")
    };
    let inits: Vec<_> = (0..4).map(|_| start("init --domain example.com")).collect();
    for mut child in inits {
        assert!(child.wait().expect("rop ends").success());
    }
    let kinds = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta"];
    let creates: Vec<_> = kinds
        .iter()
        .map(|kind| start(&format!("create api --group app --kind {kind}")))
        .collect();
    for mut child in creates {
        assert!(child.wait().expect("rop ends").success());
    }
    let project = rop::project::Project::parse(&world.read("PROJECT")).expect("PROJECT");
    let mut found: Vec<_> = project.kinds.iter().map(|r| r.name.to_string()).collect();
    found.sort();
    assert_eq!(
        found,
        ["Alpha", "Beta", "Delta", "Epsilon", "Gamma", "Zeta"]
    );
    let wiring = world.read("src/controller/mod.rs");
    assert!(
        kinds
            .iter()
            .all(|kind| wiring.contains(&kind.to_lowercase())),
        "{wiring}"
    );
}

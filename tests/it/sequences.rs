//! Random commands and edits, one after another: no edit is lost, nothing panics, and what fails
//! changes nothing.
//!
//! `ROP_TEST_ROUNDS=1000 cargo test --test it -- sequences` runs as many sequences; what fails names
//! its seed, which `ROP_TEST_SEED` takes.

use std::collections::BTreeMap;

use fastrand::Rng;

use crate::support::{World, seeds};

const ROUNDS: u64 = 3;
const STEPS: usize = 8;

#[test]
fn of_commands_and_edits_lose_nothing() {
    let (mut done, mut refused) = (0, 0);
    for seed in seeds(ROUNDS) {
        let mut rng = Rng::with_seed(seed);
        let world = World::with_project();
        let mut edits = BTreeMap::new();
        for step in 0..STEPS {
            if rng.u8(..3) == 0 {
                edit(&world, &mut rng, step, &mut edits);
            }
            let command = command(&mut rng);
            let before = world.tree();
            let outcome = world.rop(&command);
            let at = format!("seed {seed}, step {step}: rop {command}\n{outcome}");
            let after = world.tree();
            match outcome.code {
                0 if command.contains("--dry-run") => assert_eq!(before, after, "{at}"),
                0 => {
                    done += 1;
                    let again = world.rop(&command);
                    assert_eq!(again.code, 0, "{at}\nand again: {again}");
                    assert_eq!(world.tree(), after, "{at}\nand again: {again}");
                }
                1 | 2 => {
                    refused += 1;
                    assert_eq!(before, after, "{at}");
                }
                _ => panic!("{at}"),
            }
            for (path, line) in &edits {
                assert!(
                    after[path].contains(line.as_str()),
                    "{path} lost its edit, {at}"
                );
            }
        }
    }
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused");
}

/// A line more in a file that the user may edit.
fn edit(world: &World, rng: &mut Rng, step: usize, edits: &mut BTreeMap<String, String>) {
    let tree = world.tree();
    let is_users = |(path, text): &(&String, &String)| {
        let is_comment =
            path.ends_with(".rs") || path.ends_with(".yaml") || path.ends_with(".toml");
        let is_rops = path.starts_with("runtime/") || path.starts_with(".rop/");
        is_comment && !is_rops && !text.contains("Owned by rop")
    };
    let paths: Vec<&String> = tree.iter().filter(is_users).map(|(path, _)| path).collect();
    let path = *rng.choice(&paths).expect("a file");
    let mark = if path.ends_with(".rs") { "//" } else { "#" };
    let line = format!("{mark} mine {step}\n");
    world.write(path, &format!("{}{line}", tree[path]));
    edits.insert(path.clone(), line);
}

fn command(rng: &mut Rng) -> String {
    let mut pick = |words: &[&str]| (*rng.choice(words).expect("one")).to_owned();
    let group = pick(&["app", "ops", "a.b", "example.com", "App"]);
    let kind = pick(&["Db", "App", "BApp", "HTTPRoute", "Box", "db"]);
    let template = pick(&["", "--template minimal", "--template pod"]);
    let more = pick(&[
        "",
        "",
        "--finalizer",
        "--no-controller",
        "--cluster-scoped",
        "--dry-run",
    ]);
    match &*pick(&["create", "create", "create", "init", "deploy"]) {
        "init" => format!("init --domain example.com --api {group}/{kind}"),
        "deploy" => format!(
            "generate deploy {}",
            more.replace("--finalizer", "")
                .replace("--no-controller", "")
                .replace("--cluster-scoped", "")
        ),
        _ => format!("create api --group {group} --kind {kind} {template} {more}"),
    }
}

//! `rop simulate`, with a simulation that is played: what it does with what it is told, and what it prints.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::tools::tools;
use crate::support::{Outcome, World};

/// Reports each seed that it is asked for, as the library does. `what` becomes of one is Rust.
fn world(what: &str) -> World {
    let world = World::with_project();
    let manifest = "[package]\nname = \"app-operator\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    world.write("Cargo.toml", manifest);
    for file in ["Cargo.lock", "src/main.rs"] {
        std::fs::remove_file(world.path().join(file)).expect("a file of the project");
    }
    world.write("src/lib.rs", "");
    let played = r#"
        #[test]
        fn simulation() {
            let set = |name: &str| std::env::var(name).unwrap_or_default();
            assert_eq!(set("SIMULATION_REPORT"), "json");
            let plan = set("SIMULATION_PLAN");
            if !plan.is_empty() {
                assert_eq!(plan, "seed=21 faults=none");
                return println!(
                    "{{\"seed\":21,\"digest\":\"small\",\"seconds\":1,\"faults\":0,\
                      \"reconciles\":1,\"requests\":1}}"
                );
            }
            if !set("SIMULATION_HISTORY").is_empty() {
                println!("{}", HISTORY);
            }
            let seeds = set("SIMULATION_SEEDS");
            let (start, end) = seeds.split_once("..").unwrap();
            let (start, end): (u64, u64) = (start.parse().unwrap(), end.parse().unwrap());
            println!("what an operator prints");
            println!("{{\"calm\":{{\"repairs\":27,\"shapes\":18,\"shapesFound\":20,\"points\":41,\"pointsFound\":41,\"ineffectiveFields\":[],\"hastyStatuses\":[],\"refusedValues\":[],\"outdatedEnvironments\":[]}}}}");
            println!("{{\"role\":{{\"neverUsed\":[\"groups=core,resources=pods,verbs=get\"]}}}}");
            let minutes: u64 = set("SIMULATION_MINUTES").parse().unwrap_or(6);
            for seed in start..end {
                let mut failure = String::new();
                { WHAT }
                println!(
                    "{{\"seed\":{seed},\"digest\":\"d{seed}\",\"seconds\":{},\"faults\":2,\
                      \"reconciles\":3,\"requests\":4{failure}}}",
                    minutes * 60,
                );
            }
        }
    "#;
    let played = played.replace("WHAT", what);
    world.write(
        "tests/simulation.rs",
        &played.replace(
            "(\"{}\", HISTORY)",
            &format!("(\"{{}}\", {:?})", history().to_string()),
        ),
    );
    world
}

/// Sets what was found in the cluster without faults.
fn set_found(world: &World, field: &str, to: &str) {
    let played = world.read("tests/simulation.rs");
    let replaced = played.replace(&format!(r#"{field}\":[]"#), &format!(r#"{field}\":[{to}]"#));
    world.write("tests/simulation.rs", &replaced);
}

/// The events of a seed, with what somebody might write into an object.
fn history() -> Value {
    let hostile = "Web</script><img src=x onerror=fail()>";
    let event = |at: u64, who: &str, did: &str, object: &str, result: &str| {
        json!([at, who, did, object, result])
    };
    let mut events = vec![
        event(0, "replica 1", "start", "", ""),
        event(2_000, "replica 1", "PATCH", "services/shop/web", "201 at 5"),
        event(3_000, "fault", "Conflict", "", "409"),
        event(
            4_000,
            "user",
            "PATCH",
            "webs/shop/web",
            "200 at 6: spec.port 1 -> 2",
        ),
        event(
            4_500,
            "replica 1",
            "GET",
            "webs/shop/web/status",
            "404 not found",
        ),
        event(5_000, "replica 1", "killed", "", ""),
        event(900_000, "check", "broken", "", hostile),
    ];
    events.extend((0..2_000).map(|number| {
        event(
            100_000 + number,
            "replica 2",
            "GET",
            "webs/shop/other",
            "200 at 7",
        )
    }));
    events.sort_by_key(|event| event[0].as_u64());
    json!({ "history": {
        "seed": 21, "plan": "seed=21 faults=none", "invariant": hostile, "about": "web",
        "story": ["services/shop/web: kept", "  spec.port 1 -> 2"], "events": events,
    } })
}

const BREAKS: &str = r#"
    if seed == 21 {
        failure = ",\"failure\":{\"invariant\":\"two reconciles of shop/web at once\",\
                    \"plan\":\"seed=21 faults=none\",\"report\":\"12.5 s  replica 1  PATCH …\"}".to_owned();
    }
"#;

fn simulate(world: &World, arguments: &[&str]) -> Outcome {
    world.rop_in(".", &[&["simulate"], arguments].concat())
}

#[test]
fn seeds_are_run_and_summed_up() {
    let world = world("");
    let outcome = simulate(&world, &["--seeds", "30"]).ok();
    assert!(
        outcome.stderr.ends_with(
            "  checked 27 repairs, 18 of 20 shapes of fields and 41 of 41 points of a crash in a cluster without faults\n\
             simulated 30 seeds: 3 h 0 min, 60 faults, 90 reconciles, 120 requests\n"
        ),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.stdout, "");
    let first = "note: the first build compiles all dependencies with optimizations";
    assert!(outcome.stderr.contains(first), "{}", outcome.stderr);

    let outcome = simulate(&world, &["--seed", "4711", "--minutes", "1", "--json"]).ok();
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let seed = json!({
        "seed": 4711, "digest": "d4711", "seconds": 60, "faults": 2, "reconciles": 3, "requests": 4,
    });
    let calm = json!({ "repairs": 27, "shapes": 18, "shapesFound": 20, "points": 41, "pointsFound": 41, "ineffectiveFields": [], "hastyStatuses": [], "refusedValues": [], "outdatedEnvironments": [] });
    let role = json!({ "neverUsed": ["groups=core,resources=pods,verbs=get"] });
    let expected = json!({ "command": "simulate", "seeds": [seed], "calm": calm, "role": role });
    assert_eq!(report, expected);

    let outcome = simulate(&world, &["--seeds", "7..10", "--json"]).ok();
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let seeds = report["seeds"].as_array().expect("seeds");
    let seeds: Vec<_> = seeds.iter().map(|seed| &seed["seed"]).collect();
    assert_eq!(seeds, [7, 8, 9]);
    simulate(&world, &["--seed", "18446744073709551615"]).exits(2);
    simulate(&world, &["--minutes", "1441"]).exits(2);
    for wrong in ["0", "9..9", "a..b", "-1"] {
        let outcome = simulate(&world, &[&format!("--seeds={wrong}")]);
        assert_eq!(outcome.code, 2, "{wrong}");
        let rule = "expected a number above 0, or a range such as 200..400";
        assert!(outcome.stderr.contains(rule), "{}", outcome.stderr);
    }
    assert!(
        !outcome.stderr.contains("first build"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn what_breaks_is_shown_with_the_way_to_see_it_again() {
    let world = world(BREAKS);
    let outcome = simulate(&world, &["--seeds", "1000", "--minutes", "2"]);
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.stdout, "12.5 s  replica 1  PATCH …\n");
    let end = "error[invariant-broken]: seed 21: two reconciles of shop/web at once\n\
               hint: replay the reduced failure: rop simulate --plan 'seed=21 faults=none'\n";
    assert!(outcome.stderr.ends_with(end), "{}", outcome.stderr);

    let outcome = simulate(&world, &["--seed", "21", "--json"]);
    assert_eq!(outcome.code, 1);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let invariant = &report["seeds"][0]["failure"]["invariant"];
    assert_eq!(invariant, "two reconciles of shop/web at once");
    assert_eq!(simulate(&world, &["--seed", "20"]).code, 0);
    let outcome = simulate(&world, &["--plan", "seed=21 faults=none"]).ok();
    assert!(
        outcome.stderr.contains("simulated 1 seed: 0 h 0 min"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_failure_without_faults_is_of_no_seed() {
    let world = world(BREAKS);
    let played = world.read("tests/simulation.rs");
    world.write(
        "tests/simulation.rs",
        &played.replace(r#"\"calm\":"#, r#"\"other\":"#),
    );
    let outcome = simulate(&world, &["--seed", "21"])
        .exits(1)
        .says("error[invariant-broken]: the cluster without faults: two reconciles");
    assert!(!outcome.stderr.contains("simulated"), "{}", outcome.stderr);
}

#[test]
fn a_report_is_written_where_it_replaces_nothing() {
    let world = world(BREAKS);
    let outcome = simulate(&world, &["--report", "api/src/lib.rs"]).exits(2);
    outcome.says("error[invalid-file]: invalid file `api/src/lib.rs`");
    world.write("notes.html", "mine");
    let outcome = simulate(&world, &["--report", "notes.html"]).exits(1);
    let outcome = outcome.says("notes.html");
    assert!(!outcome.stderr.contains("build"), "{}", outcome.stderr);
    assert_eq!(world.read("notes.html"), "mine");

    world.write("target/sub/a", "");
    for _ in 0..2 {
        let arguments = ["simulate", "--seed", "21", "--report", "../page.html"];
        let outcome = world.rop_in("target/sub", &arguments).exits(1);
        outcome
            .says("write target/page.html\n")
            .says("error[invariant-broken]");
    }
    let page = world.read("target/page.html");
    world.write("target/page.html", &page.replace("Timeline", "Mine"));
    simulate(&world, &["--report", "target/page.html"]).exits(1);
    let arguments = ["--seed", "20", "--report", "target/page.html", "--force"];
    simulate(&world, &arguments).ok();
    assert_eq!(world.read("target/page.html"), page);

    let played = world.read("tests/simulation.rs");
    world.write(
        "tests/simulation.rs",
        &played.replace(r#"\"history\":"#, r#"\"other\":"#),
    );
    let outcome = simulate(&world, &["--seed", "20", "--report", "target/page.html"]).exits(1);
    outcome.says("error[simulation-failed]: the project's library reports no events");
}

#[test]
fn a_failure_is_said_if_its_report_cannot_be_written() {
    let breaks = format!("{BREAKS} std::fs::create_dir_all(\"page.html\").expect(\"a folder\");");
    let world = world(&breaks);
    let outcome = simulate(&world, &["--seed", "21", "--report", "page.html"]).exits(1);
    outcome
        .says("note: there is no report: ")
        .says("error[invariant-broken]: seed 21: two reconciles");
}

#[test]
fn what_an_operator_started_is_not_waited_for() {
    let starts = r#"if seed == 0 {
        let mut sh = std::process::Command::new("sh");
        // It ends when the folder of the test is deleted.
        sh.args(["-c", "while [ -e Cargo.toml ]; do sleep 0.1; done"]).spawn().expect("sh");
    }"#;
    let world = world(starts);
    let outcome = simulate(&world, &["--seeds", "2"]).ok();
    outcome.says("simulated 2 seeds");
}

#[test]
fn a_seed_counts_once() {
    let again = r#"if seed == 1 {
        println!("{{\"seed\":0,\"digest\":\"\",\"seconds\":1,\"faults\":0,\"reconciles\":0,\"requests\":0}}");
        std::process::exit(0);
    }"#;
    let outcome = simulate(&world(again), &["--seeds", "2"]).exits(1);
    outcome.says("the simulation ended early, with exit status: 0");
}

/// What a person does with the page, and what it says then.
const CLICKS: &str = r##"
    const click = (found) => found.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const rows = () => [...document.querySelectorAll("#events tr")].map((row) => row.textContent);
    const says = () => [document.getElementById("title").textContent, rows().length, rows()[0]];
    const said = [says(), document.querySelector("tr[aria-selected=true]").textContent];
    const named = (name) => [...document.querySelectorAll("#objects button")].find((found) => found.textContent.startsWith(name));
    click(document.getElementById("all"));
    click(named("webs/shop/web "));
    said.push(says());
    click(document.querySelector("rect.changed[data-event='1']"));
    said.push(says(), document.querySelector("tr[aria-selected=true]").textContent);
    click(named("all "));
    said.push(says(), document.getElementById("more").textContent);
    click(document.querySelector("tr[data-row='2']"));
    for (let step = 0; step < 8; step++) click(document.getElementById("in"));
    said.push(says(), document.getElementById("range").textContent);
    said.push(document.querySelectorAll("img").length);
    document.body.dataset.said = JSON.stringify(said);
"##;

#[test]
fn a_browser_shows_the_report() {
    let Some([chromium]) = tools(["chromium"]) else {
        return;
    };
    let world = world(BREAKS);
    simulate(&world, &["--seed", "21", "--report", "page.html"]).exits(1);
    let page = world.read("page.html");
    let clicks = format!("<script>{CLICKS}</script></body>");
    world.write("page.html", &page.replace("</body>", &clicks));
    let profile = format!("--user-data-dir={}", world.path().join("profile").display());
    let output = Command::new(chromium)
        .args(["--headless", "--no-sandbox", "--disable-gpu", &profile])
        .args(["--window-size=1200,900", "--dump-dom"])
        .arg(world.path().join("page.html"))
        .output()
        .expect("a browser");
    let dom = String::from_utf8_lossy(&output.stdout);
    let (_, said) = dom
        .split_once("data-said=\"")
        .unwrap_or_else(|| panic!("{dom}"));
    let (said, _) = said.split_once('"').expect("an end");
    let said = said
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<");
    let said: Value = serde_json::from_str(&said.replace("&gt;", ">")).expect("JSON");
    let broken = "0:15:00.000checkbrokenWeb</script><img src=x onerror=fail()>";
    let (first, second) = ("0:00:00.000replica 1start", "0:00:03.000faultConflict409");
    let all = "All events except those of leases";
    assert_eq!(
        said,
        json!([
            // It begins with the object that the invariant is about.
            ["webs/shop/web", 4, second],
            broken,
            ["webs/shop/web", 4, second],
            [all, 1000, first],
            "0:00:02.000replica 1PATCHservices/shop/web201 at 5",
            [all, 1000, first],
            "1007 more events in this range: zoom in to see them",
            [all, 4, second],
            "0:00:02.988 – 0:00:06.504",
            0
        ])
    );
}

#[test]
fn a_field_without_an_effect_is_a_note_or_an_error() {
    let world = world("");
    set_found(
        &world,
        "ineffectiveFields",
        r#"\"sites.spec.more\", \"sites.spec.size\""#,
    );
    let text = "a change of these fields changed no child and no status: `sites.spec.more`, `sites.spec.size`\n";
    let outcome = simulate(&world, &["--seeds", "1"]).ok();
    outcome.says(&format!("note: {text}"));
    let outcome = simulate(&world, &["--seeds", "1", "--strict"]).exits(1);
    outcome.says(&format!(
        "error[ineffective-field]: {text}hint: use the field"
    ));
    let report: Value = serde_json::from_str(
        &simulate(&world, &["--seeds", "1", "--strict", "--json"])
            .exits(1)
            .stdout,
    )
    .expect("JSON");
    assert_eq!(report["calm"]["ineffectiveFields"][0], "sites.spec.more");
}

#[test]
fn a_hasty_status_is_a_note() {
    let world = world("");
    set_found(&world, "hastyStatuses", r#"\"sites before deployments\""#);
    let outcome = simulate(&world, &["--seeds", "1", "--strict"]).ok();
    outcome.says("that its spec names: `sites before deployments`\n");
}

#[test]
fn a_value_for_which_a_child_is_refused_is_a_note() {
    let world = world("");
    set_found(&world, "refusedValues", r#"\"sites.spec.port is 1: no\""#);
    let outcome = simulate(&world, &["--seeds", "1", "--strict"]).ok();
    outcome.says("refuses a child for values that the CRD allows: `sites.spec.port is 1: no`\n");
}

#[test]
fn an_environment_that_is_outdated_is_a_note() {
    let world = world("");
    let field = r#"\"sites.spec.page of deployments\""#;
    set_found(&world, "outdatedEnvironments", field);
    let outcome = simulate(&world, &["--seeds", "1", "--strict"]).ok();
    outcome.says("does not change: `sites.spec.page of deployments`\n");
}

/// A few seeds do not use all permissions.
#[test]
fn a_permission_that_is_never_used_is_a_note_or_an_error() {
    let world = world("");
    let text = "no request of the operator needed these permissions: `groups=core,resources=pods,verbs=get`\n";
    let outcome = simulate(&world, &["--seeds", "60"]).ok();
    outcome.says(&format!("note: {text}"));
    let outcome = simulate(&world, &["--seeds", "60", "--strict"]).exits(1);
    outcome.says(&format!(
        "error[unused-permission]: {text}hint: remove them"
    ));
    let outcome = simulate(&world, &["--seeds", "6", "--strict"]).ok();
    assert!(
        !outcome.stderr.contains("permissions"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_simulation_that_ends_by_itself_is_an_error() {
    let world = world("if seed == 9 { panic!(\"no seed nine\") }");
    let outcome = simulate(&world, &["--seeds", "12"]);
    assert_eq!(outcome.code, 1);
    let says = |text: &str| assert!(outcome.stderr.contains(text), "{}", outcome.stderr);
    says("error[simulation-failed]: the simulation ended early, with exit status: 101");
    says("no seed nine");

    // A second test of the file fails.
    let world = self::world("if seed == 2 { std::process::exit(3) }");
    let outcome = simulate(&world, &["--seeds", "3"]).exits(1);
    outcome.says("error[simulation-failed]: the simulation ended early, with exit status: 3");
    let played = world.read("tests/simulation.rs");
    let played = played.replace("std::process::exit(3)", "()");
    world.write(
        "tests/simulation.rs",
        &format!("{played}\n#[test]\nfn more() {{ panic!(\"no more\") }}\n"),
    );
    let outcome = simulate(&world, &["--seeds", "3"]).exits(1);
    outcome.says("the simulation failed, with exit status: 101");
}

#[test]
fn what_is_missing_is_named() {
    let world = World::with_project();
    std::fs::remove_file(world.path().join("tests/simulation.rs")).ok();
    let outcome = simulate(&world, &[]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.stderr.starts_with(
            "error[no-simulation]: the project has no simulation: `tests/simulation.rs`"
        ),
        "{}",
        outcome.stderr
    );
    assert_eq!(simulate(&world, &["--seeds", "0"]).code, 2);
    assert_eq!(simulate(&world, &["--seed", "1", "--seeds", "2"]).code, 2);
    assert_eq!(simulate(&world, &["--dry-run"]).code, 2);
}

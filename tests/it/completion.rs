use std::process::Command;

use crate::support::{Outcome, World};

/// What rop offers for the last of some words.
fn offers(world: &World, directory: &str, words: &[&str]) -> Vec<String> {
    let outcome = asked(world, directory, words).ok();
    assert_eq!(outcome.stderr, "");
    outcome.stdout.lines().map(str::to_owned).collect()
}

fn asked(world: &World, directory: &str, words: &[&str]) -> Outcome {
    let mut command = world.command(directory);
    command
        .args(["--", "rop"])
        .args(words)
        .env("ROP_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .env("_CLAP_IFS", "\n");
    world.run(&mut command)
}

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let outcome = World::new().rop(&format!("completion {shell}")).ok();
        assert!(outcome.stdout.contains("ROP_COMPLETE"), "{outcome}");
        assert!(outcome.stderr.is_empty(), "{outcome}");
    }
}

/// The shell itself asks rop, and takes what it says.
#[test]
fn bash_takes_its_script() {
    let world = World::with_api();
    let script = world.rop("completion bash").ok().stdout;
    world.write("rop.bash", &script);
    let check = "source ./rop.bash && complete -p rop && \
        COMP_WORDS=(rop delete api --kind A) COMP_CWORD=4 && _clap_complete_rop rop A --kind && \
        echo \"reply: ${COMPREPLY[*]}\"";
    let mut bash = Command::new("bash");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_rop"));
    let path = std::env::var("PATH").expect("a PATH");
    let path = format!("{}:{path}", program.parent().expect("a folder").display());
    bash.args(["-c", check])
        .current_dir(world.path())
        .env("PATH", path);
    world
        .run(&mut bash)
        .ok()
        .says("_clap_complete_rop rop")
        .says("reply: AppService");
}

#[test]
fn names_of_the_project_are_offered() {
    let world = World::with_api();
    world
        .rop("create api --group web --version v1 --kind Site")
        .ok();
    for (words, expected) in [
        (
            &["create", "webhook", "--kind", ""][..],
            &["AppService", "Site"][..],
        ),
        (&["delete", "api", "--group", ""], &["app", "web"]),
        (&["create", "api", "--version", ""], &["v1", "v1alpha1"]),
        (
            &["add", "controller", "--api-version", "w"],
            &["web.example.com/v1"],
        ),
        (&["delete", "api", "--kind", "Si"], &["Site"]),
    ] {
        assert_eq!(offers(&world, ".", words), expected, "{words:?}");
        assert_eq!(
            offers(&world, "src/controller", words),
            expected,
            "{words:?}"
        );
    }
    let empty = World::new();
    assert_eq!(
        offers(&empty, ".", &["create", "webhook", "--kind", ""]),
        [""; 0]
    );
    assert!(offers(&empty, ".", &["gen"]).contains(&"generate".to_owned()));
}

/// A group or a kind that is on the line narrows what is offered behind it.
#[test]
fn flags_on_the_line_narrow_the_names() {
    let world = World::with_api();
    for arguments in [
        "--group app --version v1 --kind AppService",
        "--group web --version v1beta1 --kind Site",
        "--group app --version v1alpha2 --kind Cache",
    ] {
        world.rop(&format!("create api {arguments}")).ok();
    }
    for (words, expected) in [
        (
            "delete api --group app --kind ",
            &["AppService", "Cache"][..],
        ),
        ("delete api --group=web --kind=", &["--kind=Site"]),
        ("delete api --group web --kind S", &["Site"]),
        ("delete api --group nope --kind ", &[]),
        ("delete api --kind Site --version ", &["v1beta1"]),
        (
            "create webhook --group app --kind AppService --spoke ",
            &["v1", "v1alpha1"],
        ),
        (
            "create webhook --version v1 --kind ",
            &["AppService", "Cache", "Site"],
        ),
        ("delete api --group web --version ", &["v1beta1"]),
        (
            "add controller --kind Site --api-version ",
            &["web.example.com/v1beta1"],
        ),
        ("delete api --kind Site --group ", &["app", "web"]),
    ] {
        let words: Vec<_> = words.split(' ').collect();
        assert_eq!(offers(&world, ".", &words), expected, "{words:?}");
    }
}

/// The project is the one that `-C` names.
#[test]
fn another_directory_has_other_names() {
    let world = World::with_api();
    world.write("sub/a", "");
    let words = |flag: &[&'static str]| [flag, &["delete", "api", "--kind", ""]].concat();
    for flag in [
        &["-C", ".."][..],
        &["-C.."],
        &["--directory", ".."],
        &["--directory=.."],
    ] {
        let outside = world.path().join("sub");
        std::fs::write(outside.join("PROJECT"), "{").expect("a file");
        assert_eq!(
            offers(&world, "sub", &words(flag)),
            ["AppService"],
            "{flag:?}"
        );
    }
    assert_eq!(offers(&world, "sub", &words(&[])), [""; 0]);
}

/// What a clone holds never reaches the command line of a shell.
#[test]
fn hostile_names_are_not_offered() {
    let world = World::with_api();
    world.write("bundle/$(touch x).md", "");
    world.write("bundle/a b.md", "");
    world.write("bundle/good.md", "");
    let files = offers(&world, ".", &["generate", "docs", "--output", "bundle/"]);
    assert_eq!(files, ["bundle/good.md"]);
    let project = world.read("PROJECT");
    for (from, to) in [
        ("kind: AppService", "kind: $(touch x)"),
        ("group: app", "group: \"`touch x`\""),
        ("domain: example.com", "domain: [\"\\e[2J\"]"),
        ("projectName", "{"),
    ] {
        world.write("PROJECT", &project.replace(from, to));
        assert_eq!(
            offers(&world, ".", &["delete", "api", "--kind", ""]),
            [""; 0]
        );
    }
}

/// A shell gets no error: not of a shell that rop does not know, and not of words that are no command.
#[test]
fn completion_is_silent() {
    let world = World::new();
    let mut command = world.command(".");
    let outcome = world.run(command.args(["--", "rop", ""]).env("ROP_COMPLETE", "nosh"));
    assert_eq!(outcome.ok().to_string(), "exit: 0\n");
    asked(&world, ".", &["nonsense", "\u{1b}[2J", ""]).ok();
    let mut command = world.command(".");
    world
        .run(command.arg("version").env("ROP_COMPLETE", ""))
        .ok()
        .says("rop ");
}

/// What is taken for the sake of old scripts is not offered.
#[test]
fn flags_without_effect_are_not_offered() {
    let world = World::new();
    let flags = offers(&world, ".", &["init", "--"]);
    for flag in ["--domain", "--dry-run"] {
        assert!(flags.iter().any(|it| it == flag), "{flag}: {flags:?}");
    }
    for flag in [
        "--skip-go-version-check",
        "--fetch-deps",
        "--project-version",
        "--plugins",
    ] {
        assert!(!flags.iter().any(|it| it == flag), "{flag}");
    }
}

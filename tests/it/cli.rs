//! The command line as a whole.

use std::path::Path;

use crate::support::World;

/// The files of `src/cli/` are the commands: `create api` stands in `create/api.rs`. Those that `rop --help` lists under
/// the heading of operator-sdk, and no others, are below `legacy/`, and are not listed twice.
#[test]
fn each_command_has_its_file() {
    fn walk(command: &clap::Command, words: &[&str], is_hidden: bool, legacy: &[&str]) {
        for sub in command
            .get_subcommands()
            .filter(|sub| sub.get_name() != "help")
        {
            let words = [words, &[sub.get_name()]].concat();
            let is_hidden = is_hidden || sub.is_hide_set();
            if sub.has_subcommands() {
                walk(sub, &words, is_hidden, legacy);
                continue;
            }
            let is_legacy = legacy.contains(&&*words.join(" "));
            assert_eq!(is_hidden, is_legacy, "{words:?}");
            let folders = ["src/cli", "src/cli/legacy"].map(Path::new);
            let [folder, other] = if is_legacy {
                [folders[1], folders[0]]
            } else {
                folders
            };
            let path = words.join("/").replace('-', "_");
            let groups = Path::new(&path).ancestors().skip(1);
            let groups = groups.map(|group| folder.join(group).join("mod.rs"));
            for file in groups.chain([folder.join(format!("{path}.rs"))]) {
                assert!(file.is_file(), "{} is missing", file.display());
            }
            let file = other.join(format!("{path}.rs"));
            assert!(!file.exists(), "{} is elsewhere", file.display());
        }
    }
    let command = rop::cli::command();
    let help = command.get_after_help().expect("a heading").to_string();
    let lines = help.strip_prefix("Commands of operator-sdk:\n");
    let lines = lines.expect("the heading").lines();
    let legacy = lines.filter_map(|line| line.strip_prefix("  ")?.split("  ").next());
    let legacy: Vec<_> = legacy.filter(|words| !words.is_empty()).collect();
    assert!(legacy.len() > 5, "{legacy:?}");
    walk(&command, &[], false, &legacy);
}

#[test]
fn every_command_has_help_with_examples() {
    fn walk(command: &clap::Command, words: &str) {
        for sub in command.get_subcommands() {
            let words = format!("{words} {}", sub.get_name());
            if sub.has_subcommands() {
                walk(sub, &words);
            } else {
                let help = sub.get_after_help().expect("examples").to_string();
                assert!(help.starts_with("Examples:\n  "), "{words}: {help}");
                assert!(help.contains(words.trim()), "{words}: {help}");
            }
        }
    }
    walk(&rop::cli::command(), "rop");
}

#[test]
fn a_typo_is_answered_with_what_was_meant() {
    let world = World::new();
    insta::assert_snapshot!(world.rop("creat api").exits(2), @"
    exit: 2
    --- stderr
    error[usage]: unrecognized subcommand 'creat'

      tip: some similar subcommands exist: 'scorecard', 'create'

    Usage: rop [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(world.rop("create api --gruop app").exits(2), @"
    exit: 2
    --- stderr
    error[usage]: unexpected argument '--gruop' found

      tip: a similar argument exists: '--group'

    Usage: rop create api --group <GROUP>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(world.rop("create api --group app").exits(2), @"
    exit: 2
    --- stderr
    error[usage]: the following required arguments were not provided:
      --kind <KIND>

    Usage: rop create api --group <GROUP> --kind <KIND>

    For more information, try '--help'.
    ");
}

/// Flags of the Go tools that mean nothing here are taken, and said to mean nothing.
#[test]
fn flags_of_the_go_tools() {
    let world = World::new();
    let outcome = world.rop(
        "init --domain example.com --repo example.com/x --fetch-deps=false --skip-go-version-check \
         --plugins go/v4 --project-version 3",
    );
    insta::assert_snapshot!(
        outcome.ok().stderr.lines().filter(|line| line.starts_with("note")).collect::<Vec<_>>().join("\n"),
        @"
    note: --repo has no effect: a cargo package needs no import path
    note: --fetch-deps has no effect: cargo fetches dependencies when it builds
    note: --skip-go-version-check has no effect: no Go is needed
    note: --plugins has no effect: everything is built in
    note: --project-version has no effect: the only version is 3
    "
    );
    world
        .rop("create api --group app --version v1 --kind AppService --resource --controller --make=false --ssa")
        .ok()
        .says("note: --ssa has no effect: operators always use server-side apply");
    world.rop("create api --group app --version v1 --kind Cache --resource=true --controller=true --namespaced=true").ok();
}

#[test]
fn quiet_says_nothing_and_color_can_be_had() {
    let world = World::new();
    let outcome = world.rop("init --domain example.com --quiet").ok();
    assert_eq!(
        (outcome.stdout, outcome.stderr),
        (String::new(), String::new())
    );
    let outcome = world
        .rop("create api --group app --kind Cache --color always")
        .ok();
    assert!(
        outcome
            .stderr
            .contains("\u{1b}[1m\u{1b}[32m  create\u{1b}[0m PROJECT")
            || outcome.stderr.contains('\u{1b}'),
        "{outcome}"
    );
    let outcome = world.rop("create api --group app --kind Other").ok();
    assert!(!outcome.stderr.contains('\u{1b}'), "{outcome}");
}

/// Whatever goes wrong, a program that asked for JSON gets it.
#[test]
fn failures_are_json_too() {
    let world = World::new();
    let failure = |arguments: &str| world.rop(&format!("{arguments} --json")).stdout;
    insta::assert_snapshot!(failure("create api --group app --kind Db"), @r#"
    {
      "code": "no-project",
      "error": [
        "no PROJECT file in `[DIR]/app-operator` or any directory above it"
      ],
      "hints": [
        "change into a project, or create one here: `rop init --domain example.com`"
      ],
      "exitCode": 1
    }
    "#);
    insta::assert_snapshot!(failure("create api --group app --kind db"), @r#"
    {
      "code": "invalid-name",
      "error": [
        "invalid kind `db`: must start with a capital letter"
      ],
      "hints": [
        "did you mean `Db`?"
      ],
      "exitCode": 2
    }
    "#);
    insta::assert_snapshot!(failure("helm"), @r#"
    {
      "code": "unsupported",
      "error": [
        "unknown command `helm`"
      ],
      "hints": [
        "use `rop generate chart`"
      ],
      "exitCode": 2
    }
    "#);
    insta::assert_snapshot!(failure("init"), @r#"
    {
      "code": "usage",
      "error": [
        "the following required arguments were not provided:\n  --domain <DOMAIN>\n\nUsage: rop init --domain <DOMAIN> --json [DIR]\n\nFor more information, try '--help'."
      ],
      "hints": [],
      "exitCode": 2
    }
    "#);
    assert!(failure("--help").starts_with("Scaffolds"));
    let project = World::with_project();
    insta::assert_snapshot!(project.rop("generate k8s --json").ok(), @r#"
    exit: 0
    --- stdout
    {
      "command": "generate k8s",
      "dryRun": false,
      "changes": [],
      "notes": []
    }
    "#);
}

#[test]
fn color_reaches_usage_errors_and_help() {
    let world = World::new();
    for (arguments, colored) in [
        ("init --color=always", true),
        ("init --color never", false),
        ("create api --kind db --color always", true),
        ("--help --color always", true),
        ("--help", false),
    ] {
        let outcome = world.rop(arguments);
        let text = format!("{}{}", outcome.stdout, outcome.stderr);
        assert_eq!(text.contains('\u{1b}'), colored, "{arguments}: {text}");
    }
}

/// As kubectl and cargo: a command that cannot print its result fails, and reports whether it is done.
#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_reported() {
    let world = World::with_project();
    let run = |arguments: &str| {
        let full = std::fs::File::create("/dev/full").expect("a device");
        let mut command = world.command(".");
        world
            .run(command.args(arguments.split(' ')).stdout(full))
            .exits(1)
            .stderr
    };
    let create = "create api --group app --kind Cart --quiet --json";
    insta::assert_snapshot!(
        run(&format!("{create} --dry-run")),
        @"error[output-not-written]: failed to write to stdout: No space left on device (os error 28)"
    );
    assert!(!world.path().join("src/controller/cart").exists());
    insta::assert_snapshot!(run(create), @"
    error[output-not-written]: `rop create api` is done, but its result could not be printed
      caused by: failed to write to stdout: No space left on device (os error 28)
    ");
    assert!(world.path().join("src/controller/cart").exists());
    insta::assert_snapshot!(
        run(create),
        @"error[output-not-written]: failed to write to stdout: No space left on device (os error 28)"
    );
}

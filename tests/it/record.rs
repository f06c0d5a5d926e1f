//! What rop remembers of a project, in `.rop`.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use fastrand::Rng;

use crate::support::World;
use crate::support::cargo::cargo;
use crate::support::world::differing;

const COMMAND: &str = "generate project";

/// A CRD of another operator.
const WIDGET: &str = include_str!("create_api/widget.yaml");

/// How many random sequences are tried, and how many steps each has.
const SEEDS: u64 = 5;
const STEPS: u64 = 4;

/// Commands that each add something to a project with the kind `AppService` of the group `app`, in two versions.
pub(crate) const ADDED: [&[&str]; 22] = [
    &["create api --group shop --kind Cart"],
    &["create api --group shop --kind Cart --template minimal --finalizer"],
    &["create api --group shop --kind Cart --template pod"],
    &["create api --group shop --kind Cart --template job --finalizer"],
    &["create api --group shop --kind Cart --image docker.io/library/redis:8 --port 6379"],
    &["create api --group shop --kind Cart --plural trolleys --short-name ct --category all"],
    &["create api --group shop --kind Cart --controller=false"],
    &["create api --group app --kind Cart"],
    &["create api --group app --kind AppService --version v2"],
    &[
        "create api --group app --kind AppService --resource=false --controller --controller-name audit",
    ],
    &[
        "create api --group shop --kind Cart",
        "create api --group shop --kind Cart --version v1",
    ],
    &[
        "create api --group shop --kind Cart",
        "create api --group shop --kind Cart --version v1 --hub --controller",
        "create webhook --group shop --kind Cart --version v1 --conversion --spoke v1alpha1",
    ],
    &["create webhook --group app --kind AppService --version v1alpha1 --defaulting"],
    &["create webhook --group app --kind AppService --version v1alpha1 --validation"],
    &["create webhook --group app --kind AppService --version v1alpha1 --conversion --spoke v1"],
    &[
        "create webhook --group app --kind AppService --version v1alpha1 --defaulting --validation --conversion --spoke v1",
    ],
    &["create webhook --group core --kind Pod --validation"],
    &["create policy --group app --kind AppService --validating --mutating"],
    &["create policy --group core --kind Pod --validating"],
    &["create api --group apps --kind Deployment --resource=false"],
    &[
        "create api --group example.org --version v1 --kind Widget --resource=false --external-crd widget.yaml",
        "create api --group shop --kind Cart",
    ],
    &[
        "create api --group shop --kind Cart",
        "create api --group shop --kind Cart --resource=false --controller --controller-name audit",
        "create webhook --group shop --kind Cart --version v1alpha1 --validation",
        "create policy --group shop --kind Cart --mutating",
    ],
];

/// A project with a kind in two versions.
pub(crate) fn world(flags: &str) -> World {
    world_of("app-operator", flags)
}

fn world_of(name: &str, flags: &str) -> World {
    let world = World::new();
    let init =
        format!("init --project-name {name} --domain example.com --api app/AppService {flags}");
    world.rop(&init).ok();
    world
        .rop("create api --group app --kind AppService --version v1")
        .ok();
    world.write("widget.yaml", WIDGET);
    world
}

/// What a command adds goes when PROJECT does not list it any more, and nothing else.
#[test]
fn what_was_added_can_be_taken_back() {
    let mut left = Vec::new();
    for flags in ["", "--multigroup"] {
        for commands in ADDED {
            let world = world(flags);
            if flags.is_empty() {
                world.rop("generate deploy").ok();
            }
            let old = world.tree();
            for command in commands {
                world.rop(command).ok();
            }
            world.write("PROJECT", &old["PROJECT"]);
            world.rop(COMMAND).ok();
            let tree = world.tree();
            let differing = differing(&tree, &old);
            if !differing.is_empty() {
                left.push(format!("{flags} {commands:?}: {differing:?}"));
            }
            world.rop(COMMAND).did_nothing();
        }
    }
    assert_eq!(left, [""; 0]);
}

/// Whatever is added after whatever else, and with a user's edits: it comes back step by step.
#[test]
fn random_sequences_can_be_taken_back() {
    let steps = (0..SEEDS).map(|seed| there_and_back(seed, world, |_| {}));
    assert_eq!(steps.sum::<u64>(), SEEDS * STEPS);
}

/// A project compiles on the way, there and back.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn random_sequences_compile() {
    let mut compiled = 0;
    let of_its_own_name = |flags: &str| world_of("sequence-operator", flags);
    for seed in [1, 4] {
        let mut rng = Rng::with_seed(seed);
        there_and_back(seed, of_its_own_name, |world| {
            if rng.u8(..3) == 0 {
                cargo(world, "build --locked --tests").ok().has_no_warning();
                compiled += 1;
            }
        });
    }
    assert!(compiled >= 4, "{compiled}");
}

/// Adds to a project, and takes all of it back again. Calls `look` after each step. Gives how many steps came back.
fn there_and_back(
    seed: u64,
    world: impl FnOnce(&str) -> World,
    mut look: impl FnMut(&World),
) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let flags = *rng
        .choice(&["", "--multigroup", "--namespaced"])
        .expect("one");
    let world = world(flags);
    edit(&world, &mut rng);
    let mut past = Vec::new();
    let mut said = Vec::new();
    for _ in 0..STEPS {
        let tree = world.tree();
        let commands = *rng.choice(&ADDED).expect("one");
        // Some cannot come after others.
        let all_done = commands.iter().all(|command| world.rop(command).code == 0);
        said.push((commands, all_done));
        past.push(tree);
        look(&world);
    }
    let mut steps = 0;
    while let Some(tree) = past.pop() {
        let at = || format!("seed {seed} {flags}, back to {}: {said:?}", past.len());
        world.write("PROJECT", &tree["PROJECT"]);
        let outcome = world.rop(COMMAND);
        assert_eq!(outcome.code, 0, "{}\n{outcome}", at());
        assert_eq!(differing(&world.tree(), &tree), [""; 0], "{}", at());
        look(&world);
        steps += 1;
    }
    steps
}

/// A line more in a file of the user's.
fn edit(world: &World, rng: &mut Rng) {
    let tree = world.tree();
    let record = tree[".rop/record"].lines();
    let users = record.filter_map(|line| line.strip_prefix("seeded "));
    let users: Vec<_> = users.filter(|path| path.ends_with(".rs")).collect();
    let path = rng.choice(&users).expect("a file");
    world.write(path, &format!("{}// Mine.\n", tree[*path]));
}

/// A field of PROJECT that is changed by hand, and all that follows from it: as if the project had been made so.
#[test]
fn fields_can_be_changed() {
    let made = |init: &str| {
        let world = World::new();
        world.rop(init).ok();
        world
            .rop("create api --group app --kind Foo --finalizer")
            .ok();
        world
            .rop("create api --group shop --kind Cart --template minimal")
            .ok();
        world
            .rop("create webhook --group shop --kind Cart --version v1alpha1 --validation")
            .ok();
        world
            .rop("create policy --group app --kind Foo --validating")
            .ok();
        world
    };
    let init = "init --domain example.com --project-name op";
    for other in [
        &format!("{init} --namespaced"),
        &format!("{init} --multigroup"),
        "init --domain other.org --project-name op",
        "init --domain example.com --project-name other",
    ] {
        let (world, other_world) = (made(init), made(other));
        let old = world.tree();
        for (from, to) in [(&world, &other_world), (&other_world, &made(init))] {
            from.write("PROJECT", &to.read("PROJECT"));
            from.rop(COMMAND).ok();
            let (one, other) = (from.tree(), to.tree());
            assert_eq!(differing(&one, &other), [""; 0]);
            from.rop(COMMAND).did_nothing();
        }
        assert_eq!(differing(&other_world.tree(), &old), [""; 0], "{other}");
    }
}

/// By hand: what is left is as if the version had never been.
#[test]
fn a_version_can_be_retired() {
    let world = World::new();
    let init = "init --domain example.com --project-name op";
    world.rop(init).ok();
    for command in [
        "create api --group app --kind Foo",
        "create api --group app --kind Foo --version v1 --hub --controller",
        "create webhook --group app --kind Foo --version v1 --conversion --spoke v1alpha1",
    ] {
        world.rop(command).ok();
    }
    let project = world.read("PROJECT");
    let entries: Vec<_> = project.split("- api:").collect();
    let [head, retired, hub] = entries[..] else {
        panic!("{project}");
    };
    assert!(retired.contains("version: v1alpha1"), "{project}");
    world.write("PROJECT", &format!("{head}- api:{hub}"));
    insta::assert_snapshot!(world.rop(COMMAND).exits(2), @"
    exit: 2
    --- stderr
    error[unknown-version]: malformed PROJECT
      caused by: cannot convert version `v1alpha1` of app/v1 Foo: it does not exist
    hint: in PROJECT, restore the entry of `v1alpha1`, or remove it from `spoke:`, and `webhooks:` with the last spoke
    ");
    let (hub, end) = hub.split_once("  webhooks:").expect("a conversion");
    let (_, end) = end.split_once("webhookVersion: v1\n").expect("its end");
    world.write("PROJECT", &format!("{head}- api:{hub}{end}"));
    world.rop(COMMAND).ok();
    let other = World::new();
    other.rop(init).ok();
    other
        .rop("create api --group app --kind Foo --version v1")
        .ok();
    let (tree, other) = (world.tree(), other.tree());
    assert_eq!(differing(&tree, &other), [".rop/record", "PROJECT"]);
    assert_eq!(
        tree["PROJECT"].replace("  hub: true\n", ""),
        other["PROJECT"]
    );
}

/// In another order than they came in.
#[test]
fn each_of_several_can_be_taken_back() {
    let world = world("");
    world.rop("create api --group shop --kind Cart").ok();
    let with_cart = world.read("PROJECT");
    world
        .rop("create api --group sales --kind Order --finalizer")
        .ok();
    let other = self::world("");
    other
        .rop("create api --group sales --kind Order --finalizer")
        .ok();
    world.write("PROJECT", &other.read("PROJECT"));
    world.rop(COMMAND).ok();
    assert!(with_cart.contains("kind: Cart"));
    assert_eq!(differing(&world.tree(), &other.tree()), [""; 0]);
}

/// The base of a later merge: what rop gave, and not what its user made of it.
#[test]
fn what_was_given_is_kept() {
    let world = world("");
    let tree = world.tree();
    let recorded = &tree[".rop/record"];
    let mut kept = 0;
    for line in recorded.lines() {
        let (ownership, path) = line.split_once(' ').expect("two words");
        let base = tree.get(&format!(".rop/base/{path}"));
        match ownership {
            "seeded" | "shared" => {
                let text = base.map(|base| of_base(base));
                assert_eq!(text.as_ref(), Some(&tree[path]), "{path}");
            }
            "owned" => assert!(base.is_none() && tree.contains_key(path), "{path}"),
            _ => continue,
        }
        kept += 1;
    }
    assert!(kept > 60, "{kept} files");
    let file = "src/controller/app_service/reconcile.rs";
    world.replace(file, "//!", "//! Ours.\n//!");
    world.rop("create api --group shop --kind Cart").ok();
    assert_eq!(
        of_base(&world.read(&format!(".rop/base/{file}"))),
        tree[file]
    );
}

/// The text in a base: behind its sum, with a mark before each line.
fn of_base(base: &str) -> String {
    let lines = base.split_inclusive('\n').skip(1);
    lines
        .map(|line| line.strip_prefix('|').expect("a mark"))
        .collect()
}

/// A project of an older release, a record that somebody deleted, and what a merge left of one.
#[test]
fn a_project_without_a_record_gets_one() {
    let broken = |text: &str| format!("<<<<<<< ours\nproject {{}}\n{text}");
    for command in [COMMAND, "create api --group shop --kind Cart"] {
        let expected = world("");
        let record = expected.read(".rop/record");
        expected.rop(command).ok();
        let expected = expected.tree();
        for left in [None, Some(broken(&record)), Some(String::new())] {
            let world = world("");
            match left {
                None => fs::remove_dir_all(world.path().join(".rop")).expect("a folder"),
                Some(text) => world.write(".rop/record", &text),
            }
            world.rop(command).ok();
            assert_eq!(differing(&world.tree(), &expected), [""; 0], "{command}");
            world.rop(COMMAND).did_nothing();
        }
    }
}

/// Windows checks text out with other line ends.
#[test]
fn line_ends_do_not_matter() {
    let world = world("");
    let project = world.read("PROJECT");
    world
        .rop("create api --group shop --kind Cart --image docker.io/library/redis:8")
        .ok();
    for (path, text) in world.tree() {
        if path.starts_with(".rop/") || path.starts_with("src/controller/cart/") {
            world.write(&path, &text.replace('\n', "\r\n"));
        }
    }
    world.rop(COMMAND).did_nothing();
    world.write("PROJECT", &project);
    world.rop(COMMAND).ok();
    assert!(!world.path().join("src/controller/cart").exists());
}

pub(crate) fn git(world: &World, line: &str) -> bool {
    let mut command = Command::new("git");
    command
        .args(line.split_whitespace())
        .current_dir(world.path());
    for (name, value) in [("NAME", "a"), ("EMAIL", "a@example.com")] {
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_{name}"), value);
        }
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git")
        .status
        .success()
}

/// Each adds a kind. The record has no conflict, and knows both kinds.
#[test]
fn two_branches_are_merged() {
    let world = world("");
    for line in [
        "init -q -b main",
        "add -A",
        "commit -qm base",
        "checkout -qb other",
    ] {
        assert!(git(&world, line), "{line}");
    }
    let kinds = [("shop", "Cart"), ("sales", "Order")];
    let create = |(group, kind): (&str, &str)| format!("create api --group {group} --kind {kind}");
    world.rop(&create(kinds[0])).ok();
    for line in ["add -A", "commit -qm cart", "checkout -q main"] {
        assert!(git(&world, line), "{line}");
    }
    let old = world.tree();
    world.rop(&create(kinds[1])).ok();
    assert!(git(&world, "add -A") && git(&world, "commit -qm order"));
    let merged = git(&world, "merge -q other");
    assert!(!merged, "both add to the same lists");
    let record: BTreeMap<_, _> = world.tree();
    let in_conflict = |(path, text): &(&String, &String)| {
        path.starts_with(".rop/") && text.lines().any(|line| line.starts_with("<<<<<<<"))
    };
    assert_eq!(record.iter().find(in_conflict), None);
    // As its user resolves it: what both have added stays. What is rop's is left as it is, and made again.
    for (path, text) in world.tree() {
        let is_marker = |line: &&str| {
            ["<<<<<<<", "=======", ">>>>>>>"]
                .iter()
                .any(|mark| line.starts_with(mark))
        };
        let is_rops = path.starts_with("runtime/") || text.contains("Owned by rop");
        if text.contains("<<<<<<<") && !is_rops {
            let lines = text.lines().filter(|line| !is_marker(line));
            let lines: String = lines.map(|line| format!("{line}\n")).collect();
            world.write(&path, &lines);
        }
    }
    let both = self::world("");
    both.rop(&create(kinds[1])).ok();
    both.rop(&create(kinds[0])).ok();
    world.write("PROJECT", &both.read("PROJECT"));
    world.rop("generate project").ok();
    // Both are known.
    world.write("PROJECT", &old["PROJECT"]);
    world.rop(COMMAND).ok();
    for (group, kind) in kinds {
        let folder = format!("src/controller/{}", kind.to_lowercase());
        assert!(!world.path().join(folder).exists(), "{group} {kind}");
    }
}

/// One moves all controllers, the other edits them and adds a kind.
#[test]
fn edits_follow_what_another_branch_moves() {
    let world = World::without_runtime();
    for command in [
        "create api --group config --kind Flag --template minimal",
        "create api --group config --kind Rollout --template minimal",
    ] {
        world.rop(command).ok();
    }
    assert!(git(&world, "init -q -b main") && git(&world, "add -A"));
    assert!(git(&world, "commit -qm base") && git(&world, "checkout -qb moved"));
    world.rop("edit --multigroup").ok();
    assert!(git(&world, "add -A") && git(&world, "commit -qm moved"));
    assert!(git(&world, "checkout -q main"));
    let mine = ["fixture", "mod", "reconcile", "status"];
    let mine = mine.map(|file| format!("src/controller/flag/{file}.rs"));
    for path in &mine {
        world.write(path, &format!("// Mine.\n{}", world.read(path)));
    }
    let add = "create api --group ops --kind Window --template minimal";
    world.rop(add).ok();
    assert!(git(&world, "add -A") && git(&world, "commit -qm added"));
    assert!(!git(&world, "merge -q moved"), "both change PROJECT");
    // The same in one branch.
    let other = World::without_runtime();
    for command in [
        "create api --group config --kind Flag --template minimal",
        "create api --group config --kind Rollout --template minimal",
        "edit --multigroup",
        add,
    ] {
        other.rop(command).ok();
    }
    let list = "config/rbac/kustomization.yaml";
    world.write("PROJECT", &other.read("PROJECT"));
    world
        .rop(COMMAND)
        .exits(1)
        .says(&format!("{list} has merge conflicts"));
    world.write(list, &other.read(list));
    world.rop(COMMAND).ok();
    for path in &mine {
        let moved = path.replace("controller/", "controller/config/");
        let text = format!("// Mine.\n{}", other.read(&moved));
        assert_eq!(world.read(&moved), text, "{moved}");
        world.write(&moved, &other.read(&moved));
    }
    fs::remove_dir_all(world.path().join(".git")).expect("a repository");
    assert_eq!(differing(&world.tree(), &other.tree()), [""; 0]);
}

/// One gives the project other names, the other adds a kind and a file of its user's.
#[test]
fn files_of_another_branch_get_the_new_names() {
    for names in [
        "--project-name web",
        "--domain other.org",
        "--project-name web --domain other.org",
    ] {
        let init = "init --domain example.com --project-name op --runtime path:../runtime";
        let commands = [init, "create api --group app --kind Foo"];
        let more = [
            "create api --group shop --kind Cart",
            "create webhook --group shop --kind Cart --validation",
        ];
        let edit = format!("edit {names}");
        let [world, expected] = [(); 2].map(|()| World::new());
        for command in commands {
            world.rop(command).ok();
            expected.rop(command).ok();
        }
        assert!(git(&world, "init -q -b main") && git(&world, "add -A"));
        assert!(git(&world, "commit -qm base") && git(&world, "checkout -qb renamed"));
        world.rop(&edit).ok();
        assert!(git(&world, "add -A") && git(&world, "commit -qm renamed"));
        assert!(git(&world, "checkout -q main"));
        for command in more {
            world.rop(command).ok();
            expected.rop(command).ok();
        }
        for world in [&world, &expected] {
            let mine =
                "use op_api::shop::v1alpha1::Cart;\n\nconst GROUP: &str = \"shop.example.com\";\n";
            world.write("src/mine.rs", mine);
            world.replace("src/controller/cart/status.rs", "//! ", "//! Ours. ");
        }
        assert!(git(&world, "add -A") && git(&world, "commit -qm added"));
        git(&world, "merge -q renamed");
        for path in [
            "api/src/lib.rs",
            "config/crd/kustomization.yaml",
            "config/rbac/role.yaml",
        ] {
            assert!(git(&world, &format!("checkout --theirs {path}")) || !names.contains("domain"));
        }
        expected.rop(&edit).ok();
        // Other commands leave it to this one.
        world
            .rop("create policy --group app --kind Foo --validating")
            .ok();
        world
            .rop("delete policy --group app --kind Foo --validating")
            .ok();
        world.rop(COMMAND).ok();
        fs::remove_dir_all(world.path().join(".git")).expect("a repository");
        let [tree, expected] = [world.tree(), expected.tree()];
        let mut differing = differing(&tree, &expected);
        // cargo brings it in line.
        differing.retain(|path| *path != "Cargo.lock");
        assert_eq!(differing, [""; 0], "{names}");
        world.rop(COMMAND).did_nothing();
    }
}

/// Two branches give the project other names, a third one adds a kind under the old one.
#[test]
fn files_of_two_branches_get_the_new_names() {
    let init = "init --domain example.com --project-name op --runtime path:../runtime";
    let foo = "create api --group app --kind Foo";
    let kinds = [
        "create api --group ops --kind Job",
        "create api --group shop --kind Cart",
    ];
    let [world, expected] = [(); 2].map(|()| World::new());
    for command in [init, foo] {
        world.rop(command).ok();
        expected.rop(command).ok();
    }
    expected.rop("edit --project-name web").ok();
    for command in kinds {
        expected.rop(command).ok();
    }
    assert!(git(&world, "init -q -b main") && git(&world, "add -A"));
    assert!(git(&world, "commit -qm base"));
    for (branch, commands) in [
        ("web", vec!["edit --project-name web"]),
        ("other", vec!["edit --project-name other", kinds[0]]),
        ("added", vec![kinds[1]]),
    ] {
        assert!(git(&world, &format!("checkout -q -b {branch} main")));
        for command in commands {
            world.rop(command).ok();
        }
        assert!(git(&world, "add -A") && git(&world, &format!("commit -qm {branch}")));
    }
    assert!(git(&world, "checkout -q web"));
    for branch in ["other", "added"] {
        git(&world, &format!("merge -q {branch}"));
        // As its user resolves it: the record is a union, generated files are made again.
        for path in expected
            .tree()
            .keys()
            .filter(|path| !path.starts_with(".rop/"))
        {
            if world.path().join(path).exists() && world.read(path).contains("<<<<<<< ") {
                world.write(path, &expected.read(path));
            }
        }
        assert!(git(&world, "add -A") && git(&world, &format!("commit -qm {branch}")));
    }
    world
        .rop(COMMAND)
        .ok()
        .says("note: merged branches also used `other`: run `rop generate project` again");
    world.rop(COMMAND).ok();
    fs::remove_dir_all(world.path().join(".git")).expect("a repository");
    let [tree, expected] = [world.tree(), expected.tree()];
    let mut differing = differing(&tree, &expected);
    // The next command that changes a list writes its base again.
    differing.retain(|path| *path != "Cargo.lock" && !path.starts_with(".rop/base/config/"));
    assert_eq!(differing, [""; 0]);
    world.rop(COMMAND).did_nothing();
}

/// A clone can bring links: what a user wrote is behind them.
#[cfg(unix)]
#[test]
fn links_in_the_memory_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let world = World::with_api();
    world.rop("create api --group app --kind Two").ok();
    world.write("notes.txt", "precious\n");
    let record = world.path().join(".rop/record");
    let kept = world.read(".rop/record");
    fs::remove_file(&record).expect("a record");
    symlink("../notes.txt", &record).expect("a link");
    world
        .rop("create api --group app --kind Three")
        .exits(1)
        .says(".rop/record is behind a link");
    assert_eq!(world.read("notes.txt"), "precious\n");
    fs::remove_file(&record).expect("a link");
    world.write(".rop/record", &kept);
    // What was given last is not what is there.
    let base = world.path().join(".rop/base/src");
    fs::remove_dir_all(&base).expect("a base");
    symlink("../../src", &base).expect("a link");
    let path = "src/controller/two/reconcile.rs";
    world.write(path, &format!("{}// Mine.\n", world.read(path)));
    world
        .rop("delete api --group app --kind Two")
        .exits(1)
        .says(&format!("{path} would be deleted, but you edited it"));
    assert!(world.read(path).ends_with("// Mine.\n"));
}

/// A change of all files of a repository changes bases too.
#[test]
fn an_edited_base_is_no_base() {
    let world = World::with_api();
    world.rop("create api --group app --kind Two").ok();
    let path = "src/controller/two/reconcile.rs";
    for (path, mark) in [(path.to_owned(), ""), (format!(".rop/base/{path}"), "|")] {
        let text = world
            .read(&path)
            .replacen("use ", &format!("// Mine.\n{mark}use "), 1);
        world.write(&path, &text);
    }
    world
        .rop("delete api --group app --kind Two")
        .exits(1)
        .says(&format!("{path} would be deleted, but you edited it"));
}

/// What others wrote is data.
#[test]
fn a_record_names_nothing_that_is_not_rops() {
    let world = world("");
    let record = world.read(".rop/record");
    let lines = "owned src/mine.rs\nseeded notes.md\nowned ../outside\nowned .git/config\n";
    world.write("src/mine.rs", "//! Mine.\n");
    world.write("notes.md", "Mine.\n");
    world.write(".rop/base/notes.md", "Mine.\n");
    world.write(".rop/record", &format!("{record}{lines}"));
    world.rop(COMMAND).ok();
    world.rop("generate project --force").ok();
    assert_eq!(world.read("src/mine.rs"), "//! Mine.\n");
    assert_eq!(world.read("notes.md"), "Mine.\n");
}

/// `cliVersion` is the newest release that changed the project: an older one refuses to.
#[test]
fn a_newer_release_names_itself() {
    let world = World::with_api();
    let of_release = |release: &str| {
        for (path, mark) in [
            ("PROJECT", "cliVersion: \""),
            (".rop/record", "\"cliVersion\":\""),
        ] {
            let text = world.read(path);
            let (before, rest) = text.split_once(mark).expect("a release");
            let (_, after) = rest.split_once('"').expect("a release");
            world.write(path, &format!("{before}{mark}{release}\"{after}"));
        }
    };
    let cart = "create api --group shop --kind Cart";
    let tree = world.tree();
    of_release("0.0.9");
    world.replace("PROJECT", "cliVersion", "# ours\ncliVersion");
    world.rop("update").ok().says("update PROJECT");
    assert_eq!(differing(&world.tree(), &tree), ["PROJECT"]);
    let release = env!("CARGO_PKG_VERSION");
    let project = world.read("PROJECT");
    assert!(
        project.contains(&format!("# ours\ncliVersion: \"{release}\"")),
        "{project}"
    );
    world.rop(cart).ok();
    world.rop(cart).did_nothing();
    of_release("99.0.0");
    world
        .rop("generate project")
        .exits(1)
        .says("written by rop 99.0.0");
}

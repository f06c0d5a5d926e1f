//! A checkout with the line ends of another system.

use std::collections::BTreeMap;

use crate::support::World;

/// Files whose lines end in more than one way.
fn mixed(tree: &BTreeMap<String, String>) -> Vec<&String> {
    let is_mixed = |text: &String| {
        let windows = text.matches("\r\n").count();
        windows > 0 && windows < text.matches('\n').count()
    };
    tree.iter()
        .filter(|(_, text)| is_mixed(text))
        .map(|(path, _)| path)
        .collect()
}

#[test]
fn line_ends_stay_as_they_are() {
    let world = World::with_api();
    for (path, text) in world.tree() {
        world.write(&path, &text.replace('\n', "\r\n"));
    }
    let before = world.tree();
    world.rop("create api --group app --kind Cache").ok();
    let after = world.tree();
    assert_eq!(mixed(&after), [""; 0]);
    for path in before.keys() {
        assert!(after[path].contains("\r\n"), "{path}");
    }
    for path in [
        "PROJECT",
        "config/crd/kustomization.yaml",
        "src/controller/mod.rs",
    ] {
        assert_ne!(before[path], after[path], "{path}");
    }
    world
        .rop("create api --group app --kind Cache")
        .did_nothing();
    assert_eq!(world.tree(), after);
}

/// A file that is all rop's is written again with the ends that it had.
#[test]
fn an_overwritten_file_keeps_them_too() {
    let world = World::with_api();
    let path = "src/controller/mod.rs";
    let text = world.read(path).replace('\n', "\r\n");
    world.write(path, &text.replace("All controllers", "Mine"));
    world
        .rop("create api --group app --kind Cache --force")
        .ok();
    assert_eq!(mixed(&world.tree()), [""; 0]);
    assert!(world.read(path).contains("\r\n"));
}

/// Editors of other systems put a byte order mark in front of a file that they save.
#[test]
fn a_byte_order_mark_stays() {
    const MARK: char = '\u{feff}';
    for ends in ["\n", "\r\n"] {
        let world = World::with_api();
        let files = [
            "PROJECT",
            "Cargo.toml",
            "README.md",
            "api/src/lib.rs",
            "config/crd/kustomization.yaml",
            "config/samples/kustomization.yaml",
            "src/controller/mod.rs",
            "src/main.rs",
        ];
        for path in files {
            let text = world.read(path).replace('\n', ends);
            world.write(path, &format!("{MARK}{text}"));
        }
        let before = world.tree();
        let create = "create api --group web --kind Site";
        world.rop(create).ok();
        let after = world.tree();
        for path in files {
            assert_eq!(after[path].matches(MARK).count(), 1, "{path}");
            assert!(after[path].starts_with(MARK), "{path}");
        }
        for path in [
            "PROJECT",
            "config/crd/kustomization.yaml",
            "src/controller/mod.rs",
        ] {
            assert_ne!(before[path], after[path], "{path}");
        }
        assert_eq!(mixed(&after), [""; 0]);
        world.rop(create).did_nothing();
        let group = "delete api --group web --kind Site";
        world.rop(group).ok();
        for path in files {
            assert_eq!(world.read(path), before[path], "{path}");
        }
    }
}

/// Tests and samples of another version are copied only if somebody edited them.
#[test]
fn a_further_version_is_the_same() {
    let worlds = [false, true].map(|is_windows| {
        let world = World::with_api();
        if is_windows {
            for (path, text) in world.tree() {
                world.write(&path, &text.replace('\n', "\r\n"));
            }
        }
        world
            .rop("create api --group app --kind AppService --version v1")
            .ok();
        world
    });
    for path in [
        "tests/api/app/v1/app_service.rs",
        "config/samples/app_v1_appservice.yaml",
    ] {
        assert_eq!(worlds[1].read(path), worlds[0].read(path), "{path}");
    }
}

//! Two versions of a kind whose types have all shapes.

use std::fs;

use crate::support::World;
use crate::support::cargo::{BUILD_TYPES, cargo};

const OLDER: &str = "api/src/app/v1alpha1/gadget";
const NEWER: &str = "api/src/app/v1/gadget";
const CONVERSION: &str = "api/src/app/v1/gadget_conversion_v1alpha1.rs";

/// A kind whose types are a folder, and a kind in the older version alone.
fn world() -> World {
    let world = World::with_project_of("versions-operator");
    for kind in ["Gadget", "Record"] {
        let create = format!("create api --group app --kind {kind} --no-controller");
        world.rop(&format!("{create} --template minimal")).ok();
    }
    fs::remove_file(world.path().join(format!("{OLDER}.rs"))).expect("a file");
    for (name, text) in [
        ("mod.rs", include_str!("gadget.rs.txt")),
        ("parts.rs", include_str!("parts.rs.txt")),
        ("inner.rs", include_str!("inner.rs.txt")),
    ] {
        world.write(&format!("{OLDER}/{name}"), text);
    }
    world
}

/// A field whose type is another one does not compile before somebody wrote it. All else is converted.
#[test]
fn types_of_all_shapes_are_converted() {
    let world = world();
    world
        .rop("create api --group app --version v1 --kind Gadget")
        .ok();
    let (types, parts) = (format!("{NEWER}/mod.rs"), format!("{NEWER}/parts.rs"));
    world.replace(&types, "pub name: Name,", "pub name: String,");
    world.replace(
        &types,
        "pub boxed: Box<inner::Deep>",
        "pub boxed: inner::Deep",
    );
    world.replace(&types, "pub width: i32", "pub size: i32");
    world.replace(&types, "#[serde(rename = \"size\")]\n    ", "");
    world.replace(
        &types,
        "/// Only here.\n    pub old",
        "/// Only here.\n    pub new",
    );
    world.replace(
        &types,
        "pub message: Option<String>",
        "pub message: Option<i32>",
    );
    world.replace(
        &parts,
        "pub host_port: i32",
        "#[serde(rename = \"hostPort\")]\n    pub number: i32",
    );
    let made = world
        .rop("create webhook --group app --kind Gadget --conversion")
        .ok();
    let conversion = world.read(CONVERSION);
    let wrong = "message: compile_error!(";
    assert_eq!(
        conversion.matches("compile_error!(").count(),
        2,
        "{conversion}"
    );
    let line = conversion.lines().position(|line| line.contains(wrong));
    let line = line.expect("a line") + 1;
    made.says(&format!("`{CONVERSION}` does not compile yet"))
        .says(&format!("lines {line}"));
    let build = format!("{BUILD_TYPES} --locked");
    cargo(&world, &build)
        .exits(101)
        .says("set `GadgetSpec.message` (`Option<i32>` in v1) from `value.message`")
        .says("due to 2 previous errors");

    let mut lines = conversion.lines();
    let mut written = String::new();
    while let Some(line) = lines.next() {
        if line.contains(wrong) {
            lines.find(|line| line.trim() == "),").expect("its end");
            written.push_str("            message: None,\n");
        } else {
            written.push_str(line);
            written.push('\n');
        }
    }
    world.write(CONVERSION, &written);
    cargo(&world, "fmt --check").ok();
    cargo(&world, &build).ok().has_no_warning();
    let test = "tests/api/app/v1/gadget_conversion_v1alpha1.rs";
    for (side, fields) in [
        ("hub", r#""spec.message", "spec.old""#),
        ("spoke", r#""spec.message", "spec.new""#),
    ] {
        let none = format!("only_in_{side}(&[])");
        world.replace(test, &none, &format!("only_in_{side}(&[{fields}])"));
    }
    cargo(&world, "test --locked --test api -- nothing_is_lost")
        .ok()
        .says("1 passed");
}

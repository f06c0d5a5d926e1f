//! Groups, plurals and other names, as they are given and as they are written.

use crate::support::World;

#[test]
fn a_name_given_twice_is_written_once() {
    let world = World::with_project();
    world
        .rop("create api --group app --kind Db --short-name d --short-name d --category all --category all")
        .ok();
    assert!(
        world
            .read("PROJECT")
            .contains("  shortNames:\n  - d\n  categories:\n  - all\n  t"),
        "{}",
        world.read("PROJECT")
    );
}

/// kubebuilder's empty group, and groups that are given in full.
#[test]
fn the_group_may_be_the_domain_or_end_in_it() {
    let world = World::with_project();
    let create = |group: &str| world.rop(&format!("create api --group {group} --kind App"));
    create("example.com")
        .ok()
        .says("note: the API group is `example.com`");
    assert!(
        world
            .tree()
            .contains_key("config/crd/bases/example.com_apps.yaml")
    );
    assert!(
        world
            .read("api/src/example/v1alpha1/app.rs")
            .contains("group = \"example.com\"")
    );
    create("example.com").did_nothing();
    create("app.example.com")
        .ok()
        .says("note: the API group is `app.example.com`");
    assert!(
        world
            .tree()
            .contains_key("config/crd/bases/app.example.com_apps.yaml")
    );
    create("app").did_nothing();
    insta::assert_snapshot!(create("example").exits(2), @"
    exit: 2
    --- stderr
    error[name-taken]: the API groups `example.example.com` and `example.com` would share the Rust module `example`
    hint: choose groups that differ before the first dot
    ");
    insta::assert_snapshot!(world.rop_in(".", &["create", "api", "--group", "", "--kind", "App"]).exits(2), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid group ``: must not be empty
    hint: to use the project's domain as the group: `--group example.com`
    ");
    let old = World::new();
    old.rop("new . --domain example.com").ok();
    old.rop("add api --api-version=example.com/v1 --kind=App")
        .ok();
    assert!(
        old.tree()
            .contains_key("config/crd/bases/example.com_apps.yaml")
    );
}

#[test]
fn flags_without_effect_are_named() {
    let world = World::with_project();
    let create = "create api --group app --kind Db --template minimal --image nginx --port 80";
    insta::assert_snapshot!(world.rop(create).ok().stderr.lines().take(2).collect::<Vec<_>>().join("\n"), @"
    note: --image has no effect: the sample of this template has none
    note: --port has no effect: the sample of this template has none
    ");
    let other = World::new();
    other
        .rop("init --domain example.com --owner Me")
        .ok()
        .says("note: --owner has no effect without --license");
    other
        .rop("init inner --domain example.com")
        .ok()
        .says("note: the new project is inside the project `[DIR]/app-operator`");
}

/// A plural that nobody would guess is shown before it is served.
#[test]
fn an_irregular_plural_is_shown() {
    let world = World::with_project();
    let note = "note: using the plural `analyses` for `Analysis`; it cannot be changed once served (`--plural` sets another)";
    let create = "create api --group app --kind Analysis";
    world.rop(&format!("{create} --dry-run")).ok().says(note);
    world.rop(create).ok().says(note);
    assert!(
        world
            .tree()
            .contains_key("config/crd/bases/app.example.com_analyses.yaml")
    );
    let plain = world.rop("create api --group app --kind Gateway").ok();
    assert!(!plain.stderr.contains("plural"), "{plain}");
}

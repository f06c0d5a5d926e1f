//! `create api` of a kind that exists changes what it was made with.

use crate::support::World;
use crate::support::world::differing;

const CREATE: &str = "create api --group app --kind AppService";
const TYPES: &str = "api/src/app/v1alpha1/app_service.rs";
const CRD: &str = "config/crd/bases/app.example.com_appservices.yaml";
const SAMPLE: &str = "config/samples/app_v1alpha1_appservice.yaml";

/// New settings are at the end of an entry of PROJECT.
fn assert_same(one: &World, other: &World) {
    let [one, other] = [one, other].map(|world| {
        let mut tree = world.tree();
        let project = tree.get_mut("PROJECT").expect("PROJECT");
        let mut lines: Vec<&str> = project.lines().collect();
        lines.sort_unstable();
        *project = lines.join("\n");
        tree
    });
    assert_eq!(differing(&one, &other), [""; 0]);
}

/// As if it had been made so, and back to what it was.
#[test]
fn a_kind_is_as_if_it_had_been_made_so() {
    for settings in [
        "--image nginx:1.28 --port 8081",
        "--short-name as --category all",
        "--template pod",
        "--template job --image busybox:1 --finalizer",
        "--template minimal --controller --category all",
    ] {
        let (at_once, later) = (World::with_project(), World::with_api());
        at_once.rop(&format!("{CREATE} {settings}")).ok();
        later.rop(&format!("{CREATE} {settings}")).ok();
        assert_same(&at_once, &later);
        later.rop(&format!("{CREATE} {settings}")).did_nothing();
    }
    let (before, world) = (World::with_api(), World::with_api());
    world.rop(&format!("{CREATE} --template pod")).ok();
    world.rop(&format!("{CREATE} --template workload")).ok();
    assert_same(&before, &world);
}

/// What a user edited is left to them, and a CRD that follows from their types stays as it is.
#[test]
fn edits_stay() {
    let world = World::with_api();
    world.replace(TYPES, "    pub image:", "    // Mine.\n    pub image:");
    // As `rop generate manifests` makes it of such types.
    let crd = world.read(CRD).replace("Container image", "Another image");
    let (_, body) = crd.split_once('\n').expect("a header");
    let made = rop::plan::File::owned(CRD, body.to_owned());
    world.write(CRD, made.text());
    let types = world.read(TYPES);
    world
        .rop(&format!("{CREATE} --short-name as --image nginx:1.28"))
        .ok()
        .says(&format!("you edited `{TYPES}`: make this change yourself"))
        .says("+    shortname = \"as\",")
        .says(&format!("update {SAMPLE}"));
    assert_eq!(world.read(TYPES), types);
    assert_eq!(world.read(CRD), made.text());
    assert!(world.read(SAMPLE).contains("nginx:1.28"));
}

/// Half of one template and half of another do not compile.
#[test]
fn another_template_comes_whole_or_not_at_all() {
    let world = World::with_api();
    world.replace(TYPES, "    pub image:", "    // Mine.\n    pub image:");
    let command = format!("{CREATE} --template pod");
    let tree = world.tree();
    insta::assert_snapshot!(world.rop(&command).exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file has local changes; nothing was written:
      api/src/app/v1alpha1/app_service.rs was edited, and would not match the other files
    hint: move your changes elsewhere, or overwrite them with `--force`
    ");
    assert_eq!(world.tree(), tree);
    world
        .rop(&format!("{command} --force"))
        .ok()
        .says(&format!("overwrite {TYPES}"));
    let other = World::with_project();
    other.rop(&command).ok();
    assert_same(&world, &other);
}

#[test]
fn what_cannot_change_is_refused() {
    let world = World::with_api();
    let tree = world.tree();
    for (flags, why) in [
        (
            "--plural others",
            "already exists with the plural `appservices`",
        ),
        ("--cluster-scoped", "the scope of a CRD cannot change"),
        (
            "--controller=false",
            "to delete it: `rop delete controller --group app --kind AppService`",
        ),
    ] {
        world.rop(&format!("{CREATE} {flags}")).exits(2).says(why);
    }
    assert_eq!(world.tree(), tree);
}

//! What a kind gets after it was made.

use rop::project::{Project, Template};

use crate::support::World;

/// A flag that is not given leaves what it stands for as it is.
#[test]
fn a_finalizer_is_added_to_a_kind_that_exists() {
    for template in Template::all() {
        let create =
            format!("create api --group app --kind Db --template {template} --short-name d");
        let (grown, made) = (World::with_project(), World::with_project());
        grown.rop(&create).ok();
        grown
            .rop("create api --group app --kind Db --finalizer")
            .ok();
        made.rop(&format!("{create} --finalizer")).ok();
        let (mut grown_tree, mut made_tree) = (grown.tree(), made.tree());
        let project = [&mut grown_tree, &mut made_tree].map(|tree| tree.remove("PROJECT"));
        let [grown_project, made_project] =
            project.map(|text| Project::parse(&text.expect("PROJECT")).expect("PROJECT"));
        assert_eq!(grown_project, made_project);
        assert_eq!(grown_tree, made_tree);
        grown.rop("create api --group app --kind Db").did_nothing();
    }
}

/// What an edited file would get is shown.
#[test]
fn a_finalizer_for_a_controller_that_was_edited() {
    let world = World::with_project();
    world
        .rop("create api --group app --kind Db --template minimal")
        .ok();
    let path = "src/controller/db/mod.rs";
    world.write(path, &format!("{}// mine\n", world.read(path)));
    let outcome = world
        .rop("create api --group app --kind Db --finalizer")
        .ok();
    outcome
        .says("note: you edited `src/controller/db/mod.rs`: make this change yourself:\n  @@ ")
        .says("\n  +        .finalizer(cleanup::cleanup)\n");
    assert!(
        world
            .read("src/controller/db/cleanup.rs")
            .contains("fn cleanup")
    );
}

/// Of the files of a version, the one to begin with is named.
#[test]
fn types_in_a_folder_are_named_by_their_first_file() {
    let world = World::with_project();
    world
        .rop("create api --group app --version v1alpha1 --kind Cart --template minimal")
        .ok();
    let types = "api/src/app/v1alpha1/cart.rs";
    let text = world.read(types);
    std::fs::remove_file(world.path().join(types)).expect("a file");
    world.write(
        "api/src/app/v1alpha1/cart/mod.rs",
        &text.replacen("\nuse ", "\nmod base;\n\nuse ", 1),
    );
    world.write(
        "api/src/app/v1alpha1/cart/base.rs",
        "//! What carts are made of.\n",
    );
    world
        .rop("create api --group app --version v1 --kind Cart")
        .ok()
        .says("  edit api/src/app/v1/cart/mod.rs, then run");
}

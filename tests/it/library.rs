//! Projects whose library has no `register` and whose state no constructor for tests, as rop made them before: what is
//! generated in them does without, and their files stay as they are.

use rop::project::{Library, Project};

use crate::support::World;
use crate::support::world::differing;

const WEBHOOK: &str = "create webhook --group app --kind AppService --defaulting --validation";

/// A project without APIs.
fn world() -> World {
    let mut project = Project::new(
        "app-operator".parse().expect("a name"),
        "example.com".parse().expect("a domain"),
    );
    project.library = Library {
        has_register: false,
        has_state_for_tests: false,
    };
    World::of(&project)
}

fn with_api() -> World {
    let world = world();
    world
        .rop("create api --group app --kind AppService --template minimal")
        .ok();
    world
}

/// Of all files of the operator's own.
fn sources(world: &World) -> String {
    let files = world.tree().into_iter();
    let own = files.filter(|(path, _)| path.starts_with("src/") || path.starts_with("tests/"));
    own.map(|(_, text)| text).collect()
}

#[test]
fn what_is_generated_calls_what_is_there() {
    let world = with_api();
    world.rop(WEBHOOK).ok();
    world
        .rop("create api --group apps --kind Deployment --resource=false")
        .ok();
    let sources = sources(&world);
    assert!(!sources.contains("for_tests"), "{sources}");
    assert_eq!(sources.matches("State::default()").count(), 5);
    for (path, lines) in [
        (
            "src/main.rs",
            "    controller::register(&mut manager);\n    webhook::register(&mut manager);\n",
        ),
        ("src/lib.rs", "pub mod webhook;\n\npub use"),
        (
            "tests/simulation.rs",
            "    Simulation::new(IDENTITY, register, State::default)\n",
        ),
        (
            "tests/simulation.rs",
            "    controller::register(manager);\n    webhook::register(manager);\n",
        ),
    ] {
        let text = world.read(path);
        assert!(text.contains(lines), "{path}: {text}");
    }
    world.rop("generate project").did_nothing();
}

#[test]
fn an_edited_main_is_left_to_its_user() {
    let world = with_api();
    world.replace("src/main.rs", "//!", "//! Ours.\n//!");
    let main = world.read("src/main.rs");
    world
        .rop(WEBHOOK)
        .ok()
        .says("note: you edited `src/main.rs`: make this change yourself:")
        .says("+    webhook::register(&mut manager);");
    assert_eq!(world.read("src/main.rs"), main);
}

/// Each of the two counts for itself, from when it is there.
#[test]
fn a_project_that_gets_them_is_as_a_new_one() {
    let (new, old) = (World::with_project(), world());
    old.write("src/state.rs", &new.read("src/state.rs"));
    old.rop("create api --group app --kind AppService").ok();
    let fixture = old.read("src/controller/app_service/fixture.rs");
    assert!(fixture.contains("State::for_tests()"), "{fixture}");
    let simulation = old.read("tests/simulation.rs");
    assert!(
        simulation.contains("(IDENTITY, controller::register, State::for_tests)"),
        "{simulation}"
    );

    let old = world();
    for path in ["src/state.rs", "src/lib.rs", "src/main.rs"] {
        old.write(path, &new.read(path));
    }
    for world in [&new, &old] {
        world.rop("create api --group app --kind AppService").ok();
        world.rop(WEBHOOK).ok();
    }
    assert_eq!(differing(&new.tree(), &old.tree()), [""; 0]);
}

/// A state of the user's that has no `Default` is made by `for_tests`, wherever it is.
#[test]
fn a_state_that_is_elsewhere_has_the_constructor() {
    for state in ["pub struct State;\n", ""] {
        let world = World::with_project();
        world.write("src/state.rs", state);
        world.rop("create api --group app --kind AppService").ok();
        let fixture = world.read("src/controller/app_service/fixture.rs");
        assert!(fixture.contains("State::for_tests()"), "{fixture}");
    }
}

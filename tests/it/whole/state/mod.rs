//! A project whose state has fields and no `Default`, with a task, a metric and a check of its own.

use super::passes_its_own_checks;
use crate::support::World;

/// What a user writes: the state, and what runs beside the controllers. No generated file but `main.rs`, `lib.rs` and
/// `state.rs` is edited.
#[test]
fn is_made_in_two_places_and_simulated() {
    let world = World::with_api_of("stateful-operator");
    world
        .rop("create webhook --group app --kind AppService --defaulting --validation")
        .ok();
    world
        .rop("create api --group apps --kind Deployment --resource=false")
        .ok();
    world.write("src/state.rs", include_str!("state.rs.txt"));
    world.write("src/greeting.rs", include_str!("greeting.rs.txt"));
    world.write("tests/greeting.rs", include_str!("simulated.rs.txt"));
    for (path, line, more) in [
        (
            "src/main.rs",
            "    runtime: Options,\n",
            "\n    /// Zone of the operator.\n    #[arg(long, env)]\n    zone: String,\n",
        ),
        ("src/lib.rs", "pub mod controller;\n", "pub mod greeting;\n"),
        (
            "src/lib.rs",
            "    controller::register(manager);\n",
            "    greeting::register(manager);\n",
        ),
    ] {
        world.replace(path, line, &format!("{line}{more}"));
    }
    world.replace("src/main.rs", "State {}", "State::new(args.zone)");
    passes_its_own_checks(&world);
}

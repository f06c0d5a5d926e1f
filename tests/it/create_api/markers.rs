//! Which RBAC markers count.

use crate::support::World;

/// Markers count wherever rustc reads code from, and only in code that the operator has.
#[test]
fn markers_behind_links_and_in_tests() {
    let world = World::with_api();
    let role = |world: &World| {
        world
            .rop("create api --group app --kind Cache --no-controller --force")
            .ok();
        world.read("config/rbac/role.yaml")
    };
    world.write(
        "elsewhere/more.rs",
        "// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get\n",
    );
    std::os::unix::fs::symlink("../elsewhere", world.path().join("src/linked")).expect("a link");
    // Links to nothing, as editors leave them, and in a circle.
    std::os::unix::fs::symlink("nothing", world.path().join("src/.#lib.rs")).expect("a link");
    std::os::unix::fs::symlink("..", world.path().join("elsewhere/loop")).expect("a link");
    let marker =
        |kind: &str| format!("// +kubebuilder:rbac:groups=apps,resources={kind},verbs=get\n");
    world.write(
        "src/extra.rs",
        &format!(
            "#[cfg(test)]\nmod checks;\n#[cfg(test)]\nmod tests {{\n    {}}}\n",
            marker("daemonsets")
        ),
    );
    world.write("src/extra/checks.rs", &marker("statefulsets"));
    let role = role(&world);
    assert!(role.contains("jobs"), "{role}");
    assert!(
        !role.contains("daemonsets") && !role.contains("statefulsets"),
        "{role}"
    );
}

//! Several operators in a repository, as the page of the book shows.

use crate::support::{Outcome, World};

/// The file that shares a kustomization.
const KUSTOMIZATION: &str = "operators/cache/config/default/kustomization.yaml";

fn rop(world: &World, command: &str) -> Outcome {
    world.rop_in(".", &command.split(' ').collect::<Vec<_>>())
}

/// A repository with two operators and a workspace of libraries.
fn repository() -> World {
    let world = World::new();
    world.write(".git/HEAD", "ref: refs/heads/main\n");
    let page = include_str!("../../book/src/monorepo.md");
    let workspace = page.split("```toml\n").nth(1).expect("a workspace");
    let (workspace, _) = workspace.split_once("```").expect("an end");
    world.write("Cargo.toml", workspace);
    world.write(
        "libs/common/Cargo.toml",
        "[package]\nname = \"common\"\nedition = \"2024\"\n",
    );
    world.write("libs/common/src/lib.rs", "");
    world.write("operators/README.md", "");
    for (name, group, kind) in [("cache", "app", "Cache"), ("web", "web", "Site")] {
        let made = rop(
            &world,
            &format!("-C operators init {name} --domain example.com"),
        )
        .ok();
        made.says(&format!("  cd operators/{name}\n"));
        rop(
            &world,
            &format!("-C operators/{name} create api --group {group} --kind {kind}"),
        )
        .ok();
    }
    world
}

#[test]
fn operators_share_what_the_page_says() {
    let world = repository();
    let before = world.tree();
    let page = include_str!("../../book/src/monorepo.md");
    let command = page.split("| `rop ").nth(1).expect("a command");
    let (command, _) = command.split_once('`').expect("an end");
    rop(&world, &format!("{command} --controller=false")).ok();
    let changed = world
        .tree()
        .into_iter()
        .filter(|(path, text)| before.get(path) != Some(text));
    for (path, _) in changed {
        assert!(path.starts_with("operators/web/"), "{path}");
    }
    for name in ["cache", "web"] {
        rop(&world, &format!("-C operators/{name} bundle --quiet")).ok();
        rop(&world, &format!("catalog init {name}")).ok();
        rop(&world, &format!("catalog add operators/{name}/bundle")).ok();
        let cargo = "metadata --offline --format-version 1 --no-deps";
        let mut metadata = world.program("cargo", &format!("operators/{name}"));
        world.run(metadata.args(cargo.split(' '))).ok();
    }
    rop(&world, "catalog validate")
        .ok()
        .says("2 packages, 2 channels, 2 bundles");
}

/// A base is the repository's: kubectl reads it.
#[test]
fn manifests_are_shared() {
    let world = repository();
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
    world.write("common/kustomization.yaml", component);
    let shared = "components: [../../../../common]";
    world.replace(KUSTOMIZATION, "components: []", shared);
    let generate = |kubectl: &str| {
        let mut command = world.command(".");
        command
            .args("-C operators/cache generate installer".split(' '))
            .env("KUBECTL", kubectl);
        world.run(&mut command)
    };
    generate("/no/kubectl")
        .exits(1)
        .says("`config/default` needs kubectl");
    std::fs::remove_dir_all(world.path().join(".git")).expect("a repository");
    generate("/no/kubectl")
        .exits(1)
        .says("error[unsafe-kustomization]")
        .says("`../../../../common` is outside of the project");
}

/// A member of another workspace is refused, with the way out that the page names.
#[test]
fn an_operator_is_no_member() {
    let world = World::new();
    world.write("Cargo.toml", "[workspace]\nmembers = [\"operators/*\"]\n");
    world.write("operators/README.md", "");
    let tree = world.tree();
    rop(&world, "-C operators init cache --domain example.com")
        .exits(1)
        .says("error[other-workspace]")
        .says("exclude = [\"operators/cache\"]");
    assert_eq!(world.tree(), tree);
}

use crate::support::World;

#[test]
fn says_what_it_made_and_what_to_do_next() {
    let world = World::with_project();
    let outcome = world.rop("create api --group app --kind AppService").ok();
    insta::assert_snapshot!(outcome, @"");
}

#[test]
fn works_from_a_directory_below() {
    let world = World::with_project();
    world
        .rop_in(
            "src/runtime",
            &["create", "api", "--group", "app", "--kind", "Cache"],
        )
        .ok();
    assert!(
        world
            .tree()
            .contains_key("src/controller/cache/reconcile.rs")
    );
}

#[test]
fn both_spellings_of_what_to_make() {
    for (arguments, api, controller) in [
        ("--controller=false", true, false),
        ("--no-controller", true, false),
        ("--resource --controller", true, true),
        ("--resource=true --controller=true", true, true),
    ] {
        let world = World::with_project();
        world
            .rop(&format!("create api --group app --kind Cache {arguments}"))
            .ok();
        let tree = world.tree();
        assert_eq!(
            tree.contains_key("api/src/app/v1alpha1/cache.rs"),
            api,
            "{arguments}"
        );
        assert_eq!(
            tree.contains_key("config/crd/bases/app.example.com_caches.yaml"),
            api
        );
        assert_eq!(
            tree.contains_key("src/controller/cache/reconcile.rs"),
            controller,
            "{arguments}"
        );
        assert_eq!(
            world.read("config/rbac/role.yaml").contains("caches"),
            controller,
            "{arguments}"
        );
    }
}

/// `--resource=false` gives a controller to a kind that was made without.
#[test]
fn a_controller_can_come_later() {
    for second in ["--resource=false", "--no-resource", "--controller"] {
        let world = World::with_project();
        world
            .rop("create api --group app --kind Cache --template minimal --controller=false")
            .ok();
        world.replace("api/src/app/v1alpha1/cache.rs", "An example", "Our own");
        let template = if second == "--controller" {
            "--template minimal"
        } else {
            ""
        };
        world
            .rop(&format!(
                "create api --group app --kind Cache {template} {second}"
            ))
            .ok();
        assert!(
            world
                .tree()
                .contains_key("src/controller/cache/reconcile.rs"),
            "{second}"
        );
        assert!(
            world
                .read("api/src/app/v1alpha1/cache.rs")
                .contains("Our own")
        );
        assert!(world.read("src/controller/mod.rs").contains("cache::start"));
    }
}

/// Adding a kind changes no file that the user may have edited, but for lists, by a line.
#[test]
fn another_kind_edits_no_file_of_the_users() {
    let world = World::with_api();
    let before = world.tree();
    world
        .rop("create api --group cache --version v1 --kind Redis")
        .ok();
    let after = world.tree();
    let changed: Vec<_> = before
        .iter()
        .filter(|(path, text)| after.get(*path) != Some(text))
        .map(|(path, text)| {
            let owned = text
                .lines()
                .next()
                .is_some_and(|line| line.contains("Owned by rop"));
            let kept = text
                .lines()
                .all(|line| after[path].lines().any(|other| other == line));
            (
                &**path,
                if owned {
                    "owned"
                } else if kept {
                    "only added to"
                } else {
                    "rewritten"
                },
            )
        })
        .collect();
    insta::assert_debug_snapshot!(changed, @"");
}

#[test]
fn comments_and_order_of_shared_files_stay() {
    let world = World::with_api();
    world.write(
        "config/crd/kustomization.yaml",
        "# ours\nkind: Kustomization\nresources:\n  # the first\n  - bases/app.example.com_appservices.yaml # yes\n  - other.yaml\npatches: [] # none\n",
    );
    world.write(
        "PROJECT",
        &format!(
            "# ours\n{}plugins:\n  other: {{a: 1}} # kept\n",
            world.read("PROJECT")
        ),
    );
    world.rop("create api --group app --kind Cache").ok();
    insta::assert_snapshot!(world.read("config/crd/kustomization.yaml"), @"");
    insta::assert_snapshot!(world.read("PROJECT"), @"");
}

/// Where a list has no place for an entry nothing is written, and the entry is printed.
#[test]
fn no_place_for_an_edit() {
    let world = World::with_api();
    world.write("config/crd/kustomization.yaml", "resources: everything\n");
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("create api --group app --kind Cache").exits(1), @"");
    assert_eq!(world.tree(), tree);
}

#[test]
fn force_overwrites_what_is_in_the_way() {
    let world = World::with_project();
    world.write("src/controller/cache/reconcile.rs", "// in the way\n");
    world
        .rop("create api --group app --kind Cache")
        .exits(1)
        .says("--force");
    world
        .rop("create api --group app --kind Cache --force")
        .ok();
    assert!(
        world
            .read("src/controller/cache/reconcile.rs")
            .contains("pub async fn reconcile")
    );
}

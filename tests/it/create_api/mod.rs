mod accepted;
mod controllers;
mod external;
mod later;
mod markers;
mod names;
mod settings;
mod updates;
mod verdicts;

use crate::support::World;

#[test]
fn says_what_it_made_and_what_to_do_next() {
    let world = World::with_project();
    let outcome = world.rop("create api --group app --kind AppService").ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update .github/workflows/ci.yml
       update AGENTS.md
       update Makefile
       update PROJECT
       update README.md
       create api/src/app/mod.rs
       create api/src/app/v1alpha1/app_service.rs
       create api/src/app/v1alpha1/mod.rs
       update api/src/lib.rs
       create config/crd/bases/app.example.com_appservices.yaml
       create config/crd/kustomization.yaml
       update config/default/kustomization.yaml
       create config/rbac/appservice_admin_role.yaml
       create config/rbac/appservice_editor_role.yaml
       create config/rbac/appservice_viewer_role.yaml
       update config/rbac/kustomization.yaml
       update config/rbac/role.yaml
       create config/samples/app_v1alpha1_appservice.yaml
       create config/samples/kustomization.yaml
       create src/controller/app_service/fixture.rs
       create src/controller/app_service/mod.rs
       create src/controller/app_service/reconcile.rs
       create src/controller/app_service/resources.rs
       create src/controller/app_service/status.rs
       update src/controller/mod.rs
       create tests/api/app/v1alpha1/app_service.rs
       create tests/api/crd.rs
       create tests/api/main.rs
       create tests/cluster/app_service.rs
       create tests/cluster/main.rs
       create tests/cluster/support.rs
       create tests/e2e/main.rs
       create tests/e2e/samples.rs
       create tests/simulation.rs

    next:
      edit api/src/app/v1alpha1/app_service.rs, then run `rop generate manifests`
      cargo test
    ");
}

#[test]
fn works_from_a_directory_below() {
    let world = World::with_project();
    world
        .rop_in(
            "runtime/src",
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
        assert!(
            world
                .read("src/controller/mod.rs")
                .contains("cache::register")
        );
        assert_eq!(world.read("PROJECT").matches("kind: Cache").count(), 1);
    }
}

/// With the controller, or later.
#[test]
fn a_finalizer_comes_with_the_controller() {
    for later in ["", "--no-resource"] {
        let world = World::with_project();
        let create = "create api --group app --kind Cache";
        world.rop(&format!("{create} --no-controller")).ok();
        world.rop(&format!("{create} {later} --finalizer")).ok();
        let tree = world.tree();
        assert!(tree["PROJECT"].contains("finalizer: true"), "{later}");
        assert!(tree.contains_key("src/controller/cache/cleanup.rs"));
        world
            .rop(&format!("{create} {later} --finalizer"))
            .did_nothing();
    }
    for more in ["", "--no-resource"] {
        let world = World::with_api();
        let create = format!("create api --group app --kind AppService --finalizer {more}");
        world.rop(&create).ok();
        assert!(world.read("PROJECT").contains("finalizer: true"), "{more}");
        assert!(
            world
                .read("src/controller/app_service/mod.rs")
                .contains("cleanup::cleanup")
        );
        world.rop(&create).did_nothing();
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
        .filter(|(path, text)| after.get(*path) != Some(text) && !path.starts_with(".rop/"))
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
    insta::assert_debug_snapshot!(changed, @r#"
    [
        (
            "PROJECT",
            "only added to",
        ),
        (
            "api/src/lib.rs",
            "owned",
        ),
        (
            "config/crd/kustomization.yaml",
            "only added to",
        ),
        (
            "config/rbac/kustomization.yaml",
            "only added to",
        ),
        (
            "config/rbac/role.yaml",
            "owned",
        ),
        (
            "config/samples/kustomization.yaml",
            "only added to",
        ),
        (
            "src/controller/mod.rs",
            "owned",
        ),
        (
            "tests/api/main.rs",
            "owned",
        ),
        (
            "tests/cluster/main.rs",
            "owned",
        ),
        (
            "tests/e2e/samples.rs",
            "owned",
        ),
    ]
    "#);
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
    insta::assert_snapshot!(world.read("config/crd/kustomization.yaml"), @"
    # ours
    kind: Kustomization
    resources:
      # the first
      - bases/app.example.com_appservices.yaml # yes
      - other.yaml
      - bases/app.example.com_caches.yaml
    patches: [] # none
    ");
    insta::assert_snapshot!(world.read("PROJECT"), @r#"
    # ours
    # What rop knows of this project: commands read and edit it. Unknown fields are kept.
    cliVersion: "0.1.0"
    domain: example.com
    layout:
    - rust.rop/v1
    projectName: app-operator
    resources:
    - api:
        crdVersion: v1
        namespaced: true
      controller: true
      domain: example.com
      group: app
      kind: AppService
      plural: appservices
      template: workload
      version: v1alpha1
    - api:
        crdVersion: v1
        namespaced: true
      controller: true
      domain: example.com
      group: app
      kind: Cache
      plural: caches
      template: workload
      version: v1alpha1
    version: "3"
    plugins:
      other: {a: 1} # kept
    "#);
}

/// Where a list has no place for an entry nothing is written, and the entry is printed.
#[test]
fn no_place_for_an_edit() {
    let world = World::with_api();
    world.write("config/crd/kustomization.yaml", "resources: everything\n");
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("create api --group app --kind Cache").exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file is in the way; nothing was written:
      config/crd/kustomization.yaml has something else in `resources` where this belongs:
          - bases/app.example.com_appservices.yaml
          - bases/app.example.com_caches.yaml
    hint: move the files and run the command again
    ");
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

/// The roles for people are called after the kind, with its group where it takes that to tell them
/// apart.
#[test]
fn roles_of_kinds() {
    for (multigroup, stems) in [
        ("", ["cache", "my.shop_cache", "order"]),
        (
            "--multigroup",
            ["app_cache", "my.shop_cache", "my.shop_order"],
        ),
    ] {
        let world = World::new();
        world
            .rop(&format!("init --domain example.com {multigroup}"))
            .ok();
        for (group, kind) in [("app", "Cache"), ("my.shop", "Cache"), ("my.shop", "Order")] {
            world
                .rop(&format!("create api --group {group} --kind {kind}"))
                .ok();
        }
        let list = world.read("config/rbac/kustomization.yaml");
        for stem in stems {
            for role in ["admin", "editor", "viewer"] {
                let file = format!("{stem}_{role}_role.yaml");
                assert!(list.contains(&format!("\n- {file}\n")), "{file}: {list}");
                let name = format!("\n  name: {}-{role}-role\n", stem.replace('_', "-"));
                let text = world.read(&format!("config/rbac/{file}"));
                assert!(text.contains(&name), "{text}");
            }
        }
        assert_eq!(list.matches("_role.yaml").count(), 3 + 3 * 3, "{list}");
    }
}

/// A project of a release that made no roles for people keeps its list, with what the user did to
/// it, and gains those of the new kind alone: so everything that is listed is there.
#[test]
fn a_project_from_before_the_roles_for_people() {
    let world = World::with_api();
    for role in ["admin", "editor", "viewer"] {
        let path = format!("config/rbac/appservice_{role}_role.yaml");
        std::fs::remove_file(world.path().join(path)).expect("a role");
    }
    let path = "config/rbac/kustomization.yaml";
    world.write(
        path,
        "kind: Kustomization\nresources:\n- service_account.yaml\n- role.yaml # ours\n- role_binding.yaml\nnamePrefix: x-\n",
    );
    let manager = "config/manager/manager.yaml";
    world.replace(manager, "- --leader-elect", "- --ours");
    let before = world.tree();
    world.rop("create api --group app --kind Cache").ok();
    insta::assert_snapshot!(world.read(path), @"
    kind: Kustomization
    resources:
    - service_account.yaml
    - role.yaml # ours
    - role_binding.yaml
    - cache_admin_role.yaml
    - cache_editor_role.yaml
    - cache_viewer_role.yaml
    namePrefix: x-
    ");
    for path in [manager, "config/default/kustomization.yaml"] {
        assert_eq!(world.read(path), before[path]);
    }
    assert!(
        !world
            .tree()
            .contains_key("config/rbac/appservice_admin_role.yaml")
    );
    world
        .rop("create api --group app --kind Cache")
        .did_nothing();
}

/// rustc takes no module from two files.
#[test]
fn no_module_gets_a_second_file() {
    for (mine, made) in [
        ("src/controller/foo.rs", "src/controller/foo/mod.rs"),
        ("api/src/app.rs", "api/src/app/mod.rs"),
        ("tests/cluster/foo/mod.rs", "tests/cluster/foo.rs"),
    ] {
        let world = World::with_project();
        world.write(mine, "// Mine.\n");
        let tree = world.tree();
        let outcome = world.rop("create api --group app --kind Foo").exits(1);
        outcome.says(&format!("{made} would be the same Rust module as `{mine}`"));
        assert_eq!(world.tree(), tree);
    }
}

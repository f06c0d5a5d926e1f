use rop::project::Project;

use crate::support::World;

#[test]
fn says_what_it_made_and_what_to_do_next() {
    let world = World::with_project();
    let outcome = world.rop("create api --group app --kind AppService").ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update PROJECT
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
       create tests/api/support.rs
       create tests/cluster/app_service.rs
       create tests/cluster/main.rs
       create tests/cluster/support.rs

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
    error: a file is in the way, so nothing was written:
      config/crd/kustomization.yaml has something else where this belongs:
          - bases/app.example.com_appservices.yaml
          - bases/app.example.com_caches.yaml
    hint: make room for what rop has to write, and run the command again
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

/// A flag that is not given leaves what it stands for as it is.
#[test]
fn a_finalizer_is_added_to_a_kind_that_exists() {
    for template in ["workload", "minimal", "pod"] {
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
        .says("note: `src/controller/db/mod.rs` was edited, so this change is left to you:\n  @@ ")
        .says("\n  +        .finalizer(cleanup::cleanup)\n");
    assert!(
        world
            .read("src/controller/db/cleanup.rs")
            .contains("fn cleanup")
    );
}

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
    error: the API groups `example.example.com` and `example.com` would share the Rust module `example`
    hint: choose groups that differ before the first dot
    ");
    insta::assert_snapshot!(world.rop_in(".", &["create", "api", "--group", "", "--kind", "App"]).exits(2), @"
    exit: 2
    --- stderr
    error: the group `` is empty
    hint: for the project's domain as the group, give that: `--group example.com`
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
        .says("note: this is inside the project `[DIR]/app-operator`");
}

/// A plural that nobody would guess is shown before it is served.
#[test]
fn an_irregular_plural_is_shown() {
    let world = World::with_project();
    let note = "note: the plural of `Analysis` is `analyses`: once it is served it cannot be changed; `--plural` sets another";
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

//! Whole projects, built and tested as their users would.

mod external;
mod state;
mod versions;

use rop::project::Template;

use crate::support::cargo::{RUSTDOC, cargo, cargo_with, rop};
use crate::support::{Outcome, World};

/// What CI of a generated project checks. Clippy builds the tests. Gives what they said.
pub(crate) fn passes_its_own_checks(world: &World) -> Outcome {
    cargo(world, "fmt --check").ok();
    let tested = cargo(world, "test --locked").ok().has_no_warning();
    rop(world, "generate manifests --check").ok();
    tested
}

/// Builds the docs of a project.
fn has_docs(world: &World) {
    let docs = world.path().with_file_name("docs");
    let flags = format!(
        "-D warnings --document-private-items --out-dir {}",
        docs.display()
    );
    let variables = [
        ("RUSTDOC", RUSTDOC.as_ref()),
        ("RUSTDOCFLAGS", flags.as_ref()),
    ];
    cargo_with(world, "test --locked --doc", variables).ok();
    assert!(docs.join("whole_operator/index.html").is_file());
}

#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn a_project_without_apis() {
    let world = World::with_project_of("empty-operator");
    passes_its_own_checks(&world);
    world
        .rop("create policy --group core --kind Pod --validating --mutating")
        .ok();
    passes_its_own_checks(&world);
}

/// Every template, with and without a finalizer, and a kind in two groups. The simulation runs all seeds that
/// a project has, the tests on an API server say that they are skipped, and the docs build without a warning.
#[test]
fn each_template() {
    let world = World::new();
    world
        .rop("init --project-name whole-operator --domain example.com --license mit --owner Me --api app/AppService")
        .ok();
    world.rop("create api --group app --kind Setting --template minimal --short-name set --category all").ok();
    world
        .rop("create api --group ops --version v1 --kind Runner --template pod")
        .ok();
    world
        .rop("create api --group ops --version v1 --kind Region --cluster-scoped")
        .ok();
    world.rop("create api --group shop --kind AppService").ok();
    world
        .rop("create api --group ops --version v1 --kind Record --no-controller")
        .ok();
    for template in Template::all() {
        world
            .rop(&format!(
                "create api --group end --kind My{template} --template {template} --finalizer"
            ))
            .ok();
    }
    world
        .rop("create api --group end --kind Everywhere --cluster-scoped --finalizer")
        .ok();
    assert!(
        world
            .tree()
            .contains_key("src/controller/shop_app_service/reconcile.rs")
    );
    for version in [
        "--group app --version v1 --kind Setting",
        "--group ops --version v2 --kind Region --hub --controller",
        "--group ops --version v1 --kind Region --deprecated",
    ] {
        world.rop(&format!("create api {version}")).ok();
    }
    for webhook in [
        "--group app --kind Setting --conversion",
        "--group ops --kind Region --conversion --spoke v1",
        "--group shop --kind AppService --defaulting --validation",
        "--group ops --kind Region --validation",
        "--group core --kind Pod --defaulting --validation",
        "--group rbac.authorization --kind Role --validation",
    ] {
        world.rop(&format!("create webhook {webhook}")).ok();
    }
    for controller in [
        "--group apps --kind Deployment",
        "--group core --kind Node",
        "--group end --kind Myminimal --controller-name audit",
    ] {
        world
            .rop(&format!("create api --resource=false {controller}"))
            .ok();
    }
    for policy in [
        "--group shop --kind AppService --validating --mutating",
        "--group ops --kind Region --mutating",
        "--group rbac.authorization --kind Role --validating",
    ] {
        world.rop(&format!("create policy {policy}")).ok();
    }
    passes_its_own_checks(&world)
        .says("skipped: KUBEBUILDER_ASSETS is not set; `make test-cluster` sets it");
    cargo(&world, "test --locked --test simulation").ok();
    has_docs(&world);
    // That the library then sends traces, its own tests show.
    cargo(
        &world,
        "tree --locked --features otlp --invert opentelemetry-otlp",
    )
    .ok()
    .says("rop-runtime v");
}

/// Code that names what a setting of the project changes.
const OURS: &str = "\
//! What is ours.

use flat_operator_api::app::v1alpha1::AppService;

use crate::controller::app_service::resources;

// +kubebuilder:rbac:groups=app.example.org,resources=appservices,verbs=get

/// What its Deployment is called.
pub fn deployment(object: &AppService) -> Option<String> {
    resources::deployment(object).metadata.name
}
";

/// Several groups, with a kind in two of them, in a project that watches its own namespace. It was none of that at
/// first, and its user's code came along.
#[test]
fn multigroup_and_namespaced() {
    let world = World::new();
    world.rop("init --project-name flat-operator --domain example.org --api app/App --api app/AppService --api shop/AppService").ok();
    world
        .rop("create api --group my-group --kind Runner --template pod")
        .ok();
    world
        .rop("create api --group my-group --version v1 --kind Runner")
        .ok();
    world
        .rop("create webhook --group my-group --kind Runner --defaulting --validation --conversion")
        .ok();
    world
        .rop("create webhook --group apps --kind Deployment --validation")
        .ok();
    world.write("src/controller/app_service/ours.rs", OURS);
    let module = "src/controller/app_service/mod.rs";
    world.replace(
        module,
        "pub mod reconcile;",
        "pub mod ours;\npub mod reconcile;",
    );
    world
        .rop("edit --project-name grouped-operator --domain example.com --namespaced --multigroup")
        .ok();
    assert!(world.read("config/rbac/role.yaml").contains("kind: Role\n"));
    passes_its_own_checks(&world);
}

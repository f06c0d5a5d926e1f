//! Every command, on every shape of a project.

use std::fmt::Write;
use std::thread;

use serde_json::Value;

use crate::json::leaves;
use crate::support::World;
use crate::support::world::differing;

/// Projects of all shapes: how they are initialized, and what is added.
const SHAPES: [(&str, &str, &[&str]); 8] = [
    ("empty", "", &[]),
    (
        "vendored",
        "--license mit --owner Me --api app/AppService",
        &[],
    ),
    (
        "groups",
        "--multigroup --api app/AppService",
        &[
            "create api --group shop --version v1 --kind AppService --cluster-scoped --finalizer",
            "create api --group shop --version v1 --kind Run --template job",
            "create api --group shop --version v1 --kind Entry --no-controller",
            "create api --group app --kind AppService --resource=false --controller-name audit",
        ],
    ),
    (
        "versions",
        "--api app/AppService",
        &[
            "create api --group app --version v1 --kind AppService --hub --controller",
            "create api --group app --version v1alpha1 --kind AppService --deprecated",
            "create webhook --group app --kind AppService --conversion --spoke v1alpha1",
            "create webhook --group app --kind AppService --defaulting --validation",
        ],
    ),
    (
        "foreign",
        "",
        &[
            "create api --group apps --kind Deployment --resource=false",
            "create api --group core --kind Node --resource=false",
            "create webhook --group core --kind Pod --validation",
            "create policy --group core --kind Pod --validating",
            "create api --group example.org --version v1 --kind Widget --resource=false --external-crd widget.yaml",
        ],
    ),
    ("namespaced", "--namespaced --api app/AppService", &[]),
    (
        "outputs",
        "--api app/AppService",
        &[
            "create policy --group app --kind AppService --validating --mutating",
            "generate chart",
            "generate installer",
            "generate deploy",
            "generate docs",
            "generate monitoring",
            "bundle",
            "catalog init app-operator",
        ],
    ),
    (
        "lost-record",
        "--api app/AppService",
        &["create webhook --group app --kind AppService --validation"],
    ),
];

const VENDORED: &str = "vendored";
const LOST_RECORD: &str = "lost-record";

/// The commands that need neither a compiler nor a cluster, with arguments that most shapes take.
const COMMANDS: [&str; 34] = [
    "init --domain example.com",
    "create api --group app --kind AppService",
    "create api --group shop --kind Cart --template minimal",
    "create webhook --group app --kind AppService --validation",
    "create policy --group app --kind AppService --validating",
    "add api --api-version cache.example.com/v1 --kind Memcached",
    "add controller --api-version app.example.com/v1alpha1 --kind AppService",
    "generate project",
    "generate chart",
    "generate installer",
    "generate deploy",
    "generate docs",
    "generate monitoring",
    "generate kustomize manifests",
    "generate bundle",
    "edit --multigroup",
    "edit --namespaced",
    "edit --domain example.org",
    "edit --project-name shop-operator",
    "edit --license apache2 --owner You",
    "update",
    "eject runtime",
    "delete api --group app --kind AppService",
    "delete controller --group app --kind AppService",
    "delete api --group app --kind AppService --version v1alpha1",
    "delete webhook --group app --kind AppService --validation",
    "delete policy --group app --kind AppService --validating",
    "bundle",
    "bundle validate",
    "scorecard bundle",
    "catalog init app-operator",
    "catalog add --image registry.example.com/bundle:v1",
    "catalog validate",
    "check --skip manifests",
];

/// Those that need one, do the same on every shape, or are other names of commands.
const OTHERS: [&str; 27] = [
    "build",
    "bundle build",
    "bundle render",
    "catalog build",
    "cleanup",
    "completion",
    "deploy",
    "dev",
    "doctor",
    "generate crds",
    "generate k8s",
    "generate manifests",
    "generate openapi",
    "install",
    "man",
    "new",
    "olm install",
    "olm status",
    "olm uninstall",
    "run",
    "run bundle",
    "run bundle-upgrade",
    "simulate",
    "undeploy",
    "uninstall",
    "up local",
    "version",
];

fn shapes() -> Vec<(&'static str, World)> {
    let made = SHAPES.map(|(name, flags, commands)| {
        let world = World::new();
        world.write("widget.yaml", include_str!("create_api/widget.yaml"));
        let runtime = match name {
            VENDORED => "",
            _ => "--runtime path:../runtime",
        };
        let init = format!("init --force --domain example.com {flags} {runtime}");
        world.rop(&init).ok();
        for command in commands {
            world.rop(command).ok();
        }
        if name == LOST_RECORD {
            std::fs::remove_dir_all(world.path().join(".rop")).expect("a record");
        }
        (name, world)
    });
    made.into_iter().collect()
}

/// A failure changes nothing, and what a command leaves is up to date.
#[test]
fn on_every_shape() {
    let tables = thread::scope(|scope| {
        let threads: Vec<_> = shapes()
            .into_iter()
            .map(|(name, world)| scope.spawn(move || on_shape(name, &world)))
            .collect();
        let tables = threads.into_iter().map(|it| it.join().expect("a table"));
        tables.collect::<String>()
    });
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("every-command", tables));
}

/// How each command ends on a shape.
fn on_shape(name: &str, shape: &World) -> String {
    let mut table = format!("{name}\n");
    let before = shape.tree();
    for command in COMMANDS {
        let world = shape.copy();
        let outcome = world.rop(&format!("{command} --json"));
        let changed = differing(&before, &world.tree()).len();
        let said: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        let ended = match outcome.code {
            0 if changed == 0 => "nothing changes".to_owned(),
            0 => "files change".to_owned(),
            code => format!("exit {code}, {}", said["code"]),
        };
        let _ = writeln!(table, "  {command}: {ended}");
        if outcome.code != 0 {
            assert_eq!(changed, 0, "{name}, `{command}`: {outcome}");
        } else if changed > 0 {
            // Some outputs are for their own commands.
            let check = world.rop("check --skip manifests");
            for line in check.stdout.lines().map(str::trim_start) {
                if let Some((part, _)) = line
                    .strip_prefix("outdated ")
                    .map(|line| line.split_once(':').unwrap_or((line, "")))
                {
                    let _ = writeln!(table, "    outdated: {part}");
                }
            }
        }
    }
    table
}

#[test]
fn each_command_is_listed() {
    let command = rop::cli::command();
    let mut missing = Vec::new();
    leaves(&command, "", &mut |name| {
        let is_run = COMMANDS
            .iter()
            .any(|command| command.starts_with(&format!("{name} ")) || *command == name);
        if !is_run && !OTHERS.contains(&name) {
            missing.push(name.to_owned());
        }
    });
    assert_eq!(missing, [""; 0]);
}

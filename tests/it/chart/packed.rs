use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::read::GzDecoder;

use super::helm::Helm;
use crate::support::World;
use crate::support::registry::Double;

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

/// Who clones a project has files of their own, which no archive may have.
#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_project() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let outside = world.path().with_file_name("secret");
    std::fs::write(&outside, "mine").expect("a file");
    let link = world.path().join("dist/chart/templates/key.yaml");
    std::os::unix::fs::symlink(&outside, link).expect("a link");
    let outcome = world.rop("generate chart --package").exits(1);
    outcome.says("`dist/chart/templates/key.yaml` points out of the project");
    assert!(!world.path().join(ARCHIVE).exists());
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

//! Helm, as `tools/helm/build` makes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rop::objects::Objects;
use serde_json::{Value, json};

use crate::support::World;
use crate::support::say::say;

/// The program.
pub(crate) struct Helm(PathBuf);

impl Helm {
    /// `None`, with a line on stderr, where it is not built; on CI, which builds it, that is a failure.
    pub(crate) fn find() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/helm");
        let folders = std::env::split_paths(&path).chain([built]);
        let found = folders
            .map(|folder| folder.join("helm"))
            .find(|program| program.is_file());
        if found.is_none() {
            let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!is_ci, "Helm is missing, and .ci/run builds it");
            say("skipped: tests with Helm, which tools/helm/build builds");
        }
        found.map(Self)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn run(&self, world: &World, arguments: &[&str]) -> Output {
        let mut command: Command = world.program(&self.0, ".");
        command.args(arguments).output().expect("helm runs")
    }

    #[track_caller]
    pub(super) fn ok(&self, world: &World, arguments: &[&str]) -> String {
        let output = self.run(world, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// What it says when it fails.
    #[track_caller]
    pub(super) fn fails(&self, world: &World, arguments: &[&str]) -> String {
        let output = self.run(world, arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// What the chart renders with some values.
    #[track_caller]
    pub(super) fn objects(&self, world: &World, flags: &[&str]) -> Vec<Value> {
        let all = [&TEMPLATE[..], flags].concat();
        parse(&self.ok(world, &all))
    }

    /// What the chart renders with each of several values, all in one process: each is a dependency of a chart.
    #[track_caller]
    pub(super) fn all(&self, world: &World, values: &[Value]) -> Vec<Vec<Value>> {
        let copy = world.path().join("all/charts/app-operator");
        for (path, text) in crate::support::world::tree(&world.path().join("dist/chart")) {
            let to = copy.join(path);
            std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            std::fs::write(to, text).expect("a file");
        }
        let alias = |number: usize| format!("v{number:03}");
        let dependency =
            |number| json!({"name": "app-operator", "version": "0.1.0", "alias": alias(number)});
        let dependencies: Vec<Value> = (0..values.len()).map(dependency).collect();
        let chart = json!({
            "apiVersion": "v2", "name": "all", "version": "0.1.0", "dependencies": dependencies,
        });
        let with_name = |(number, value): (usize, &Value)| {
            let mut value = value.clone();
            value["fullnameOverride"] = "app-operator".into();
            (alias(number), value)
        };
        let values_of_all: BTreeMap<String, Value> =
            values.iter().enumerate().map(with_name).collect();
        world.write("all/Chart.yaml", &chart.to_string());
        world.write("all/values.yaml", &json!(values_of_all).to_string());
        let text = self.ok(
            world,
            &["template", "app-operator", "all", "--namespace", NAMESPACE],
        );
        let mut rendered = vec![Vec::new(); values.len()];
        for document in text.split("---\n# Source: all/charts/").skip(1) {
            let number = document.get(1..4).and_then(|number| number.parse().ok());
            let number: usize = number.unwrap_or_else(|| panic!("{document}"));
            rendered[number].extend(parse(document.split_once('\n').expect("lines").1));
        }
        rendered
    }
}

/// The namespace of the operator.
pub(super) const NAMESPACE: &str = "app-operator-system";

const TEMPLATE: [&str; 5] = [
    "template",
    "app-operator",
    "dist/chart",
    "--namespace",
    NAMESPACE,
];

fn parse(text: &str) -> Vec<Value> {
    let objects = Objects::parse(text).unwrap_or_else(|error| panic!("{error:?}: {text}"));
    objects.iter().cloned().collect()
}

/// What it shares with the control plane is compiled once if it has the same versions in both.
#[test]
fn it_has_the_versions_of_the_control_plane() {
    let versions = |tool: &str| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tools/{tool}/go.mod"));
        let text = std::fs::read_to_string(manifest).expect("a manifest");
        // A line of `replace` comes after that of `require`, which it overrides.
        let lines = text
            .lines()
            .map(|line| line.split_once("//").map_or(line, |(line, _)| line));
        let modules = lines.filter_map(|line| {
            let (name, version) = line.trim().rsplit_once(" v")?;
            let name = name.trim_start_matches("require ").split(' ').next()?;
            Some((name.to_owned(), version.to_owned()))
        });
        modules.collect::<BTreeMap<_, _>>()
    };
    let plane = versions("control-plane");
    let differ: Vec<_> = versions("helm")
        .into_iter()
        .filter(|(name, version)| plane.get(name).is_some_and(|other| other != version))
        .collect();
    assert!(plane.len() > 100, "{}", plane.len());
    assert!(
        differ.is_empty(),
        "not as in tools/control-plane/go.mod: {differ:#?}"
    );
}

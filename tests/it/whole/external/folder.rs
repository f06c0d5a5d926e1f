//! The CRDs of other projects, each kind in all of its versions: what `ROP_TEST_CRDS` names, a file each.
//!
//! Each has to be accepted, to compile, and to be the same again; objects of it have to come back as they were, those
//! that rop makes for tests after they were stored by an API server.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use hyper::Method;
use rop::external::{Crds, Named};
use rop::project::{Project, ProjectKind};
use serde_json::{Value, json};
use walkdir::WalkDir;

use super::full::full;
use super::same::settled;
use crate::support::control_plane::{ControlPlane, eventually};
use crate::support::say::say;
use crate::support::{World, cargo};

/// How many CRDs are one project: rustc wants memory for each.
const TOGETHER: usize = 30;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// How long an API server may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);

/// What is found on the way.
#[derive(Default)]
struct Run {
    kinds: usize,
    versions: usize,
    objects: usize,
    stored: usize,
    rejected: usize,
    findings: Vec<String>,
}

/// A version of a kind, with objects of it.
struct Kind {
    name: String,
    crd: Value,
    version: String,
    objects: Vec<Value>,
    /// Whether rop has nothing to say about the small one.
    is_sure: bool,
}

#[test]
#[ignore = "wants a folder of CRDs in ROP_TEST_CRDS"]
fn those_of_a_folder() {
    let folder = std::env::var_os("ROP_TEST_CRDS").expect("ROP_TEST_CRDS");
    let files = WalkDir::new(folder).sort_by_file_name().into_iter();
    let files = files.map(|entry| entry.expect("an entry"));
    let files: Vec<PathBuf> = files
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect();
    let plane = ControlPlane::new();
    let mut run = Run::default();
    let mut seen = BTreeSet::new();
    for files in files.chunks(TOGETHER) {
        run.project(files, plane.as_ref(), &mut seen);
        say(&format!(
            "{} kinds, {} versions, {} objects, {} of them stored and {} rejected, {} findings",
            run.kinds,
            run.versions,
            run.objects,
            run.stored,
            run.rejected,
            run.findings.len()
        ));
    }
    assert!(run.findings.is_empty(), "{}", run.findings.join("\n"));
}

impl Run {
    /// Makes the types of all versions in one project, and compares what they make.
    fn project(
        &mut self,
        files: &[PathBuf],
        plane: Option<&ControlPlane>,
        seen: &mut BTreeSet<String>,
    ) {
        let world = World::with_project();
        let mut crds = Vec::new();
        for path in files {
            let text = std::fs::read_to_string(path).expect("a file");
            let crd: Value = serde_yaml::from_str(&text).expect("YAML");
            if seen.insert(crd["metadata"]["name"].to_string()) {
                crds.push(crd);
            }
        }
        self.kinds += crds.len();
        if let Some(plane) = plane {
            self.install(plane, &mut crds);
        }
        // All at once in the version that is stored. Where one is refused, they come one by one.
        let list = json!({"apiVersion": "v1", "kind": "List", "items": crds});
        world.write("all.json", &list.to_string());
        let all =
            world.rop("create api --external-crd all.json --controller=false --resource=false");
        let mut kinds = Vec::new();
        for crd in &crds {
            world.write("one.json", &crd.to_string());
            let before = kinds.len();
            let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
            for version in versions.filter(|version| version["served"] == true) {
                self.versions += 1;
                let is_there = all.code == 0 && version["storage"] == true;
                let version = version["name"].as_str().expect("a name");
                kinds.extend(self.kind(&world, crd, version, is_there));
            }
            if let Some(plane) = plane {
                self.store(plane, crd, &mut kinds[before..]);
                plane.api().delete(&place(crd));
            }
        }
        self.compare(&world, &kinds);
    }

    /// Makes the types of a version if they are not there, and objects of it.
    fn kind(&mut self, world: &World, crd: &Value, version: &str, is_there: bool) -> Option<Kind> {
        let spec = &crd["spec"];
        let (group, kind) = (spec["group"].as_str(), spec["names"]["kind"].as_str());
        let (group, kind) = (group.expect("a group"), kind.expect("a kind"));
        let name = format!("{group}/{version} {kind}");
        if !is_there {
            let outcome = world.rop(&format!(
                "create api --group {group} --version {version} --kind {kind} --resource=false \
                 --controller=false --external-crd one.json"
            ));
            if outcome.code != 0 {
                self.found(format!("{name}: {}", outcome.stderr));
                return None;
            }
        }
        let named = Named {
            group: group.into(),
            kind,
            version: Some(version),
        };
        let definition =
            Crds::read(&crd.to_string(), &name).and_then(|crds| crds.definition(&named));
        let definition = definition.expect("a definition");
        let sample = definition.sample();
        let is_sure = sample.faults.is_empty() && sample.rules.is_empty();
        let head = |name: &str| {
            json!({
                "apiVersion": format!("{group}/{version}"), "kind": kind, "metadata": {"name": name},
            })
        };
        let mut small = head(&definition.name("sample").unwrap_or("sample".to_owned()));
        small.as_object_mut().expect("fields").extend(sample.fields);
        let mut large = head("full");
        let listed = spec["versions"].as_array().into_iter().flatten();
        let schema = listed
            .filter(|served| served["name"] == version)
            .map(|served| full(&served["schema"]["openAPIV3Schema"]));
        for (field, value) in schema.flat_map(|all| all.as_object().cloned().unwrap_or_default()) {
            large
                .as_object_mut()
                .expect("fields")
                .entry(field)
                .or_insert(value);
        }
        Some(Kind {
            name,
            crd: crd.clone(),
            version: version.to_owned(),
            objects: vec![small, large],
            is_sure,
        })
    }

    /// Gives the CRDs to an API server, and drops those that it rejects.
    fn install(&mut self, plane: &ControlPlane, crds: &mut Vec<Value>) {
        let api = plane.api();
        crds.retain(|crd| {
            let mut crd = crd.clone();
            // Nobody converts here: the fields stay, and the version is another.
            let spec = crd["spec"].as_object_mut().expect("a spec");
            spec.remove("conversion");
            crd.as_object_mut().expect("fields").remove("status");
            let answer = api.send(Method::POST, CRDS, JSON, &crd);
            let (code, body) = answer.expect("an answer");
            if code >= 300 {
                let message = &body["message"];
                self.found(format!("{}: an API server says {message}", place(&crd)));
            }
            code < 300
        });
        for crd in crds {
            let place = place(crd);
            eventually(&place, PATIENCE, || {
                let conditions = api.get(&place)["status"]["conditions"].clone();
                let mut conditions = conditions.as_array().into_iter().flatten();
                conditions
                    .any(|condition| {
                        condition["type"] == "Established" && condition["status"] == "True"
                    })
                    .then_some(())
            });
        }
    }

    /// Has an API server store the small object of each version, and takes it as it is then.
    fn store(&mut self, plane: &ControlPlane, crd: &Value, kinds: &mut [Kind]) {
        let api = plane.api();
        let spec = &crd["spec"];
        let within = match spec["scope"].as_str() {
            Some("Namespaced") => "namespaces/default/",
            _ => "",
        };
        for kind in kinds {
            let all = format!(
                "/apis/{}/{}/{within}{}",
                spec["group"].as_str().expect("a group"),
                kind.version,
                spec["names"]["plural"].as_str().expect("a plural")
            );
            let answer = eventually(&all, PATIENCE, || {
                let answer = api.send(Method::POST, &all, JSON, &kind.objects[0]);
                answer.ok().filter(|(code, _)| ![404, 429].contains(code))
            });
            let (201, stored) = answer else {
                let message = format!("{}: its sample: {}", kind.name, answer.1["message"]);
                if kind.is_sure {
                    self.found(message);
                } else {
                    // The note of the command says what to write.
                    say(&message);
                }
                self.rejected += 1;
                continue;
            };
            self.stored += 1;
            kind.objects[0] = stored;
            let name = kind.objects[0]["metadata"]["name"]
                .as_str()
                .expect("a name");
            api.delete(&format!("{all}/{name}"));
        }
    }

    /// Compares each CRD and each object with what the types make of it.
    fn compare(&mut self, world: &World, kinds: &[Kind]) {
        let project = Project::parse(&world.read("PROJECT")).expect("PROJECT");
        let all: Vec<&ProjectKind> = project.external_types().collect();
        let recorded = |kind: &ProjectKind| {
            let name = kind.hub().gvk();
            kinds.iter().find(|kind| kind.name == name).expect("a kind")
        };
        let objects: Vec<_> = all.iter().map(|kind| &recorded(kind).objects).collect();
        world.write("api/objects.json", &json!(objects).to_string());
        let calls = all.iter().enumerate().map(|(index, kind)| {
            let (path, name) = (kind.hub().path(), kind.type_name());
            format!("        again::<{path}::{name}>(&objects[{index}]),\n")
        });
        let program = PROGRAM.replace("CALLS", &calls.collect::<String>());
        // As a test of the types alone: the library would be built for each project.
        world.write("api/tests/external.rs", &program);
        let build = "test --offline --package app-operator-api --test external";
        let outcome = cargo::cargo(world, build);
        if outcome.code != 0 || outcome.stderr.contains("warning") {
            self.found(outcome.to_string());
            return;
        }
        let made: Vec<(Value, Vec<Value>)> =
            serde_json::from_str(&world.read("api/made.json")).expect("JSON");
        std::fs::remove_file(world.path().join("api/tests/external.rs")).expect("a file");
        let formatted = cargo::cargo(world, "fmt --package app-operator-api --check");
        if formatted.code != 0 {
            self.found(formatted.to_string());
        }
        for (kind, (crd, objects)) in all.iter().zip(&made) {
            let kind = recorded(kind);
            let [made, source] = [crd, &kind.crd].map(|crd| settled(crd, &kind.version));
            self.is_same(&format!("{}: its CRD", kind.name), &made, &source);
            for (made, object) in objects.iter().zip(&kind.objects) {
                self.objects += 1;
                self.is_same(&format!("{}: an object", kind.name), made, object);
            }
        }
    }

    /// Tells of a finding at once: the run takes an hour.
    fn found(&mut self, what: String) {
        say(&what);
        self.findings.push(what);
    }

    fn is_same(&mut self, what: &str, made: &Value, source: &Value) {
        if made == source {
            return;
        }
        let [made, source] = [made, source].map(|value| {
            let mut value = value.clone();
            value.sort_all_objects();
            serde_json::to_string_pretty(&value).expect("JSON")
        });
        let diff = similar::TextDiff::from_lines(&source, &made);
        let diff = diff.unified_diff().to_string();
        let diff: String = diff.chars().take(1500).collect();
        self.found(format!("{what}: {diff}"));
    }
}

/// Where a CRD is.
fn place(crd: &Value) -> String {
    format!(
        "{CRDS}/{}",
        crd["metadata"]["name"].as_str().expect("a name")
    )
}

const JSON: &str = "application/json";

/// Writes down the CRD of each type, and objects as they are after they were read.
const PROGRAM: &str = r#"//! What the types make.

use kube::CustomResourceExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn again<T: CustomResourceExt + DeserializeOwned + Serialize>(objects: &Value) -> Value {
    let read = |object: &Value| match serde_json::from_str::<T>(&object.to_string()) {
        Ok(object) => json!(object),
        Err(error) => json!(error.to_string()),
    };
    let objects = objects.as_array().unwrap();
    json!([T::crd(), objects.iter().map(read).collect::<Vec<_>>()])
}

// Without optimizations an object with every field takes more of the stack than the thread of a test has.
#[test]
fn is_made() {
    let thread = std::thread::Builder::new().stack_size(1 << 30);
    thread.spawn(make).unwrap().join().unwrap();
}

fn make() {
    let objects: Value = serde_json::from_str(&std::fs::read_to_string("objects.json").unwrap()).unwrap();
    let all = [
CALLS    ];
    std::fs::write("made.json", serde_json::to_string(&all[..]).unwrap()).unwrap();
}
"#;

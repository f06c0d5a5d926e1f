//! A kind in two versions, whose controller does not use the storage version: the replicas convert its objects, despite
//! all faults.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::crd::merge_crds;
use kube::{CustomResource, CustomResourceExt, ResourceExt};
use rop_runtime::simulation::{Broken, Simulation, World};
use rop_runtime::webhook::Conversion;
use rop_runtime::{Action, Context, Error, Manager};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::kinds::{Status, named};
use crate::{MINUTE, operator};

mod v1 {
    use super::*;

    /// A note with its author.
    #[derive(Clone, CustomResource, Debug, Deserialize, JsonSchema, Serialize)]
    #[kube(
        group = "notes.example.com",
        version = "v1",
        kind = "Note",
        namespaced,
        status = "Status"
    )]
    pub(crate) struct NoteSpec {
        #[schemars(length(min = 1, max = 20))]
        pub(crate) text: String,
        pub(crate) author: Option<String>,
    }
}

mod v1beta1 {
    use super::*;

    /// A note without an author, but with a colour.
    #[derive(Clone, CustomResource, Debug, Deserialize, JsonSchema, Serialize)]
    #[kube(
        group = "notes.example.com",
        version = "v1beta1",
        kind = "Note",
        namespaced,
        status = "Status"
    )]
    pub(crate) struct NoteSpec {
        #[schemars(length(min = 1, max = 20))]
        pub(crate) content: String,
        pub(crate) colour: Option<String>,
    }
}

impl From<v1beta1::Note> for v1::Note {
    fn from(note: v1beta1::Note) -> Self {
        let spec = v1::NoteSpec {
            text: note.spec.content,
            author: None,
        };
        Self {
            metadata: note.metadata,
            spec,
            status: note.status,
        }
    }
}

impl From<v1::Note> for v1beta1::Note {
    fn from(note: v1::Note) -> Self {
        let spec = v1beta1::NoteSpec {
            content: note.spec.text,
            colour: None,
        };
        Self {
            metadata: note.metadata,
            spec,
            status: note.status,
        }
    }
}

fn crd(stored: &str) -> CustomResourceDefinition {
    let crd = merge_crds(vec![v1::Note::crd(), v1beta1::Note::crd()], stored);
    let mut crd = json!(crd.expect("one kind"));
    crd["spec"]["conversion"] = json!({
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {
                "service": { "name": "webhook", "namespace": "operator", "path": "/convert" },
            },
        },
    });
    serde_json::from_value(crd).expect("a CRD")
}

fn register(manager: &mut Manager<()>) {
    manager.conversion(Conversion::<v1::Note>::new().spoke::<v1beta1::Note>());
    controller(manager);
}

fn controller(manager: &mut Manager<()>) {
    manager
        .controller(reconcile)
        .owns::<ConfigMap>()
        .on_failure(|note: &v1::Note, error| operator::failed(note, note.status.as_ref(), error))
        .start();
}

async fn reconcile(note: Arc<v1::Note>, context: Context) -> Result<Action, Error> {
    let text = ("text".to_owned(), note.spec.text.clone());
    let author = note.spec.author.clone();
    let author = author.map(|author| ("author".to_owned(), author));
    let map = ConfigMap {
        metadata: named(note.name_any()),
        data: Some([text].into_iter().chain(author).collect()),
        ..ConfigMap::default()
    };
    context.apply(&*note, map).await?;
    let before = note.status.as_ref();
    let conditions = operator::conditions(&*note, before, true, "Written", "it can be read");
    context.report(&*note, Status { conditions }).await?;
    Ok(Action::await_change())
}

/// Each note is recorded, whichever version was changed.
fn written(world: &World) -> Result<(), String> {
    let older = world.list::<v1beta1::Note>();
    for note in world.list::<v1::Note>() {
        let (name, namespace) = (note.name_any(), note.namespace());
        let same = older.iter().find(|older| older.uid() == note.uid());
        if same.is_none_or(|older| older.spec.content != note.spec.text) {
            return Err(format!("the Note {name} is another in v1beta1"));
        }
        let map = world.get::<ConfigMap>(namespace.as_deref(), &name);
        let is_owned = |map: &ConfigMap| crate::kinds::is_owned(map, &note);
        let Some(map) = map.filter(is_owned) else {
            continue;
        };
        let mut data = map.data.unwrap_or_default();
        let found = (data.remove("text"), data.remove("author"));
        if found != (Some(note.spec.text), note.spec.author) {
            return Err(format!("the map of the Note {name} has {found:?}"));
        }
    }
    Ok(())
}

/// Objects of both versions.
fn simulation_of(register: fn(&mut Manager<()>), stored: &str) -> Simulation {
    let note = |version: &str, spec: serde_json::Value| {
        json!({
            "apiVersion": format!("notes.example.com/{version}"), "kind": "Note",
            "metadata": { "name": version, "namespace": "shop" }, "spec": spec,
        })
    };
    Simulation::new(operator::IDENTITY, register, || ())
        .crds([crd(stored)])
        .objects([
            note("v1", json!({ "text": "milk", "author": "me" })),
            note("v1beta1", json!({ "content": "bread", "colour": "red" })),
        ])
        .eventually("notes are written down", MINUTE * 20, written)
}

/// The storage version is not the one that the controller reads.
pub(crate) fn simulation() -> Simulation {
    simulation_of(register, "v1beta1")
}

fn first_broken(simulation: &Simulation) -> Broken {
    let (_, broken) = simulation.first_broken(0..10).expect("a broken invariant");
    broken
}

#[test]
fn an_operator_of_two_versions_holds() {
    simulation().seeds(0..4).run();
    simulation_of(register, "v1").seeds(4..6).run();
}

#[test]
fn a_conversion_that_nobody_registers_is_found() {
    let broken = first_broken(&simulation_of(controller, "v1beta1"));
    assert_eq!(broken.invariant, "webhooks are served");
}

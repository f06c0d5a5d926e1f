//! A program on plain kube with one mistake of its author: the same invariants find it, and it needs no status.

use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher::Config;
use kube::{Api, Client, CustomResourceExt, Resource, ResourceExt};
use rop_runtime::simulation::Simulation;
use serde_json::{Value, json};

use super::site::{Site, sample};
use crate::operator::IDENTITY;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    /// The pages are not watched.
    NotWatched,
    /// A key of a page that the spec no longer has stays.
    KeyKept,
    /// A page has no owner.
    NoOwner,
    /// A page has the time of its last reconcile.
    Timed,
    /// Each reconcile asks for the next one.
    Restless,
    /// Reconciles panic if there is no second page.
    Panics,
    /// The program ends.
    Ends,
}

fn simulation(mistake: Mistake) -> Simulation {
    Simulation::of_program(IDENTITY, move |client| run(client, mistake))
        .crds([Site::crd()])
        .objects([sample()])
}

async fn run(client: Client, mistake: Mistake) {
    if mistake == Mistake::Ends {
        return tokio::time::sleep(Duration::from_secs(90)).await;
    }
    let mut sites = Controller::new(Api::<Site>::all(client.clone()), Config::default());
    if mistake != Mistake::NotWatched {
        sites = sites.owns(Api::<ConfigMap>::all(client.clone()), Config::default());
    }
    let work = sites.run(reconcile, again, Arc::new((client, mistake)));
    work.for_each(|_| ready(())).await;
}

fn again(_: Arc<Site>, _: &kube::Error, _: Arc<(Client, Mistake)>) -> Action {
    Action::requeue(Duration::from_secs(5))
}

async fn reconcile(site: Arc<Site>, context: Arc<(Client, Mistake)>) -> kube::Result<Action> {
    let (client, mistake) = &*context;
    if site.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let pages = Api::<ConfigMap>::namespaced(client.clone(), &site.namespace().unwrap_or_default());
    let name = site.name_any();
    let mut page = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "ownerReferences": [site.controller_owner_ref(&())] },
        "data": { "page": site.spec.page },
    });
    if let Some(more) = &site.spec.more {
        page["data"]["more"] = json!(more);
    }
    match mistake {
        Mistake::Panics => assert!(site.spec.more.is_some(), "no second page"),
        Mistake::NoOwner => page["metadata"]["ownerReferences"] = Value::Null,
        Mistake::KeyKept if pages.get_opt(&name).await?.is_some() => {
            let patch = Patch::Merge(&page);
            pages.patch(&name, &PatchParams::default(), &patch).await?;
            return Ok(Action::requeue(Duration::from_secs(300)));
        }
        Mistake::Timed => {
            let minutes = rop_runtime::now().as_second() / 60;
            page["data"]["minutes"] = json!(minutes.to_string());
        }
        _ => {}
    }
    let params = PatchParams::apply(IDENTITY.name()).force();
    pages.patch(&name, &params, &Patch::Apply(&page)).await?;
    Ok(Action::requeue(match mistake {
        Mistake::Restless => Duration::from_millis(200),
        _ => Duration::from_secs(300),
    }))
}

/// Applies everything in each reconcile, by force.
#[test]
fn a_program_without_a_mistake_holds() {
    let report = simulation(Mistake::None).seeds(0..12).report();
    assert!(report.failure.is_none(), "{report}");
    let figures = simulation(Mistake::None).calm().figures;
    assert!(figures.repairs > 0 && figures.points > 0, "{figures:?}");
}

#[test]
fn mistakes_of_a_program_are_found() {
    for (mistake, invariant) in [
        (Mistake::NotWatched, super::REPAIRED),
        (Mistake::KeyKept, "history does not matter"),
        (Mistake::NoOwner, super::REPAIRED),
        (Mistake::Timed, "all children match the specs"),
        (Mistake::Restless, "few requests in silence"),
        (Mistake::Panics, "the process stays alive"),
        (Mistake::Ends, "the process stays alive"),
    ] {
        super::found_in(&format!("{mistake:?}"), &simulation(mistake), invariant);
    }
}

//! The two great tutorials of kubebuilder: a `CronJob`, and its second version.

use serde_json::Value;

use super::chapter::Chapter;
use super::{SOON, leads_to};
use crate::support::World;
use crate::support::control_plane::{ControlPlane, assets, eventually};
use crate::support::turn::turn;

const CRON_JOB: &str =
    "/apis/batch.tutorial.kubebuilder.io/v1/namespaces/default/cronjobs/cronjob-sample";
const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";

#[test]
fn every_step_does_what_the_chapters_say() {
    if assets().is_none() {
        return;
    }
    let world = World::new();
    let mut chapter = Chapter::new("cronjob.md", &world).at_any_port();
    chapter.run_through("Create the project");
    let turn = turn(&world);
    chapter.run_through("Tests");
    let plane = ControlPlane::with_controllers().expect("its programs are there");
    let api = plane.api();
    let mut chapter = chapter.with_cluster(&plane);
    chapter.run_through("Run it");
    let job = eventually("a Job", SOON, || {
        let jobs = api.get(JOBS)["items"].as_array().cloned();
        jobs.and_then(|jobs| jobs.into_iter().next())
    });
    assert_eq!(job["metadata"]["ownerReferences"][0]["kind"], "CronJob");
    let name = job["metadata"]["name"].as_str().expect("a name");
    eventually("it is reported", SOON, || {
        let active = &api.get(CRON_JOB)["status"]["active"];
        let is_it = |active: &&Value| *active == name;
        active.as_array()?.iter().find(is_it).map(drop)
    });
    chapter.run_through("Clean up");
    chapter.ends();

    let mut chapter = Chapter::new("multi-version.md", &world).with_cluster(&plane);
    chapter.run_through("Observe both versions");
    chapter.ends();
    drop((plane, turn));
    leads_to(&world, "cronjob");
}

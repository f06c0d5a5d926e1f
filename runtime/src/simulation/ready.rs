//! Waits until the samples are ready in a cluster without faults.

use std::time::Duration;

use serde_json::Value;

use super::around;
use super::check::{condition, goes_on, is_spoken_for};
use super::crew::Crew;
use super::plan::Plan;
use super::process::outside;
use super::setup::Setup;
use super::subject::Subject;
use super::world::World;

const INVARIANT: &str = "samples get ready in a calm cluster";

/// Maximum number of samples that a failure names beside the first one.
const OTHERS: usize = 4;

/// How often the samples are looked at, and created again if the API server rejected them.
const STEP: Duration = Duration::from_secs(1);

/// Begins a cluster without faults, with one replica.
pub(super) fn begin(setup: &Setup, plan: &Plan) -> (World, Crew, Vec<Subject>) {
    let (world, subjects) = setup.world(plan);
    let crew = Crew::new(world.clone(), setup.launch.clone());
    start(setup, &world, &crew);
    (world, crew, subjects)
}

/// Starts a replica, the controllers of Kubernetes, and the actors of the test.
pub(super) fn start(setup: &Setup, world: &World, crew: &Crew) {
    crew.add();
    around::controllers(world);
    for act in &setup.actors {
        outside(act(world.clone()));
    }
}

/// Creates the samples, and waits until all are ready. Returns `None` if an invariant is violated.
pub(super) async fn get_ready(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
) -> Option<()> {
    let mut unready = Vec::new();
    let end = world.elapsed() + world.plan().trouble;
    while world.elapsed() < end {
        goes_on(setup, world, crew, STEP).await?;
        unready = subjects
            .iter()
            .filter_map(|subject| Some((subject, why_unready(world, subject)?)))
            .collect();
        if unready.is_empty() {
            return Some(());
        }
    }
    let (subject, why) = unready.first()?;
    let limit = world.plan().trouble;
    let mut message = format!("{} {why} after {limit:?} without faults", subject.target);
    for (subject, why) in unready.iter().skip(1).take(OTHERS) {
        message = format!("{message}; {} {why}", subject.target);
    }
    let more = unready.len().saturating_sub(1 + OTHERS);
    if more > 0 {
        message = format!("{message}; and {more} more");
    }
    if let Some((target, what)) = around::unmet(world).first() {
        message = format!(
            "{message}; the pods of {target} need {what}, which does not exist: check the name, or if \
             another controller or a user creates it, add it with `.given([…])` or to `config/samples`"
        );
    }
    if let Some(refusal) = world.last_refusal() {
        message = format!("{message}; the API server refused a request of the operator: {refusal}");
    }
    world.broken(INVARIANT, Some(&subject.target.name), message);
    None
}

/// Returns why a sample is not ready, if it is not. A sample that does not exist is created.
pub(super) fn why_unready(world: &World, subject: &Subject) -> Option<String> {
    let Some(object) = world.find(&subject.target) else {
        return Some(match around::create(world, subject) {
            Ok(_) => "is new".to_owned(),
            Err(refusal) => {
                let why = refusal["message"].as_str().unwrap_or_default();
                format!("cannot be created ({why})")
            }
        });
    };
    if !is_spoken_for(world, subject) {
        return None;
    }
    let text =
        |condition: &Value, field: &str| condition[field].as_str().unwrap_or_default().to_owned();
    match condition(&object, "Ready") {
        None => Some("has no condition `Ready`".to_owned()),
        Some(ready) if ready["status"] == "True" => None,
        Some(ready) => Some(format!(
            "is not ready ({}: {})",
            text(ready, "reason"),
            text(ready, "message")
        )),
    }
}

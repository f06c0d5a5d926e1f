//! What each field of a spec is for: in a cluster without faults it is changed, and children and statuses are compared
//! with those before. In the same cluster, statuses that do not wait for what their objects need are found.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use hyper::Method;
use serde_json::Value;

use super::around;
use super::check::goes_on;
use super::crew::Crew;
use super::fresh::Made;
use super::mutate::{make, mutate};
use super::plan::Plan;
use super::promises::gone;
use super::ready::{begin, get_ready};
use super::run::in_runtime;
use super::setup::Setup;
use super::subject::Subject;
use super::time;
use super::world::World;
use crate::testing::api_server::Clock;

const WHO: &str = "user";

/// How many values of a field are tried.
const VALUES: usize = 4;

/// The operator has answered a change after this time without writes.
const QUIET: Duration = Duration::from_secs(3);

/// The longest time to wait for that.
const PATIENCE: Duration = Duration::from_secs(60);

const STEP: Duration = Duration::from_secs(1);

/// Maximum number of fields of a sample that are changed.
const MOST: usize = 200;

/// Fields within fields are looked at down to this depth.
const DEPTH: usize = 4;

/// Whether a change of each field has an effect, by names such as `sites.spec.port`.
type Effects = BTreeMap<String, bool>;

/// What was found in the cluster.
pub(super) struct Found {
    /// The fields of the samples' specs that were changed without an effect.
    pub(super) ineffective: Vec<String>,
    /// The samples that got ready before what they need, such as `sites before deployments`.
    pub(super) hasty: Vec<String>,
}

/// Simulates the cluster.
pub(super) fn found(setup: &Setup) -> Found {
    let plan = Plan::calm(setup.ready_within);
    in_runtime(setup, &plan, async {
        let _begun = time::begin(Clock::start());
        let (world, crew, subjects) = begin(setup, &plan);
        let mut effects = Effects::new();
        let _ = observe(setup, &world, &crew, &subjects, &mut effects).await;
        crew.dismiss();
        world.forget_replicas();
        let ineffective = effects.into_iter().filter(|(_, has_effect)| !has_effect);
        let ineffective = ineffective.map(|(name, _)| name);
        Found {
            ineffective: ineffective
                .filter(|name| !setup.is_external(name))
                .collect(),
            hasty: world.hasty().into_iter().collect(),
        }
    })
}

/// Changes each field of each sample. Ends early if an invariant is violated, which the seeds report.
async fn observe(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    effects: &mut Effects,
) -> Option<()> {
    get_ready(setup, world, crew, subjects).await?;
    for subject in subjects {
        let has_history = setup.has_history(subject.object["kind"].as_str());
        let Some(schema) = subject.schema.as_ref().filter(|_| !has_history) else {
            continue;
        };
        let mut paths = Vec::new();
        fields(schema, "", DEPTH, &mut paths);
        // An object has an effect if one of its fields has.
        paths.retain(|(_, schema)| !schema["properties"].is_object());
        paths.truncate(MOST);
        for (path, schema) in paths {
            let name = format!("{}.{}", subject.target.plural, named(&path));
            let mut rng = world.rng(&name);
            for _ in 0..VALUES {
                if effects.get(&name) == Some(&true) {
                    break;
                }
                let Some(spec) = changed(&subject.object["spec"], &path, schema, &mut rng) else {
                    continue;
                };
                let before = Made::in_world(setup, world, subjects).without_generations();
                if !put(world, subject, &spec) {
                    continue;
                }
                answered(setup, world, crew).await?;
                let after = Made::in_world(setup, world, subjects).without_generations();
                effects.insert(name.clone(), !before.differences(&after).is_empty());
                restore(setup, world, crew, subjects, subject).await?;
                answered(setup, world, crew).await?;
            }
        }
    }
    Some(())
}

/// Replaces the spec of an object. Returns whether the API server accepted it.
pub(super) fn put(world: &World, subject: &Subject, spec: &Value) -> bool {
    let Some(object) = world.find_in_version(&subject.target) else {
        return false;
    };
    let mut object = Value::clone(&object);
    object["spec"] = spec.clone();
    world
        .does(WHO, &Method::PUT, &subject.target.path(), &object)
        .is_some()
}

/// Gives an object its first spec back. It is created again if the API server refuses that change, such as that of a
/// number that may only grow.
pub(super) async fn restore(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    subject: &Subject,
) -> Option<()> {
    if put(world, subject, &subject.object["spec"]) {
        return Some(());
    }
    let going = around::end(world, std::slice::from_ref(subject));
    let _ = gone(setup, world, crew, subjects, &going).await?;
    get_ready(setup, world, crew, subjects).await
}

/// Waits until the operator has answered a change.
async fn answered(setup: &Setup, world: &World, crew: &Crew) -> Option<()> {
    let begun = world.elapsed();
    loop {
        goes_on(setup, world, crew, STEP).await?;
        let since = world.elapsed().saturating_sub(begun);
        if since > PATIENCE || since.min(world.quiet_for()) >= QUIET {
            return Some(());
        }
    }
}

/// The first item of a list, in a JSON pointer.
const FIRST: &str = "0";

/// The name of a field by its JSON pointer into a spec, such as `spec.ports[].name`.
pub(super) fn named(path: &str) -> String {
    let mut name = "spec".to_owned();
    for part in path.split('/').skip(1) {
        match part {
            FIRST => name.push_str("[]"),
            part => {
                name.push('.');
                name.push_str(part);
            }
        }
    }
    name
}

/// The schema at the JSON pointer of a field.
pub(super) fn schema_at<'a>(schema: &'a Value, path: &str) -> &'a Value {
    let parts = path.split('/').skip(1);
    parts.fold(schema, |schema, part| match &schema["properties"][part] {
        Value::Null if part == FIRST => &schema["items"],
        field => field,
    })
}

/// The paths of the fields of a schema, as JSON pointers, with their schemas. An object and a list are fields, too, and so
/// are the fields of an object and those of the first item of a list.
pub(super) fn fields<'a>(
    schema: &'a Value,
    path: &str,
    depth: usize,
    found: &mut Vec<(String, &'a Value)>,
) {
    let properties = schema["properties"].as_object().into_iter().flatten();
    for (name, field) in properties.filter(|_| depth > 0) {
        let path = format!("{path}/{name}");
        found.push((path.clone(), field));
        fields(field, &path, depth - 1, found);
        let first = format!("{path}/{FIRST}");
        fields(&field["items"], &first, depth - 1, found);
    }
}

/// A spec with another value at a path, unless what the field is in does not exist.
fn changed(spec: &Value, path: &str, schema: &Value, rng: &mut Rng) -> Option<Value> {
    let mut changed = spec.clone();
    let (parent, name) = path.rsplit_once('/')?;
    let parent = changed.pointer_mut(parent)?.as_object_mut()?;
    match parent.get_mut(name) {
        Some(value) => mutate(value, schema, rng),
        None => {
            parent.insert(name.to_owned(), make(schema, rng, 2)?);
        }
    }
    (changed != *spec).then_some(changed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_of_a_list_has_fields() {
        let schema = json!({ "properties": {
            "size": { "properties": { "unit": {} } },
            "ports": { "items": { "required": ["port"], "properties": { "port": {} } } },
        } });
        let mut found = Vec::new();
        fields(&schema, "", DEPTH, &mut found);
        let names: Vec<_> = found.iter().map(|(path, _)| named(path)).collect();
        let expected = [
            "spec.ports",
            "spec.ports[].port",
            "spec.size",
            "spec.size.unit",
        ];
        assert_eq!(names, expected);
        assert_eq!(schema_at(&schema, "/ports/0")["required"], json!(["port"]));
        assert_eq!(schema_at(&schema, ""), &schema);
    }
}

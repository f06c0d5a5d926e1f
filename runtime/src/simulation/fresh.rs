//! History does not matter: the specs that are left at the end of a seed are put into a fresh cluster without faults,
//! whose children and statuses must be the same.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

use super::around;
use super::check::{goes_on, is_ready, is_spoken_for};
use super::children::{Child, root};
use super::crew::Crew;
use super::difference::{Difference, of_children, of_marks, of_readiness, of_statuses};
use super::managers::{controller_kind, is_going, is_shared, remove_ours};
use super::ready::start;
use super::setup::Setup;
use super::subject::Subject;
use super::target::{Target, text};
use super::world::{Drawn, World};

const INVARIANT: &str = "history does not matter";

/// The fresh cluster is compared after this time without writes.
const QUIET: Duration = Duration::from_secs(15);

/// If it differs, the operator may still wait for something.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

const STEP: Duration = Duration::from_secs(5);

/// Maximum number of listed differences.
const MOST: usize = 8;

/// What is left in a cluster: what the operator has been given, and what it has made of that.
pub(super) struct Left {
    /// All objects that the operator has not created, without what it has written to them.
    given: Vec<Value>,
    /// The user's objects that are not ready. They are created last: a ready object may hold an exclusive resource of
    /// an external service that they also claim.
    late: Vec<Value>,
    now: Timestamp,
    made: Made,
}

/// What the operator has made: children, and statuses of the user's objects.
pub(super) struct Made {
    operator: String,
    drawn: Drawn,
    children: BTreeMap<String, Child>,
    /// The objects of others that it has written to.
    others: BTreeMap<Target, Arc<Value>>,
    /// The user's objects, for their statuses. `None` if somebody else has changed children in a way that a status may
    /// report.
    parents: Option<BTreeMap<Target, Value>>,
    /// The user's objects that are not ready, such as those whose spec is not possible: what was made of the last spec
    /// that was possible stays.
    unready: BTreeSet<Target>,
    /// Those of them that compete for something outside the cluster, which another one has.
    rivals: BTreeSet<Target>,
    /// The user's objects whose status depends on more than the specs.
    marked: BTreeSet<Target>,
}

/// The fields of objects that differ.
type Fields = Vec<(Target, Vec<Difference>)>;

impl Left {
    /// What is left in a world. `None` if it depends on more than the specs: on objects of others that have names of
    /// children, or on something that is being deleted.
    pub(super) fn in_world(setup: &Setup, world: &World, subjects: &[Subject]) -> Option<Self> {
        if world.has_strangers() {
            return None;
        }
        let operator = &world.names().operator;
        let mut given = Vec::new();
        for object in world.server().all_objects() {
            let kind = object["kind"].as_str().unwrap_or_default();
            let is_machinery = matches!(kind, "Lease" | "Event" | "CustomResourceDefinition");
            if is_machinery || world.has_created(&object) {
                continue;
            }
            if is_going(&object) {
                return None;
            }
            let mut object = Value::clone(&object);
            remove_ours(&mut object, operator);
            given.push(object);
        }
        let mut is_any = false;
        for subject in subjects {
            let Some(object) = world.find(&subject.target) else {
                continue;
            };
            is_any = true;
            let uid = text(&object, "uid");
            let mut all = given.iter_mut();
            let object = all.find(|object| text(object, "uid") == uid)?;
            if let Some(fields) = object.as_object_mut() {
                fields.remove("status");
            }
            object["metadata"]["finalizers"] = subject.object["metadata"]["finalizers"].clone();
        }
        let made = Made::in_world(setup, world, subjects);
        let unready = made.unready.iter().filter_map(|target| world.find(target));
        let unready: BTreeSet<_> = unready
            .map(|object| text(&object, "uid").to_owned())
            .collect();
        let (late, given) = given
            .into_iter()
            .partition(|object| unready.contains(text(object, "uid")));
        is_any.then(|| Self {
            given,
            late,
            now: world.server().now(),
            made,
        })
    }

    /// Runs the operator in a fresh cluster with the same specs, and compares it. A failure begins with `after`.
    pub(super) async fn compare(
        mut self,
        setup: &Setup,
        world: &World,
        subjects: &[Subject],
        after: &str,
    ) {
        let fresh = setup.fresh_world(world, &self.given, self.now, subjects);
        fresh.server().reserve_uids(&self.late);
        let crew = Crew::calm(fresh.clone(), setup.launch.clone());
        fresh.calm();
        start(setup, &fresh, &crew);
        let mut differences = Vec::new();
        let mut complete = fresh.elapsed();
        while fresh.elapsed() < complete + PATIENCE {
            if goes_on(setup, &fresh, &crew, STEP).await.is_none() {
                break;
            }
            if fresh.elapsed() < complete + QUIET || fresh.quiet_for() < QUIET {
                continue;
            }
            if !self.late.is_empty() {
                fresh.server().restore(&take(&mut self.late));
                complete = fresh.elapsed();
                continue;
            }
            differences = self
                .made
                .differences(&Made::in_world(setup, &fresh, subjects));
            if differences.is_empty() {
                break;
            }
        }
        crew.dismiss();
        fresh.forget_replicas();
        if let Some(broken) = fresh.first_broken() {
            world.broken(&broken.invariant, broken.about.as_deref(), broken.message);
        } else if let Some((target, what)) = differences.first() {
            tell(world, &differences);
            let message = format!("{after}in a fresh cluster with the same specs, {target} {what}");
            world.broken(INVARIANT, Some(&target.name), message);
        }
    }
}

impl Made {
    pub(super) fn in_world(setup: &Setup, world: &World, subjects: &[Subject]) -> Self {
        let operator = &world.names().operator;
        let living: BTreeMap<_, _> = subjects
            .iter()
            .filter_map(|subject| Some((subject, world.find(&subject.target)?)))
            .map(|(subject, object)| (text(&object, "uid").to_owned(), (subject, object)))
            .collect();
        let target_of = |uid: &str| Some(living.get(uid)?.0.target.clone());
        let marked = world.marked();
        let marked = marked.iter().filter_map(|uid| {
            target_of(uid).or_else(|| {
                let owner = world.find(&world.created_as(uid)?)?;
                root(world, &owner, target_of)
            })
        });
        // Pods that were started before something went, do not start again.
        let unmet = around::unmet(world).into_iter();
        let unmet = unmet.filter_map(|(target, _)| root(world, &*world.find(&target)?, target_of));
        let marked = marked.chain(unmet).collect();
        let mut is_reportable = true;
        let mut children = BTreeMap::<String, Child>::new();
        let created = world.created().into_iter();
        let created = created.filter_map(|target| Some((world.find(&target)?, target)));
        let mut created: Vec<_> = created.collect();
        // In this order, those with random names are paired by their labels.
        created.sort_by_cached_key(|(object, _)| object["metadata"]["labels"].to_string());
        for (object, target) in created {
            let is_child = world.has_created(&object) && !is_going(&object);
            is_reportable &= !is_shared(&object, operator);
            if !is_child || setup.has_history(controller_kind(&object)) {
                continue;
            }
            let key = match text(&object, "generateName") {
                "" => target.to_string(),
                // Its name is random, so it is one of some.
                generated => (0..=children.len())
                    .map(|index| format!("{} {generated} {index}", target.group_resource()))
                    .find(|key| !children.contains_key(key))
                    .unwrap_or_default(),
            };
            let child = Child {
                of: root(world, &object, target_of),
                object,
                target,
            };
            children.insert(key, child);
        }
        let parents = is_reportable.then(|| {
            living
                .values()
                .filter(|(_, object)| !setup.has_history(object["kind"].as_str()))
                .map(|(subject, object)| (subject.target.clone(), Value::clone(object)))
                .collect()
        });
        let is_unready =
            |subject: &Subject, object: &Value| is_spoken_for(world, subject) && !is_ready(object);
        let unready = living
            .values()
            .filter(|(subject, object)| is_unready(subject, object))
            .map(|(subject, _)| subject);
        let rivals = unready
            .clone()
            .filter(|subject| setup.competes(subject.object["kind"].as_str()))
            .map(|subject| subject.target.clone())
            .collect();
        let unready = unready.map(|subject| subject.target.clone()).collect();
        let touched = world.touched().into_iter();
        let others = touched.filter_map(|target| Some((world.find(&target)?, target)));
        let others = others.map(|(object, target)| (target, object));
        Self {
            operator: operator.clone(),
            drawn: setup.drawn().clone(),
            children,
            others: others.collect(),
            parents,
            unready,
            rivals,
            marked,
        }
    }

    /// Without the generations in statuses: each change of a spec changes them.
    pub(super) fn without_generations(mut self) -> Self {
        let parents = self.parents.iter_mut().flat_map(BTreeMap::values_mut);
        let statuses = parents.filter_map(|object| object.get_mut("status"));
        for status in statuses.filter(|status| status.is_object()) {
            let conditions = status["conditions"].as_array_mut().map(std::mem::take);
            let conditions = conditions.into_iter().flatten().map(without_generation);
            status["conditions"] = conditions.collect();
            *status = without_generation(status.take());
        }
        self
    }

    /// What is different in a fresh cluster: the objects, and how they differ.
    pub(super) fn differences(&self, fresh: &Self) -> Vec<(Target, String)> {
        let (mut found, fields) = self.compared(fresh);
        let mut all_drawn = Vec::new();
        for (target, fields) in fields {
            let resource = target.group_resource();
            let (drawn, fields): (Vec<_>, Vec<_>) = fields
                .into_iter()
                .partition(|field| self.drawn.contains(&(resource.clone(), field.path.clone())));
            found.extend(described(&target, &fields));
            all_drawn.extend(drawn.into_iter().map(|field| (target.clone(), field)));
        }
        found.extend(copies(&all_drawn));
        found
    }

    /// The strings that differ after the same objects were created again. Nothing else has changed, so they are random.
    pub(super) fn drawn(&self, again: &Self) -> Drawn {
        let (_, fields) = self.compared(again);
        let texts = fields.into_iter().flat_map(|(target, fields)| {
            let resource = target.group_resource();
            let texts = fields.into_iter().filter(Difference::is_of_texts);
            texts.map(move |field| (resource.clone(), field.path))
        });
        texts.collect()
    }

    /// The objects that exist only in one of two clusters, and the fields of the others that differ.
    fn compared(&self, fresh: &Self) -> (Vec<(Target, String)>, Fields) {
        let (mut found, mut fields) = (Vec::new(), Vec::new());
        let unready: BTreeSet<_> = self.unready.union(&fresh.unready).collect();
        let marked: BTreeSet<_> = self.marked.union(&fresh.marked).collect();
        let is_compared = |child: &Child| match &child.of {
            Some(of) => !unready.contains(of) && !marked.contains(of),
            None => unready.is_empty(),
        };
        for (key, child) in &self.children {
            if !is_compared(child) {
                continue;
            }
            let target = &child.target;
            match fresh.children.get(key) {
                None => found.push((target.clone(), "does not exist".to_owned())),
                // A Job does not run again for another spec.
                Some(there)
                    if around::is_ended_job(&child.object)
                        || around::is_ended_job(&there.object) => {}
                Some(there) => {
                    let mut of_child = of_children(&child.object, &there.object, &self.operator);
                    // A Service whose node port is no longer set keeps the one that it had.
                    of_child.retain(|field| !field.path.ends_with(".nodePort"));
                    fields.push((target.clone(), of_child));
                }
            }
        }
        for (key, child) in &fresh.children {
            // A Job that expires is deleted some time after its end, so an older one is gone.
            let job = &child.object;
            let is_gone = around::is_ended_job(job) && around::lives_for(job).is_some();
            if !is_gone && !self.children.contains_key(key) && is_compared(child) {
                let exists = "exists, and here it does not".to_owned();
                found.push((child.target.clone(), exists));
            }
        }
        if unready.is_empty() && marked.is_empty() {
            fields.extend(self.marks(fresh));
        }
        let (Some(here), Some(there)) = (&self.parents, &fresh.parents) else {
            return (found, fields);
        };
        let parents = here
            .iter()
            .filter(|(target, _)| !marked.contains(target) && !self.rivals.contains(target));
        for (target, here) in parents {
            let Some(there) = there.get(target) else {
                continue;
            };
            let of_parent = if unready.contains(target) {
                of_readiness(here, there)
            } else {
                of_statuses(here, there, &self.operator)
            };
            fields.push((target.clone(), of_parent));
        }
        (found, fields)
    }

    /// What is different in the labels and annotations of objects of others.
    fn marks(&self, fresh: &Self) -> Fields {
        let all: BTreeSet<_> = self.others.keys().chain(fresh.others.keys()).collect();
        let in_cluster =
            |made: &Self, target: &Target| made.others.get(target).cloned().unwrap_or_default();
        let marks = all.into_iter().map(|target| {
            let (here, there) = (in_cluster(self, target), in_cluster(fresh, target));
            (target.clone(), of_marks(&here, &there, &self.operator))
        });
        marks.collect()
    }
}

/// Adds differences to the next violation.
pub(super) fn tell(world: &World, differences: &[(Target, String)]) {
    let lines = differences
        .iter()
        .map(|(target, what)| format!("{target} {what}"));
    let mut story: Vec<_> = lines.take(MOST).collect();
    let more = differences.len().saturating_sub(MOST);
    if more > 0 {
        story.push(format!("{more} more"));
    }
    world.tell(&story);
}

fn without_generation(mut fields: Value) -> Value {
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("observedGeneration");
    }
    fields
}

/// The random values that are copies of others in a fresh cluster, and here are not.
fn copies(drawn: &[(Target, Difference)]) -> impl Iterator<Item = (Target, String)> {
    drawn
        .iter()
        .enumerate()
        .filter_map(|(index, (target, field))| {
            let (first, of_first) = drawn[..index]
                .iter()
                .find(|(_, first)| field.is_lost_copy(first))?;
            let what = format!(
                "has another random value in {} than {first} in {}, and there one is a copy of the other",
                field.path, of_first.path
            );
            Some((target.clone(), what))
        })
}

fn described(target: &Target, fields: &[Difference]) -> Option<(Target, String)> {
    let lines: Vec<_> = fields.iter().map(Difference::to_string).collect();
    let differs = || format!("has another state: {}", lines.join(", "));
    (!fields.is_empty()).then(|| (target.clone(), differs()))
}

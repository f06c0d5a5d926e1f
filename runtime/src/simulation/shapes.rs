//! Each shape that the schema of a spec allows, one at a time in a cluster without faults: the operator answers each
//! within a minute, with an object that is ready or says why it is not, and with what a new object of that spec gets.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::around::items;
use super::check::{condition, goes_on, is_ready, is_spoken_for, says};
use super::children::Children;
use super::conventions;
use super::crew::Crew;
use super::effects::{fields, named, put, restore, schema_at};
use super::fit::fit;
use super::fresh::Left;
use super::mutate::make;
use super::ports::{closed_numbers, stay_open};
use super::ready::why_unready;
use super::setup::Setup;
use super::stuck;
use super::subject::Subject;
use super::updates::Before;
use super::world::World;

/// The invariant.
const INVARIANT: &str = "every shape of a spec is answered";

/// How long an answer may take.
const WITHIN: Duration = Duration::from_secs(60);

/// An answer is the last one after this time without writes.
const QUIET: Duration = Duration::from_secs(3);

const STEP: Duration = Duration::from_secs(1);

/// Fields within fields are looked at down to this depth.
const DEPTH: usize = 4;

/// The longest text.
const LONGEST: u64 = 1000;

/// The number of letters of a value, and of a refusal, that are shown.
const VALUE: usize = 40;
const REFUSAL: usize = 200;

/// Another shape of a field.
struct Shape<'a> {
    subject: &'a Subject,
    /// The field, as a JSON pointer into the spec.
    path: String,
    /// `None` removes it.
    value: Option<Value>,
}

impl Shape<'_> {
    /// Such as `spec.port`.
    fn field(&self) -> String {
        named(&self.path)
    }

    /// The value, as text.
    fn value(&self) -> String {
        self.value
            .as_ref()
            .map_or_else(|| "nothing".to_owned(), shown)
    }

    /// The spec of the sample with it.
    fn spec(&self) -> Value {
        let mut spec = self.subject.object["spec"].clone();
        let (parent, name) = self.path.rsplit_once('/').unwrap_or_default();
        if let Some(fields) = spec.pointer_mut(parent).and_then(Value::as_object_mut) {
            match &self.value {
                Some(value) => fields.insert(name.to_owned(), value.clone()),
                None => fields.remove(name),
            };
        }
        spec
    }
}

/// Checks at most so many shapes of the fields of the samples. Returns `None` if one is not answered, or not as in a
/// fresh cluster.
pub(super) async fn check(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    most: usize,
) -> Option<()> {
    let all: Vec<_> = subjects
        .iter()
        .flat_map(|subject| of_subject(world, subject))
        .collect();
    world.count_shapes(all.len());
    for shape in evenly(&all, most) {
        let (subject, field, value) = (shape.subject, shape.field(), shape.value());
        let what = format!("`{field}` of {} is {value}", subject.target);
        world.tell(std::slice::from_ref(&what));
        let before = Before::in_world(setup, world);
        let closed = closed_numbers(&Children::in_world(world, subjects));
        if put(world, subject, &shape.spec()) {
            answered(setup, world, crew, subject, &what).await?;
            let name = format!("{}.{field}", subject.target.plural);
            if let Some(why) = refused(world, subject) {
                world.note_refused(name.clone(), format!("is {value}: {why}"));
            }
            is_as_new(setup, world, crew, subjects, &what).await?;
            if let Some(why) = stuck::why(world, crew, subjects, subject, shape.value.as_ref()) {
                let message = format!(
                    "{what}, and {} {why}: its workloads are rolled out, no request was refused, and no reconcile is \
                     scheduled, so nothing changes that",
                    subject.target
                );
                world.broken(INVARIANT, Some(&subject.target.name), message);
                return None;
            }
            before.are_updated(world, &what)?;
            if is_settled(world, subjects) {
                let children = Children::in_world(world, subjects);
                fit(&children)?;
                stay_open(&children, &closed)?;
            }
            for workload in before.outdated(world) {
                world.note_outdated(format!("{name} of {}", workload.plural));
            }
            restore(setup, world, crew, subjects, subject).await?;
            let what = format!("`{field}` of {} is as before {value}", subject.target);
            answered(setup, world, crew, subject, &what).await?;
            world.answered_shape();
        }
        world.tell(&[]);
    }
    Some(())
}

/// Checks that a changed spec has the children and statuses of a new object with that spec. Returns `None` if not.
async fn is_as_new(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subjects: &[Subject],
    what: &str,
) -> Option<()> {
    let begun = world.elapsed();
    while world.elapsed() < begun + WITHIN && !is_settled(world, subjects) {
        goes_on(setup, world, crew, STEP).await?;
    }
    conventions::observed(world, subjects);
    if let Some(left) = Left::in_world(setup, world, subjects) {
        let after = format!("{what}, and ");
        left.compare(setup, world, subjects, &after).await;
    }
    world.first_broken().is_none().then_some(())
}

/// Whether all samples are ready, and nothing is written any more.
fn is_settled(world: &World, subjects: &[Subject]) -> bool {
    let is_unready = |subject: &Subject| why_unready(world, subject).is_some();
    !subjects.iter().any(is_unready) && world.quiet_for() >= QUIET
}

/// At most so many items, evenly distributed.
pub(super) fn evenly<T>(all: &[T], most: usize) -> impl Iterator<Item = &T> {
    let few = all.len().min(most);
    (0..few).map(move |index| &all[index * all.len() / few])
}

/// The shapes of the fields of a sample.
fn of_subject<'a>(world: &World, subject: &'a Subject) -> Vec<Shape<'a>> {
    let Some(schema) = &subject.schema else {
        return Vec::new();
    };
    let mut paths = Vec::new();
    fields(schema, "", DEPTH, &mut paths);
    let of_field = |(path, of_field): (String, &Value)| {
        let values = shapes(world, subject, schema, &path, of_field);
        values.into_iter().map(move |value| Shape {
            subject,
            path: path.clone(),
            value,
        })
    };
    paths.into_iter().flat_map(of_field).collect()
}

/// Waits until the operator has answered a spec.
async fn answered(
    setup: &Setup,
    world: &World,
    crew: &Crew,
    subject: &Subject,
    what: &str,
) -> Option<()> {
    let begun = world.elapsed();
    world.forget_refusal();
    loop {
        goes_on(setup, world, crew, STEP).await?;
        let since = world.elapsed().saturating_sub(begun);
        let why = why_unanswered(world, subject);
        let Some(why) = why else {
            // Others may still write.
            if since.min(world.quiet_for()) >= QUIET || since > WITHIN {
                return is_followed(world, subject, what);
            }
            continue;
        };
        if since > WITHIN {
            world.tell(&[]);
            let message = format!("{what}, and {WITHIN:?} later {} {why}", subject.target);
            world.broken(INVARIANT, Some(&subject.target.name), message);
            return None;
        }
    }
}

/// Why the API server refuses a child of an object that is not ready, if it does.
fn refused(world: &World, subject: &Subject) -> Option<String> {
    let refusal = world.last_refusal()?;
    let (_, why) = refusal.split_once(": 422 ")?;
    let is_unready = world
        .find(&subject.target)
        .is_some_and(|object| is_spoken_for(world, subject) && !is_ready(&object));
    is_unready.then(|| shortened(why, REFUSAL))
}

/// A new object could have this spec, and this one cannot follow: the API server lets nobody change a field of a child.
fn is_followed(world: &World, subject: &Subject, what: &str) -> Option<()> {
    let is_refused = |refusal: &String| {
        let refusals = [
            "is immutable",
            "updates may not change fields",
            "may not change once set",
            "cannot change roleRef",
            "may not be set to 'None'",
        ];
        refusals.iter().any(|text| refusal.contains(text))
    };
    let Some(refusal) = world.last_refusal().filter(is_refused) else {
        return Some(());
    };
    let object = world.find(&subject.target)?;
    if condition(&object, "Ready").is_none_or(|ready| ready["status"] == "True") {
        return Some(());
    }
    world.tell(&[]);
    let message = format!(
        "{what}, and the child does not follow: {refusal}; delete it and create it again, or refuse such a change with a rule such as `self == oldSelf`"
    );
    world.broken(INVARIANT, Some(&subject.target.name), message);
    None
}

/// Why the current spec of an object is not answered, if it is not.
fn why_unanswered(world: &World, subject: &Subject) -> Option<String> {
    if !is_spoken_for(world, subject) {
        return None;
    }
    let object = world.find(&subject.target)?;
    let ready = condition(&object, "Ready").unwrap_or(&Value::Null);
    let seen = match &ready["observedGeneration"] {
        Value::Null => &object["status"]["observedGeneration"],
        seen => seen,
    };
    let generation = &object["metadata"]["generation"];
    if !seen.is_null() && seen != generation {
        return Some(format!(
            "is in generation {generation}, and its status of {seen}"
        ));
    }
    says(&object).err()
}

/// The values of other shapes of a field, unless what the field is in does not exist.
fn shapes(
    world: &World,
    subject: &Subject,
    schema: &Value,
    path: &str,
    of_field: &Value,
) -> Vec<Option<Value>> {
    let spec = &subject.object["spec"];
    let (parent, name) = path.rsplit_once('/').unwrap_or_default();
    if !spec.pointer(parent).is_some_and(Value::is_object) {
        return Vec::new();
    }
    let mut required = items(&schema_at(schema, parent)["required"]);
    let is_optional = required.all(|required| required != name);
    let current = spec.pointer(path);
    let ends = values(of_field);
    let more = match current {
        Some(value) => longest(of_field, value).or_else(|| another(of_field, &ends, value)),
        None => make(of_field, &mut world.rng(path), 2),
    };
    let ends = ends.into_iter().map(Some);
    let all = ends.chain(is_optional.then_some(None));
    let mut found = Vec::new();
    for value in all.chain(more.map(Some)) {
        if value.as_ref() != current && !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// The values at the ends of what a schema allows.
fn values(schema: &Value) -> Vec<Value> {
    if let Some(allowed) = schema["enum"].as_array() {
        let allowed = allowed.iter().filter(|value| !value.is_null());
        return allowed.cloned().collect();
    }
    let is_free = schema["pattern"].is_null() && schema["format"].is_null();
    let may_be_empty = |least: &str| schema[least].as_u64().unwrap_or_default() == 0;
    match schema["type"].as_str() {
        Some("boolean") => vec![json!(false), json!(true)],
        Some("integer" | "number") => ["minimum", "maximum"]
            .into_iter()
            .filter_map(|end| whole(&schema[end]))
            .collect(),
        Some("string") if is_free => {
            let mut values = Vec::new();
            if may_be_empty("minLength") {
                values.push(json!(""));
            }
            if let Some(most) = schema["maxLength"].as_u64().filter(|most| *most <= LONGEST) {
                let most = usize::try_from(most).unwrap_or_default();
                values.push(json!("x".repeat(most)));
            }
            values
        }
        Some("array") if may_be_empty("minItems") => vec![json!([])],
        Some("object") if may_be_empty("minProperties") => vec![json!({})],
        _ => Vec::new(),
    }
}

/// The longest text of a pattern that ends as the current one: many patterns allow that its last letter is repeated.
fn longest(schema: &Value, current: &Value) -> Option<Value> {
    let text = current.as_str().filter(|_| schema["pattern"].is_string())?;
    let most = schema["maxLength"]
        .as_u64()
        .filter(|most| *most <= LONGEST)?;
    let more = usize::try_from(most)
        .ok()?
        .checked_sub(text.chars().count())?;
    let last = text.chars().next_back()?;
    Some(json!(format!("{text}{}", last.to_string().repeat(more))))
}

/// A value close to the current one, if no end of what the schema allows is another: an empty one is often as none.
fn another(schema: &Value, ends: &[Value], current: &Value) -> Option<Value> {
    if other_end(ends, current).is_some() || schema["enum"].is_array() {
        return None;
    }
    match current {
        Value::String(text) => {
            let last = text.chars().next_back()?;
            Some(json!(format!("{text}{last}")))
        }
        Value::Number(number) => Some(json!(number.as_i64()?.checked_add(1)?)),
        Value::Array(items) => {
            let (schema, first) = (&schema["items"], items.first()?);
            let ends = values(schema);
            let first = other_end(&ends, first)
                .cloned()
                .or_else(|| another(schema, &ends, first))?;
            let rest = items.iter().skip(1).cloned();
            Some([first].into_iter().chain(rest).collect())
        }
        _ => None,
    }
}

/// The first end that is another value, and not empty.
fn other_end<'a>(ends: &'a [Value], current: &Value) -> Option<&'a Value> {
    let is_empty = |end: &Value| *end == "" || *end == json!([]);
    ends.iter().find(|end| *end != current && !is_empty(end))
}

/// A bound, which a schema has as a decimal number.
fn whole(bound: &Value) -> Option<Value> {
    let number = bound.as_f64()?;
    if number.fract() != 0.0 {
        return Some(bound.clone());
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is whole")]
    let whole = number as i64;
    Some(json!(whole))
}

/// A value, shortened.
fn shown(value: &Value) -> String {
    shortened(&value.to_string(), VALUE)
}

fn shortened(whole: &str, most: usize) -> String {
    let mut short: String = whole.chars().take(most).collect();
    if short != whole {
        let _ = write!(short, "…");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_pattern_grows_at_its_end() {
        let schema = |most: u64| json!({ "pattern": "^[a-z.]*$", "maxLength": most });
        let longest = |schema: Value, text: &str| longest(&schema, &json!(text));
        assert_eq!(longest(schema(8), "a.io"), Some(json!("a.iooooo")));
        assert_eq!(longest(schema(3), "a.io"), None);
        assert_eq!(longest(schema(LONGEST + 1), "a.io"), None);
        assert_eq!(longest(json!({ "maxLength": 8 }), "a.io"), None);
    }

    #[test]
    fn a_value_without_other_ends_has_another_one() {
        for (schema, current, expected) in [
            (json!({ "type": "string" }), json!("ab"), Some(json!("abb"))),
            (
                json!({ "type": "string", "maxLength": 3 }),
                json!("ab"),
                None,
            ),
            (
                json!({ "type": "string", "enum": ["ab"] }),
                json!("ab"),
                None,
            ),
            (
                json!({ "type": "integer", "minimum": 1 }),
                json!(1),
                Some(json!(2)),
            ),
            (json!({ "type": "integer", "minimum": 1 }), json!(2), None),
            (json!({ "type": "boolean" }), json!(true), None),
        ] {
            let another = another(&schema, &values(&schema), &current);
            assert_eq!(another, expected, "{schema} {current}");
        }
    }

    #[test]
    fn a_list_has_another_item() {
        let schema = json!({ "type": "array", "items": { "type": "string" } });
        let another = |current: Value| another(&schema, &values(&schema), &current);
        assert_eq!(another(json!(["a", "b"])), Some(json!(["aa", "b"])));
        assert_eq!(another(json!([{ "name": "a" }])), None);
    }

    #[test]
    fn a_schema_has_its_ends() {
        for (schema, expected) in [
            (
                json!({ "type": "integer", "minimum": 1.0, "maximum": 5 }),
                json!([1, 5]),
            ),
            (
                json!({ "type": "string", "enum": ["a", "b", null] }),
                json!(["a", "b"]),
            ),
            (
                json!({ "type": "string", "maxLength": 3 }),
                json!(["", "xxx"]),
            ),
            (json!({ "type": "string", "minLength": 1 }), json!([])),
            (json!({ "type": "string", "pattern": "a" }), json!([])),
            (json!({ "type": "array", "minItems": 1 }), json!([])),
            (json!({ "type": "array" }), json!([[]])),
            (json!({ "x-kubernetes-int-or-string": true }), json!([])),
        ] {
            assert_eq!(Value::from(values(&schema)), expected, "{schema}");
        }
    }
}

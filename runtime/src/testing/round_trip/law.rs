//! The laws that conversions must satisfy.

use std::fmt::Write as _;

use fastrand::Rng;
use serde_json::Value;

use super::lost::{Lost, covers};
use super::side::Side;
use crate::simulation::mutate::mutate;

/// Maximum number of attempts to make a valid change.
const TRIES: u8 = 10;

/// A violated law, with the objects that show it.
pub(super) struct Broken {
    pub(super) law: String,
    objects: Vec<(String, Value)>,
}

impl Broken {
    fn new(law: String, objects: &[(&str, &Value)]) -> Self {
        let objects = objects
            .iter()
            .map(|(name, object)| ((*name).to_owned(), (*object).clone()));
        Self {
            law,
            objects: objects.collect(),
        }
    }

    /// The complete message.
    pub(super) fn text(&self, seed: u64) -> String {
        let mut text = format!("{} (seed {seed})\n", self.law);
        for (name, object) in &self.objects {
            let _ = write!(text, "\n# {name}\n{}", yaml(object));
        }
        text
    }
}

/// An object in a message, without the metadata that only a server sets.
pub(super) fn yaml(object: &Value) -> String {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        let shown = ["name", "namespace", "labels", "annotations"];
        metadata.retain(|name, _| shown.contains(&&**name));
    }
    serde_saphyr::to_string(&object).unwrap_or_else(|_| object.to_string())
}

/// Converts an object of `this` version and back, with a change in between, and returns the fields that `other` cannot
/// represent.
pub(super) fn check(
    this: &Side,
    other: &Side,
    object: &Value,
    rng: &mut Rng,
) -> Result<Vec<Lost>, Broken> {
    let (from, to) = (&*this.version, &*other.version);
    let result = converted(this, other, object)?;
    let unknown = other.custom.unknown(&result);
    let objects = [(from, object), (to, &result)];
    if !unknown.is_empty() {
        let fields = unknown.join(", ");
        let law = format!(
            "an object of {from} has fields in {to} that the schema of {to} lacks: {fields}"
        );
        return Err(Broken::new(law, &objects));
    }
    let invalid = other.custom.invalid(&result);
    if !invalid.is_empty() {
        let why = invalid.join("; ");
        let law = format!("a valid object of {from} is invalid in {to}: {why}");
        return Err(Broken::new(law, &objects));
    }
    let back = converted(other, this, &result)?;
    let back_in = format!("back in {from}");
    let objects = [(from, object), (to, &result), (&*back_in, &back)];
    if back != *object {
        let law = format!(
            "{from} → {to} → {from} does not give the same object: {}",
            difference(object, &back)
        );
        return Err(Broken::new(law, &objects));
    }
    let again = converted(this, other, &back)?;
    if again != result {
        let law = format!(
            "an object of {from} converts differently to {to} the second time, although it was not changed: {}",
            difference(&result, &again)
        );
        let again_in = format!("in {to} again");
        return Err(Broken::new(
            law,
            &[objects[0], objects[1], (&again_in, &again)],
        ));
    }
    change(this, other, &result, rng)?;
    let plain = (this.plain)(object).and_then(|plain| (other.plain)(&plain));
    let written = (this.written)(object);
    match (written, plain) {
        (Ok(written), Ok(plain)) => Ok(this.lost(&written, &plain)),
        (_, Err(error)) | (Err(error), _) => {
            let law =
                format!("an object of {from} cannot be read after its conversion to {to}: {error}");
            Err(Broken::new(law, &objects))
        }
    }
}

/// Changes a converted object, in its current version.
fn change(this: &Side, other: &Side, before: &Value, rng: &mut Rng) -> Result<(), Broken> {
    let (from, to) = (&*this.version, &*other.version);
    let Some(changed) = changed(other, before, rng) else {
        return Ok(());
    };
    let back = converted(other, this, &changed)?;
    let again = converted(this, other, &back)?;
    let changed_in = format!("changed in {to}");
    let back_in = format!("back in {from}");
    let again_in = format!("in {to} again");
    let objects = [
        (to, before),
        (&*changed_in, &changed),
        (&*back_in, &back),
        (&*again_in, &again),
    ];
    let mut unknown = this.custom.unknown(&back);
    unknown.extend(this.custom.misshapen(&back));
    if !unknown.is_empty() {
        let why = unknown.join("; ");
        let law = format!("after a change in {to} an object is invalid in {from}: {why}");
        return Err(Broken::new(law, &objects));
    }
    // The annotation of the other version also has the change.
    let without = |object: &Value| {
        let mut object = object.clone();
        object["metadata"]["annotations"][&this.annotation].take();
        object
    };
    if without(&again) != without(&changed) {
        let law = format!(
            "a change made in {to} is lost after the object was converted to {from} and back: {}",
            difference(&without(&changed), &without(&again))
        );
        return Err(Broken::new(law, &objects));
    }
    let seen = (this.plain)(&back);
    let plain = (other.plain)(&changed).and_then(|plain| (this.plain)(&plain));
    if let (Ok(seen), Ok(plain), Ok(written)) = (seen, plain, (other.written)(&changed)) {
        let usual = other.lost(&written, &plain);
        let unseen = other.lost(&written, &seen).into_iter().find(|lost| {
            let mut known = usual.iter().map(|lost| &lost.path).chain(&other.only);
            !known.any(|known| covers(known, &lost.path))
        });
        if let Some(Lost { path, was, is }) = unseen {
            let law = format!(
                "after a change in {to} an object of {from} does not say the same: {path} of {to} is {}, and {} by what {from} says",
                shown(&was),
                shown(&is),
            );
            return Err(Broken::new(law, &objects));
        }
    }
    Ok(())
}

fn changed(side: &Side, object: &Value, rng: &mut Rng) -> Option<Value> {
    let properties = side.custom.schema()["properties"].as_object()?;
    let names: Vec<_> = properties
        .iter()
        .filter(|(name, _)| object[&**name].is_object() && *name != "metadata")
        .collect();
    for _ in 0..TRIES {
        let (name, schema) = rng.choice(&names)?;
        let mut changed = object.clone();
        mutate(&mut changed[&***name], schema, rng);
        side.custom.fill(&mut changed);
        if changed != *object && side.custom.invalid(&changed).is_empty() {
            return Some(changed);
        }
    }
    None
}

fn converted(from: &Side, to: &Side, object: &Value) -> Result<Value, Broken> {
    let converted = (from.convert)(object);
    let (this, that) = (&*from.version, &*to.version);
    if let Some(why) = converted.unreadable {
        let law = format!(
            "an object that the schema of {this} allows cannot be read as the type of {this}: {why}"
        );
        return Err(Broken::new(law, &[(this, object)]));
    }
    if !converted.lost.is_empty() {
        let law = format!(
            "the fields of {this} that {that} cannot represent do not fit into an annotation"
        );
        return Err(Broken::new(law, &[(this, object)]));
    }
    Ok(converted.object)
}

/// The differences between two objects.
fn difference(left: &Value, right: &Value) -> String {
    let left = serde_json::json!({ "": left });
    let right = serde_json::json!({ "": right });
    let mut paths = Vec::new();
    find(&left[""], &right[""], "", &mut paths);
    paths.truncate(3);
    paths.join("; ")
}

fn find(left: &Value, right: &Value, path: &str, paths: &mut Vec<String>) {
    if left == right {
        return;
    }
    match (left, right) {
        (Value::Object(before), Value::Object(after)) => {
            let added = after.keys().filter(|name| !before.contains_key(*name));
            for name in before.keys().chain(added) {
                find(&left[name], &right[name], &format!("{path}.{name}"), paths);
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (at, (left, right)) in before.iter().zip(after).enumerate() {
                find(left, right, &format!("{path}[{at}]"), paths);
            }
        }
        _ => {
            let path = path.trim_start_matches('.');
            paths.push(format!(
                "{path} was {} and is {}",
                shown(left),
                shown(right)
            ));
        }
    }
}

/// A value in a message.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "absent".to_owned(),
        value => {
            let text = value.to_string();
            match text.char_indices().nth(80) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

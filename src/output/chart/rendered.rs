//! The objects of a chart: those that kustomize gives with all components, each part with the components that it needs.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::objects::{ObjectId, Objects, Parsed, is_crd, is_policy};
use crate::project::layout::DEFAULT;

use super::super::Renderer;
use super::combine::Combiner;
use super::components::{Component, Components, NAMESPACE_WORD, PREFIX_WORD, WORDS};
use super::node::{NAMESPACE, Node, PREFIX, has_mark};
use super::when::When;

/// The component without which nothing converts objects.
const WEBHOOK: &str = "config/webhook";

/// An object of a chart.
#[derive(Clone, Debug)]
pub(super) struct Object {
    /// The object with all components.
    pub(super) value: Value,
    /// The object as `config/default` has it, or the one with all components.
    pub(super) default: Value,
    pub(super) when: When,
    pub(super) node: Node,
}

impl Object {
    pub(super) fn kind(&self) -> &str {
        self.value["kind"].as_str().unwrap_or_default()
    }

    /// The name, without the prefix.
    pub(super) fn name(&self) -> &str {
        without_prefix(&self.value["metadata"]["name"])
    }
}

/// A name, without the prefix.
pub(super) fn without_prefix(name: &Value) -> &str {
    let name = name.as_str().unwrap_or_default();
    match name.strip_prefix(PREFIX) {
        Some(rest) => rest.strip_prefix('-').unwrap_or(rest),
        None => name,
    }
}

/// Manifests to render.
#[derive(Clone, Copy)]
struct Rendering<'a> {
    view: &'a View,
    components: &'a Components,
    /// What renders them where that is not known here.
    renderer: Option<Renderer<'a>>,
    parsed: &'a Parsed,
}

/// Why manifests are not rendered, and the way out.
struct Unrendered {
    reason: String,
    hint: &'static str,
}

/// What several renderings give.
struct Combined {
    objects: Vec<Object>,
    /// Whether a condition is a guess.
    is_guess: bool,
    /// Components that give one part different values.
    rivals: BTreeSet<usize>,
}

/// Of so many components, each set is rendered if they give one part different values.
const MOST_RIVALS: usize = 6;

/// So many components can be switched: each is rendered with and without the others.
const MOST_COMPONENTS: usize = 64;

/// The way out of what is not rendered.
const OTHERWISE: &str = "write that part of `config/` in another way, move it to an overlay around `config/default`, which \
                         the chart leaves out, or delete the folder of the chart";

/// The way out where there is no kubectl.
const WITH_KUBECTL: &str = "install kubectl, which renders it; or move it to an overlay around `config/default`, which the \
                            chart leaves out";

/// Renders `config/default` as it is, with all components, with none, and without each; and, where that does not tell which
/// of them bring a part, with each alone and with each more or less than there is; and with each set of those that give
/// one part different values.
///
/// Components that are off and are not rendered are left out, with a note.
///
/// # Errors
/// The manifests cannot be rendered in memory.
pub(super) fn objects(
    view: &View,
    components: &mut Components,
    renderer: Option<Renderer<'_>>,
    notes: &mut Vec<String>,
) -> Result<Vec<Object>> {
    let count = components.all.len();
    if count > MOST_COMPONENTS {
        let message = format!(
            "no chart can be generated: `config/` has {count} components, and a chart has values for {MOST_COMPONENTS} \
             at most"
        );
        return Err(Error::new(Code::KustomizeFailed, message).hint(
            "combine components, or move them out of `config/`, for example into overlays around `config/default`",
        ));
    }
    let mut rendered = BTreeMap::new();
    let parsed = Parsed::default();
    let every = vec![true; components.all.len()];
    let unchecked = Rendering {
        view,
        components,
        renderer,
        parsed: &parsed,
    };
    match unchecked.objects(&every) {
        Ok(objects) => drop(rendered.insert(every, objects)),
        Err(_) => components.all = unchecked.rendered(notes)?,
    }
    let components = &*components;
    let source = Rendering {
        view,
        components,
        renderer,
        parsed: &parsed,
    };
    let all = &components.all;
    let listed = components.listed();
    let toggled = |row: &[bool], number: usize| {
        let mut row = row.to_vec();
        row[number] = !row[number];
        row
    };
    let (full, none) = (vec![true; all.len()], vec![false; all.len()]);
    let numbers = 0..all.len();
    let mut rows = vec![full.clone(), none.clone(), listed.clone()];
    rows.extend(numbers.clone().map(|number| toggled(&full, number)));
    let first = source.combined(&rows, &mut rendered)?;
    if !first.is_guess {
        return Ok(first.objects);
    }
    for row in [none.clone(), listed] {
        rows.extend(numbers.clone().map(|number| toggled(&row, number)));
    }
    let second = source.combined(&rows, &mut rendered)?;
    let rivals: Vec<usize> = second.rivals.into_iter().collect();
    if rivals.len() < 3 || rivals.len() > MOST_RIVALS {
        return Ok(second.objects);
    }
    for set in 0..1_usize << rivals.len() {
        let mut row = none.clone();
        for (place, number) in rivals.iter().enumerate() {
            row[*number] = set >> place & 1 == 1;
        }
        rows.push(row);
    }
    Ok(source.combined(&rows, &mut rendered)?.objects)
}

impl Rendering<'_> {
    /// The objects of several renderings, each of which has other components, and what that tells.
    fn combined(
        &self,
        rows: &[Vec<bool>],
        rendered: &mut BTreeMap<Vec<bool>, Objects>,
    ) -> Result<Combined> {
        let all = &self.components.all;
        let mut rows: Vec<Vec<bool>> = rows.iter().map(|row| possible(row, all)).collect();
        let count = |row: &Vec<bool>| row.iter().filter(|is_on| **is_on).count();
        rows.sort_by(|one, other| (count(other), other).cmp(&(count(one), one)));
        rows.dedup();
        for row in &rows {
            if !rendered.contains_key(row) {
                rendered.insert(row.clone(), self.render(row)?);
            }
        }
        let variants: Vec<&Objects> = rows.iter().map(|row| &rendered[row]).collect();
        let mut ids: Vec<ObjectId> = Vec::new();
        let mut found: HashMap<ObjectId, Vec<(usize, &Value)>> = HashMap::new();
        for (number, variant) in variants.iter().enumerate() {
            for object in variant.iter() {
                let id = ObjectId::of(object);
                let values = found.entry(id.clone()).or_insert_with(|| {
                    ids.push(id);
                    Vec::new()
                });
                if values.last().is_none_or(|(last, _)| *last != number) {
                    values.push((number, object));
                }
            }
        }
        let listed = possible(&self.components.listed(), all);
        let listed = rows.iter().position(|row| *row == listed);
        let switches: Vec<_> = all.iter().map(Component::switch).collect();
        let combiner = Combiner {
            switches: &switches,
            rows: &rows,
            is_guess: Cell::default(),
            rivals: RefCell::default(),
        };
        let around: Vec<usize> = (0..variants.len()).collect();
        let mut objects = Vec::new();
        for id in ids {
            let values = &found[&id];
            let (_, value) = values[0];
            let default = values.iter().find(|(number, _)| Some(*number) == listed);
            let (_, default) = default.unwrap_or(&values[0]);
            let members = combiner.member(&around, values).into_iter();
            objects.extend(members.map(|(when, node)| Object {
                value: value.clone(),
                default: (*default).clone(),
                when,
                node,
            }));
        }
        Ok(Combined {
            objects,
            is_guess: combiner.is_guess.get(),
            rivals: combiner.rivals.into_inner(),
        })
    }

    fn render(&self, row: &[bool]) -> Result<Objects> {
        self.objects(row).map_err(|Unrendered { reason, hint }| {
            let message = format!("no chart can be generated: {reason}");
            Error::new(Code::KustomizeFailed, message).hint(hint)
        })
    }

    /// The objects with some components.
    fn objects(&self, row: &[bool]) -> Result<Objects, Unrendered> {
        let components = self.components;
        let is_on = |component: &Component| {
            let mut all = components.all.iter().zip(row);
            all.any(|(other, is_on)| other == component && *is_on)
        };
        let unrendered = |reason| Unrendered {
            reason,
            hint: OTHERWISE,
        };
        let view = components
            .view(self.view, is_on)
            .map_err(|error| unrendered(chain(&error)))?;
        let mut objects = match Objects::in_memory_with(&view, DEFAULT, self.parsed) {
            Ok(objects) => objects,
            Err(place) => self.elsewhere(&view, &place)?,
        };
        if let Some(object) = objects.iter().find(|object| has_mark(object)) {
            let id = ObjectId::of(object);
            return Err(unrendered(format!(
                "{id} has the character U+E000 or U+E001, which stands for a name in charts"
            )));
        }
        objects.change(remove_namespace);
        // kustomize does not change selectors of namespaces.
        if let Some(namespace) = components.namespace() {
            objects.move_references(namespace, NAMESPACE_WORD);
        }
        objects.change(mark);
        let has_webhook = |component: &Component| component.folder == WEBHOOK;
        if components
            .all
            .iter()
            .any(|component| has_webhook(component) && !is_on(component))
        {
            objects.change(remove_conversion);
        }
        Ok(objects)
    }

    /// The objects of a place that is not rendered in memory.
    fn elsewhere(&self, view: &View, place: &str) -> Result<Objects, Unrendered> {
        let unrendered = |reason, hint| Unrendered { reason, hint };
        let reason = format!("rop does not render {place}");
        let Some(renderer) = self.renderer else {
            return Err(unrendered(reason, OTHERWISE));
        };
        renderer.render(view).map_err(|error| {
            let hint = match error.code() {
                Code::KubectlMissing => WITH_KUBECTL,
                _ => OTHERWISE,
            };
            let mut cause = chain(&error);
            // What says that kubectl is needed says for what.
            if !cause.contains(&reason) {
                cause = format!("{reason}: {cause}");
            }
            unrendered(cause, hint)
        })
    }

    /// The components without those that are off and are not rendered: kubectl does not read them either.
    fn rendered(&self, notes: &mut Vec<String>) -> Result<Vec<Component>> {
        let all = &self.components.all;
        let listed = self.components.listed();
        self.render(&possible(&listed, all))?;
        let mut kept = listed.clone();
        let with = |row: &[bool], number: usize| {
            let mut row = row.to_vec();
            row[number] = true;
            self.objects(&possible(&row, all)).map(drop)
        };
        let numbers = (0..all.len()).filter(|number| !listed[*number]);
        let mut alone = Vec::new();
        for number in numbers {
            match with(&listed, number) {
                Ok(()) => alone.push(number),
                Err(Unrendered { reason, .. }) => {
                    let name = all[number].name();
                    notes.push(format!("the chart leaves out `config/{name}`: {reason}"));
                }
            }
        }
        let mut together = listed.clone();
        for number in &alone {
            together[*number] = true;
        }
        // Only those that conflict are rendered once more.
        if self.objects(&possible(&together, all)).is_ok() {
            kept = together;
            alone.clear();
        }
        for number in alone {
            let name = all[number].name();
            if let Err(Unrendered { reason, .. }) = with(&kept, number) {
                let conflicts = |other: &usize| {
                    let mut pair = listed.clone();
                    pair[*other] = true;
                    !listed[*other] && kept[*other] && with(&pair, number).is_err()
                };
                let other = (0..all.len()).find(conflicts);
                let other = other.map_or_else(String::new, |other| {
                    format!(
                        ", which cannot be on together with `config/{}`",
                        all[other].name()
                    )
                });
                notes.push(format!(
                    "the chart leaves out `config/{name}`{other}: {reason}"
                ));
            } else {
                kept[number] = true;
            }
        }
        let components = all.iter().zip(kept).filter(|(_, is_kept)| *is_kept);
        Ok(components.map(|(component, _)| component.clone()).collect())
    }
}

/// An error with its causes, in a line.
fn chain(error: &Error) -> String {
    error.chain().collect::<Vec<_>>().join(": ")
}

/// The components that are on, without those that make no sense without another.
fn possible(row: &[bool], all: &[Component]) -> Vec<bool> {
    let is_off = |other: usize| !row[other];
    let lacks = |component: &Component| {
        (0..all.len()).any(|other| is_off(other) && component.requires(&all[other]))
    };
    let on = all.iter().enumerate();
    on.map(|(number, component)| row[number] && !lacks(component))
        .collect()
}

/// kustomize takes policies, which it does not know, for objects in the namespace.
fn remove_namespace(object: &mut Value) {
    if is_policy(object)
        && let Some(metadata) = object["metadata"].as_object_mut()
    {
        metadata.shift_remove("namespace");
    }
}

/// Puts marks in place of the words that stand for them.
fn mark(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(WORDS) => {
            let marked = text.replace(PREFIX_WORD, &PREFIX.to_string());
            *text = marked.replace(NAMESPACE_WORD, &NAMESPACE.to_string());
        }
        Value::Array(items) => items.iter_mut().for_each(mark),
        Value::Object(fields) => fields.values_mut().for_each(mark),
        _ => {}
    }
}

/// Nothing converts objects without webhooks.
fn remove_conversion(object: &mut Value) {
    if is_crd(object)
        && object["spec"]["conversion"]["strategy"] == "Webhook"
        && let Some(spec) = object["spec"].as_object_mut()
    {
        spec.shift_remove("conversion");
    }
}

//! Several renderings of the same manifests as one tree: what a rendering without a component does not have belongs to
//! that component.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::node::{Child, Node};
use super::when::{Test, When};

/// A value as a rendering has it. The number is that of the component that the rendering leaves out, and 0 the rendering
/// that has all.
type Variant<'a> = (usize, &'a Value);

/// Combines renderings.
pub(super) struct Combiner<'a> {
    /// What switches each component, from 1.
    pub(super) switches: &'a [String],
}

impl Combiner<'_> {
    /// The ways that a member can be, each with its condition: none of them hold together. `around` has the renderings
    /// that have what is around the member.
    pub(super) fn member(&self, around: &[usize], variants: &[Variant<'_>]) -> Vec<(When, Node)> {
        let missing: Vec<usize> = around
            .iter()
            .copied()
            .filter(|number| variants.iter().all(|(other, _)| other != number))
            .collect();
        let Some((_, full)) = variants.iter().find(|(number, _)| *number == 0) else {
            // Only without a component.
            let numbers = variants.iter().map(|(number, _)| *number);
            let when = When::from_iter([self.any_off(numbers)]);
            return variants
                .first()
                .map(|(_, value)| (when, Node::of(value)))
                .into_iter()
                .collect();
        };
        let present: When = missing.iter().map(|number| self.on(*number)).collect();
        if variants.iter().all(|(_, value)| value == full) {
            return vec![(present, Node::of(full))];
        }
        if variants.iter().all(|(_, value)| value.is_object()) {
            return vec![(present, self.map(variants))];
        }
        if variants.iter().all(|(_, value)| value.is_array()) {
            return vec![(present, self.list(variants))];
        }
        self.alternatives(&present, full, variants)
    }

    /// The values of a member that a component replaces.
    fn alternatives(
        &self,
        present: &When,
        full: &Value,
        variants: &[Variant<'_>],
    ) -> Vec<(When, Node)> {
        let mut groups: Vec<(&Value, Vec<usize>)> = Vec::new();
        for (number, value) in variants.iter().filter(|(_, value)| *value != full) {
            match groups.iter_mut().find(|(other, _)| other == value) {
                Some((_, numbers)) => numbers.push(*number),
                None => groups.push((value, vec![*number])),
            }
        }
        let mut all = Vec::new();
        let mut others = present.clone();
        for (value, numbers) in groups {
            let mut when = others.clone();
            when.add(self.any_off(numbers.iter().copied()));
            all.push((when, Node::of(value)));
            for number in numbers {
                others.add(self.on(number));
            }
        }
        all.push((others, Node::of(full)));
        all
    }

    fn map(&self, variants: &[Variant<'_>]) -> Node {
        let mut keys: Vec<&String> = Vec::new();
        for (_, value) in variants {
            let fields = value.as_object().into_iter().flatten();
            insert_in_order(&mut keys, fields.map(|(key, _)| key));
        }
        let around: Vec<usize> = variants.iter().map(|(number, _)| *number).collect();
        let mut children = Vec::new();
        for key in keys {
            let values: Vec<Variant<'_>> = variants
                .iter()
                .filter_map(|(number, value)| Some((*number, value.get(key)?)))
                .collect();
            let members = self.member(&around, &values).into_iter();
            children.extend(members.map(|(when, node)| Child::new(key, node).when(when)));
        }
        Node::Map(children)
    }

    fn list(&self, variants: &[Variant<'_>]) -> Node {
        let lists: Vec<(usize, BTreeMap<Identity, &Value>)> = variants
            .iter()
            .map(|(number, value)| (*number, identified(value)))
            .collect();
        let mut all: Vec<Identity> = Vec::new();
        for (_, value) in variants {
            insert_in_order(&mut all, identities(value).into_iter());
        }
        let around: Vec<usize> = variants.iter().map(|(number, _)| *number).collect();
        let mut children = Vec::new();
        for identity in all {
            let values: Vec<Variant<'_>> = lists
                .iter()
                .filter_map(|(number, items)| Some((*number, *items.get(&identity)?)))
                .collect();
            let members = self.member(&around, &values).into_iter();
            children.extend(members.map(|(when, node)| Child::new("", node).when(when)));
        }
        Node::List(children)
    }

    fn on(&self, number: usize) -> Test {
        Test::On(self.switches[number - 1].clone())
    }

    fn any_off(&self, numbers: impl Iterator<Item = usize>) -> Test {
        Test::AnyOff(
            numbers
                .map(|number| self.switches[number - 1].clone())
                .collect(),
        )
    }
}

/// What makes two members of lists the same one: their name or their content, and how often it was there before.
type Identity = (String, usize);

fn identities(list: &Value) -> Vec<Identity> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let names: BTreeSet<&str> = items
        .iter()
        .filter_map(|item| item["name"].as_str())
        .collect();
    let is_named = names.len() == items.len();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let identity = |item: &Value| {
        let text = match item["name"].as_str().filter(|_| is_named) {
            Some(name) => name.to_owned(),
            None => item.to_string(),
        };
        let count = seen.entry(text.clone()).or_default();
        *count += 1;
        (text, *count)
    };
    items.iter().map(identity).collect()
}

fn identified(list: &Value) -> BTreeMap<Identity, &Value> {
    let items = list.as_array().into_iter().flatten();
    identities(list).into_iter().zip(items).collect()
}

/// Adds what is not there yet, each behind the one that it follows.
fn insert_in_order<T: PartialEq>(all: &mut Vec<T>, more: impl Iterator<Item = T>) {
    let mut place = 0;
    for item in more {
        if let Some(found) = all.iter().position(|other| *other == item) {
            place = found + 1;
        } else {
            all.insert(place, item);
            place += 1;
        }
    }
}

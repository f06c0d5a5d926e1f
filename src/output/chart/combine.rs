//! Several renderings of the same manifests as one tree: which components a part belongs to is learnt from the renderings
//! that have it and those that do not.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::node::{Child, Node};
use super::when::When;

/// A value as a rendering has it, by its number.
type Variant<'a> = (usize, &'a Value);

/// Combines renderings.
pub(super) struct Combiner<'a> {
    /// What switches each component.
    pub(super) switches: &'a [String],
    /// Which components each rendering has, those with the most first.
    pub(super) rows: &'a [Vec<bool>],
    /// Whether a condition holds in more cases, or in fewer, than the renderings show.
    pub(super) is_guess: Cell<bool>,
    /// Components that give one part different values.
    pub(super) rivals: RefCell<BTreeSet<usize>>,
}

/// Which components a part needs: each of `all`, one of `any` if there are any, and none of `none`.
#[derive(Default)]
struct Condition {
    all: Vec<usize>,
    any: Vec<usize>,
    none: Vec<usize>,
}

impl Condition {
    fn holds(&self, row: &[bool]) -> bool {
        self.all.iter().all(|number| row[*number])
            && (self.any.is_empty() || self.any.iter().any(|number| row[*number]))
            && self.none.iter().all(|number| !row[*number])
    }
}

impl Combiner<'_> {
    /// The ways that a member can be, each with its condition: none of them hold together. `around` has the renderings
    /// that have what is around the member.
    pub(super) fn member(&self, around: &[usize], variants: &[Variant<'_>]) -> Vec<(When, Node)> {
        let values: BTreeMap<usize, &Value> = variants.iter().copied().collect();
        let merges = variants.iter().all(|(_, value)| value.is_object())
            || variants.iter().all(|(_, value)| value.is_array());
        let is_same = |left: usize, right: usize| match (values.get(&left), values.get(&right)) {
            (Some(left), Some(right)) => merges || left == right,
            (left, right) => left.is_none() && right.is_none(),
        };
        if !merges {
            self.note_rivals(around, &values);
        }
        let (mut rows, mut before) = (around.to_vec(), When::default());
        let mut all = Vec::new();
        while let Some(top) = rows.first().copied() {
            let condition = self.condition(&rows, |row| is_same(top, row));
            let (inside, outside): (Vec<_>, Vec<_>) = rows
                .iter()
                .partition(|row| condition.holds(&self.rows[**row]));
            let when = self.when(&condition);
            let inside: Vec<Variant<'_>> = inside
                .iter()
                .filter_map(|row| Some((*row, *values.get(row)?)))
                .collect();
            if !inside.is_empty() {
                all.push((before.clone().and(&when), self.node(&inside)));
            }
            before = before.and(&when.negated());
            rows = outside;
        }
        all.reverse();
        all
    }

    /// Notes the components that decide about a part, if it is there in more than two ways: each pair of them may give it
    /// another one.
    fn note_rivals(&self, around: &[usize], values: &BTreeMap<usize, &Value>) {
        let mut ways: Vec<Option<&&Value>> = Vec::new();
        for row in around {
            let way = values.get(row);
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        if ways.len() < 3 {
            return;
        }
        for (index, first) in around.iter().enumerate() {
            for second in &around[index + 1..] {
                let pairs = self.rows[*first].iter().zip(&self.rows[*second]);
                let mut differing = pairs.enumerate().filter(|(_, (left, right))| left != right);
                if let (Some((number, _)), None) = (differing.next(), differing.next())
                    && values.get(first) != values.get(second)
                {
                    self.rivals.borrow_mut().insert(number);
                }
            }
        }
    }

    /// The value that renderings have, in one tree if they differ.
    fn node(&self, variants: &[Variant<'_>]) -> Node {
        let (_, first) = variants[0];
        if variants.iter().all(|(_, value)| *value == first) {
            Node::of(first)
        } else if first.is_object() {
            self.map(variants)
        } else {
            self.list(variants)
        }
    }

    /// A condition that holds in the first of some renderings, and in none that is different.
    fn condition(&self, rows: &[usize], is_same: impl Fn(usize) -> bool) -> Condition {
        let (same, others): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| is_same(**row));
        if others.is_empty() {
            return Condition::default();
        }
        let is_on = |row: usize, number: usize| self.rows[row][number];
        let numbers = || 0..self.switches.len();
        let decides = |number: usize| {
            let first = is_on(rows[0], number);
            rows.iter().any(|row| is_on(*row, number) != first)
        };
        // What each rendering of these has is needed.
        let needed: Vec<usize> = numbers()
            .filter(|number| decides(*number) && same.iter().all(|row| is_on(*row, *number)))
            .collect();
        let mut condition = Condition {
            all: needed,
            ..Condition::default()
        };
        let lacking: Vec<usize> = others
            .into_iter()
            .filter(|row| condition.holds(&self.rows[*row]))
            .collect();
        // The first of all was rendered without each component, so what it needs is certain.
        if rows[0] != 0 || !lacking.is_empty() {
            self.is_guess.set(true);
        }
        if lacking.is_empty() {
            return condition;
        }
        // Where it lacks, nothing that is on brings it.
        condition.any = numbers()
            .filter(|number| {
                is_on(rows[0], *number) && lacking.iter().all(|row| !is_on(*row, *number))
            })
            .collect();
        if condition.any.is_empty() {
            let (all, none) = numbers()
                .filter(|number| decides(*number))
                .partition(|number| is_on(rows[0], *number));
            condition = Condition {
                all,
                none,
                ..Condition::default()
            };
        }
        condition
    }

    fn when(&self, condition: &Condition) -> When {
        let switch = |number: &usize| self.switches[*number].clone();
        let mut when = condition.all.iter().fold(When::default(), |when, number| {
            when.and(&When::on(&switch(number)))
        });
        if !condition.any.is_empty() {
            when = when.and(&When::any_on(condition.any.iter().map(switch).collect()));
        }
        condition.none.iter().fold(when, |when, number| {
            when.and(&When::on(&switch(number)).negated())
        })
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

//! The fields that a value has, those of its flattened fields among them.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;

use super::definition::{Field, Fields, Shape, Style};
use super::expression::Expression;
use super::krate::written;
use super::ty::Ty;
use super::way::Way;

/// The fields that a value has.
pub(super) struct Source<'a> {
    pub(super) fields: &'a Fields,
    /// What comes before the name of a field, such as `value.`.
    pub(super) prefix: &'static str,
    by_json: BTreeMap<&'a str, Vec<&'a Field>>,
    by_name: BTreeMap<&'a str, Vec<&'a Field>>,
}

impl<'a> Source<'a> {
    /// The fields, each after a prefix.
    pub(super) fn new(fields: &'a Fields, prefix: &'static str) -> Self {
        let mut source = Self {
            fields,
            prefix,
            by_json: BTreeMap::new(),
            by_name: BTreeMap::new(),
        };
        for field in &fields.list {
            source.by_json.entry(&field.json).or_default().push(field);
            source.by_name.entry(&field.name).or_default().push(field);
        }
        source
    }

    /// The fields that are one of the other version. `taken` are the names in objects of all of that version.
    pub(super) fn same(&self, field: &Field, taken: &BTreeSet<&str>) -> Vec<&'a Field> {
        let mut same = self
            .by_json
            .get(field.json.as_str())
            .cloned()
            .unwrap_or_default();
        same.retain(|other| other.is_flat == field.is_flat);
        if same.is_empty() || field.is_flat {
            // One that is called otherwise in objects.
            same = self
                .by_name
                .get(field.name.as_str())
                .cloned()
                .unwrap_or_default();
            same.retain(|other| {
                other.is_flat == field.is_flat
                    && (other.is_flat || !taken.contains(other.json.as_str()))
            });
        }
        if same.len() > 1 {
            same.retain(|other| other.cfg == field.cfg);
        }
        same
    }
}

/// Where a field is among the flattened ones.
pub(super) enum Leaf {
    At(Expression, Ty),
    /// It may be in this one, which is not understood.
    Unclear(String),
    Nowhere,
}

impl Way<'_> {
    /// Looks for the field of a name in the flattened ones.
    pub(super) fn in_flat(&self, fields: &Fields, prefix: &str, json: &str) -> Result<Leaf> {
        for flat in fields.list.iter().filter(|candidate| candidate.is_flat) {
            let path = format!("{prefix}{}", written(&flat.name));
            let definition = self.pairs.definitions.get(&flat.ty)?;
            let shape = definition.as_ref().map(|definition| &definition.shape);
            let Some(Shape::Struct(inner)) = shape else {
                return Ok(Leaf::Unclear(path));
            };
            let is_seen =
                |candidate: &Field| candidate.visibility.reaches(&self.pairs.place.module);
            let mut same = inner
                .list
                .iter()
                .filter(|candidate| candidate.json == json && !candidate.is_flat);
            if let Some(candidate) = same.next() {
                let is_plain =
                    candidate.cfg.is_empty() && flat.cfg.is_empty() && is_seen(candidate);
                if !is_plain || same.next().is_some() {
                    return Ok(Leaf::Unclear(path));
                }
                let value = Expression::Plain(format!("{path}.{}", written(&candidate.name)));
                return Ok(Leaf::At(value, candidate.ty.clone()));
            }
            if inner.style != Style::Named {
                return Ok(Leaf::Unclear(path));
            }
            match self.in_flat(inner, &format!("{path}."), json)? {
                Leaf::Nowhere => {}
                leaf => return Ok(leaf),
            }
        }
        Ok(Leaf::Nowhere)
    }
}

//! Which types of the two versions become each other.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::error::Result;

use super::definition::{Definition, Definitions, Fields, Shape, Style};
use super::module::Path;
use super::ty::Ty;
use super::visible::Place;
use crate::rustfmt::{CALL_WIDTH, WIDTH};

/// How deep the arguments of types can be nested: those of recursive types can grow without end.
const DEPTH: usize = 16;

/// How long the name of a type can be: one line of a conversion has it, after 15 other characters.
const NAME_WIDTH: usize = WIDTH - 16;

/// How long it can be with a tuple in it.
const TUPLE_WIDTH: usize = CALL_WIDTH;

/// A type of the older version, and the one of the newer version that it becomes.
pub(super) type Pair = (Ty, Ty);

/// The types that become each other.
pub(super) struct Pairs<'a> {
    pub(super) definitions: Definitions<'a>,
    pub(super) place: Place<'a>,
    /// The conversions that somebody wrote, each from what and to what.
    pub(super) written: BTreeSet<(Ty, Ty)>,
    /// What was found out, or why they cannot become each other.
    known: RefCell<BTreeMap<Pair, Result<(), String>>>,
    /// Those whose conversions are still to be written.
    waiting: RefCell<Vec<Pair>>,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(
        definitions: Definitions<'a>,
        place: Place<'a>,
        written: BTreeSet<(Ty, Ty)>,
    ) -> Self {
        Self {
            definitions,
            place,
            written,
            known: RefCell::default(),
            waiting: RefCell::default(),
        }
    }

    /// One whose conversion is still to be written.
    pub(super) fn next(&self) -> Option<Pair> {
        self.waiting.borrow_mut().pop()
    }

    /// Sees that two types become each other, or says why they cannot.
    pub(super) fn join(&self, older: &Ty, newer: &Ty) -> Result<Result<(), String>> {
        let pair = (older.clone(), newer.clone());
        if let Some(known) = self.known.borrow().get(&pair) {
            return Ok(known.clone());
        }
        let outcome = self.compare(older, newer)?;
        if outcome.is_ok() {
            self.waiting.borrow_mut().push(pair.clone());
        }
        self.known.borrow_mut().insert(pair, outcome.clone());
        Ok(outcome)
    }

    fn compare(&self, older: &Ty, newer: &Ty) -> Result<Result<(), String>> {
        if let Some(why) = older.unknown().or(newer.unknown()) {
            return Ok(Err(why.to_owned()));
        }
        if older.depth().max(newer.depth()) > DEPTH {
            return Ok(Err("its arguments are nested too deep".to_owned()));
        }
        let definitions = (self.definitions.get(older)?, self.definitions.get(newer)?);
        let (Some(left), Some(right)) = definitions else {
            return Ok(Err("its definition is not understood".to_owned()));
        };
        if let Err(why) = fit(&left, &right) {
            return Ok(Err(why));
        }
        for (ty, definition) in [(older, &left), (newer, &right)] {
            match self.place.written(ty)? {
                Err(why) => return Ok(Err(why)),
                Ok(name)
                    if name.len() > NAME_WIDTH
                        || (name.contains('(') && name.len() > TUPLE_WIDTH) =>
                {
                    return Ok(Err("its name is too long for a line".to_owned()));
                }
                Ok(_) => {}
            }
            if let Some(why) = self.hidden(ty, definition) {
                return Ok(Err(why));
            }
        }
        Ok(Ok(()))
    }

    /// Why a struct cannot be taken apart.
    fn hidden(&self, ty: &Ty, definition: &Definition) -> Option<String> {
        let Shape::Struct(fields) = &definition.shape else {
            return None;
        };
        let mut fields = fields.list.iter();
        let field = fields.find(|field| !field.visibility.reaches(&self.place.module))?;
        Some(format!(
            "the field `{}` of `{ty}` is private to `{}`: make it `pub`, or write `From` for `{ty}` there",
            field.name, definition.file
        ))
    }

    /// Where the conversion of a pair is written: in the order of the newer version's types.
    pub(super) fn rank(&self, pair: &Pair) -> Result<(bool, Path, usize, Pair)> {
        let definition = self.definitions.get(&pair.1)?;
        let (is_root, position) = definition.map_or((false, 0), |definition| {
            let is_root = matches!(definition.shape, Shape::Root(..));
            (is_root, definition.position)
        });
        let module = match &pair.1 {
            Ty::Own(path, _) => path[..path.len() - 1].to_vec(),
            _ => Path::new(),
        };
        Ok((!is_root, module, position, pair.clone()))
    }
}

/// Why two types cannot become each other by their shapes.
fn fit(left: &Definition, right: &Definition) -> Result<(), String> {
    let is_named_so = left.path.last() == right.path.last();
    let has_common = |left: &[&str], right: &[&str]| {
        let left: BTreeSet<_> = left.iter().collect();
        right.iter().any(|name| left.contains(name)) || (left.is_empty() && right.is_empty())
    };
    let is_same = match (&left.shape, &right.shape) {
        (Shape::Struct(left), Shape::Struct(right)) => {
            let is_numbered = |fields: &Fields| fields.style == Style::Numbered;
            if is_numbered(left) != is_numbered(right) {
                return Err("only one has named fields".to_owned());
            }
            if is_numbered(left) && left.list.len() != right.list.len() {
                let (left, right) = (left.list.len(), right.list.len());
                return Err(format!("one has {left} fields, the other {right}"));
            }
            let names = |fields: &'_ Fields| -> Vec<String> {
                fields.list.iter().map(|field| field.json.clone()).collect()
            };
            let (left, right) = (names(left), names(right));
            let (left, right): (Vec<_>, Vec<_>) = (
                left.iter().map(String::as_str).collect(),
                right.iter().map(String::as_str).collect(),
            );
            has_common(&left, &right)
        }
        (Shape::Enum(left), Shape::Enum(right)) => {
            if left.is_empty() != right.is_empty() {
                return Err("only one has variants".to_owned());
            }
            let left: Vec<_> = left.iter().map(|variant| variant.json.as_str()).collect();
            let right: Vec<_> = right.iter().map(|variant| variant.json.as_str()).collect();
            has_common(&left, &right)
        }
        (Shape::Root(..), Shape::Root(..)) => true,
        _ => return Err("one is a struct, the other an enum".to_owned()),
    };
    if is_same || is_named_so {
        Ok(())
    } else {
        Err("no field or variant in common".to_owned())
    }
}

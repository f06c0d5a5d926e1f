//! Values of one version as values of the other one.

use crate::error::Result;

use super::expression::Expression;
use super::pairs::Pairs;
use super::ty::Ty;

/// A value, or why there is none.
pub(super) type Value = Result<Expression, String>;

/// How deep types can be nested in each other.
const DEPTH: usize = 64;

/// From one version to the other.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) pairs: &'a Pairs<'a>,
    /// What the versions are called.
    pub(super) from: &'a str,
    pub(super) to: &'a str,
    /// Whether it leads to the newer one.
    pub(super) is_up: bool,
}

/// Types that are applied to an item, and are made from an iterator.
const LISTS: [&[&str]; 4] = [
    &["Vec"],
    &["std::collections::VecDeque"],
    &["std::collections::LinkedList"],
    &[
        "std::collections::BTreeSet",
        "std::collections::HashSet",
        "indexmap::IndexSet",
    ],
];

/// Types that are applied to a key and a value, and are made from an iterator.
const MAPS: [&str; 3] = [
    "std::collections::BTreeMap",
    "std::collections::HashMap",
    "indexmap::IndexMap",
];

/// Integers, each with how many bits it has, and whether it has a sign.
const INTEGERS: [(&str, u8, bool); 10] = [
    ("u8", 8, false),
    ("u16", 16, false),
    ("u32", 32, false),
    ("u64", 64, false),
    ("u128", 128, false),
    ("i8", 8, true),
    ("i16", 16, true),
    ("i32", 32, true),
    ("i64", 64, true),
    ("i128", 128, true),
];

impl Way<'_> {
    /// A value of one type as one of another.
    pub(super) fn convert(&self, value: Expression, from: &Ty, to: &Ty) -> Result<Value> {
        self.convert_in(value, from, to, 0)
    }

    fn convert_in(&self, value: Expression, from: &Ty, to: &Ty, depth: usize) -> Result<Value> {
        if let Some(why) = from.unknown().or(to.unknown()) {
            return Ok(Err(why.to_owned()));
        }
        if from == to {
            return Ok(Ok(value));
        }
        if self.pairs.written.contains(&(from.clone(), to.clone())) {
            return Ok(Ok(value.method("into", Vec::new())));
        }
        if depth > DEPTH {
            return Ok(Err("it is nested too deep".to_owned()));
        }
        let depth = depth + 1;
        let outcome = match (from, to) {
            (Ty::Own(..), Ty::Own(..)) => {
                let (older, newer) = if self.is_up { (from, to) } else { (to, from) };
                match self.pairs.join(older, newer)? {
                    Ok(()) => return Ok(Ok(value.method("into", Vec::new()))),
                    Err(why) => Err(why),
                }
            }
            (Ty::Outer(left, arguments), Ty::Outer(right, others)) => {
                self.outer(value.clone(), (left, arguments), (right, others), depth)?
            }
            (Ty::Array(left, length), Ty::Array(right, same)) if length == same => {
                self.mapped(value.clone(), left, right, depth)?
            }
            (Ty::Tuple(left), Ty::Tuple(right)) if left.len() == right.len() => {
                let mut items = Vec::new();
                for (index, (left, right)) in left.iter().zip(right).enumerate() {
                    let item = value.clone().field(&index.to_string());
                    match self.convert_in(item, left, right, depth)? {
                        Ok(item) => items.push(item),
                        Err(why) => return Ok(Err(why)),
                    }
                }
                Ok(Expression::Tuple(items))
            }
            _ => Err(String::new()),
        };
        let Err(why) = outcome else {
            return Ok(outcome);
        };
        // What is the same in objects may have another form in Rust.
        let around = self.wrapped(value, from, to, depth)?;
        Ok(around.map_err(|other| if why.is_empty() { other } else { why }))
    }

    fn outer(
        &self,
        value: Expression,
        (left, arguments): (&str, &[Ty]),
        (right, others): (&str, &[Ty]),
        depth: usize,
    ) -> Result<Value> {
        let is_same = |known: &[&str]| known.contains(&left) && known.contains(&right);
        let (Some(from), Some(to)) = (arguments.first(), others.first()) else {
            return Ok(if wider(left, right) {
                Ok(value.method("into", Vec::new()))
            } else {
                Err(String::new())
            });
        };
        if left == "Option" && right == "Option" {
            return self.mapped(value, from, to, depth);
        }
        if left == "Box" && right == "Box" {
            let inner = self.convert_in(value.unboxed(), from, to, depth)?;
            return Ok(inner.map(|inner| Expression::Call("Box::new".to_owned(), vec![inner])));
        }
        let items = value.method("into_iter", Vec::new());
        if LISTS.iter().any(|known| is_same(known)) && arguments[1..] == others[1..] {
            let items = if from == to {
                Ok(items)
            } else {
                self.mapped(items, from, to, depth)?
            };
            return Ok(items.map(|items| items.method("collect", Vec::new())));
        }
        if is_same(&MAPS)
            && let ([_, from_value, ..], [_, to_value, ..]) = (arguments, others)
        {
            let name = |name: &str| Expression::Plain(name.to_owned());
            let key = self.convert_in(name("key"), from, to, depth)?;
            let converted = self.convert_in(name("value"), from_value, to_value, depth)?;
            let (key, converted) = match (key, converted) {
                (Ok(key), Ok(converted)) => (key, converted),
                (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
            };
            let is_unchanged = key == name("key") && converted == name("value");
            let items = if is_unchanged {
                items
            } else {
                let pair = Box::new(Expression::Tuple(vec![key, converted]));
                let function = Expression::Closure("(key, value)", pair);
                items.method("map", vec![function])
            };
            return Ok(Ok(items.method("collect", Vec::new())));
        }
        Ok(Err(String::new()))
    }

    /// `value.map(…)`.
    fn mapped(&self, value: Expression, from: &Ty, to: &Ty, depth: usize) -> Result<Value> {
        let unconverted = Expression::Plain("value".to_owned());
        let item = self.convert_in(unconverted, from, to, depth)?;
        Ok(item.map(|item| value.method("map", vec![item.function("value")])))
    }

    /// A value that has another form in one of the versions: in a box, an option or a newtype.
    fn wrapped(&self, value: Expression, from: &Ty, to: &Ty, depth: usize) -> Result<Value> {
        let definitions = &self.pairs.definitions;
        let call = |function: &str, inner: Value| {
            inner.map(|inner| Expression::Call(function.to_owned(), vec![inner]))
        };
        match (from.outer(), to.outer()) {
            (Some(("Box", [from])), _) => {
                return self.convert_in(value.unboxed(), from, to, depth);
            }
            (_, Some(("Box", [to]))) => {
                return Ok(call("Box::new", self.convert_in(value, from, to, depth)?));
            }
            (_, Some(("Option", [to]))) => {
                return Ok(call("Some", self.convert_in(value, from, to, depth)?));
            }
            (Some(("Option", [inner])), _) => {
                let probe = self.convert_in(value.clone(), inner, to, depth)?;
                let is_simple = inner == to;
                return Ok(Err(match probe {
                    Ok(_) if is_simple => format!(
                        "choose a value for `None`, such as `{}.unwrap_or_default()`",
                        value.flat()
                    ),
                    Ok(_) => "choose a value for `None`".to_owned(),
                    Err(why) => why,
                }));
            }
            (Some((left, [])), Some((right, []))) if wider(right, left) => {
                return Ok(Err(format!(
                    "choose a value for numbers that are too large, such as \
                    `{right}::try_from({}).unwrap_or({right}::MAX)`",
                    value.flat()
                )));
            }
            _ => {}
        }
        let is_visible =
            |field: &super::definition::Field| field.visibility.reaches(&self.pairs.place.module);
        if let Some(inner) = definitions.newtype(from)?.filter(|field| is_visible(field))
            && !matches!(to, Ty::Own(..))
        {
            return self.convert_in(value.field("0"), &inner.ty, to, depth);
        }
        if let Some(inner) = definitions.newtype(to)?.filter(|field| is_visible(field))
            && !matches!(from, Ty::Own(..))
            && let Ty::Own(path, _) = to
            && let Some(name) = self.pairs.place.name(path)?
        {
            return Ok(call(&name, self.convert_in(value, from, &inner.ty, depth)?));
        }
        Ok(Err(String::new()))
    }
}

/// Whether each number of one type is one of another, larger type.
fn wider(left: &str, right: &str) -> bool {
    let known = |name: &str| INTEGERS.iter().find(|(known, ..)| *known == name);
    let (Some((_, bits, is_signed)), Some((_, more, has_sign))) = (known(left), known(right))
    else {
        return false;
    };
    more > bits && (*has_sign || !is_signed)
}

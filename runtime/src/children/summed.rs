//! A value with the hashes of all its parts, for fast lookup of fields and elements.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json_borrow::{ObjectAsVec as Object, Value};

use super::sum::{elements, hash, members};

/// Maximum number of key sets that identify the elements of one list. Kubernetes uses one for each list.
const KEY_SETS: usize = 4;

/// A value and its hash.
pub(super) struct Summed<'a> {
    sum: u64,
    parts: Parts<'a>,
}

enum Parts<'a> {
    None,
    /// Ordered by name.
    Members(Vec<(&'a str, Summed<'a>)>),
    Elements(List<'a>),
}

/// The elements of a list, and their indexes by hash once they are needed.
struct List<'a> {
    elements: Vec<Summed<'a>>,
    by_value: OnceCell<Places>,
    by_keys: RefCell<BTreeMap<Vec<String>, Rc<Places>>>,
}

/// Hashes of elements or of their keys, sorted, each with the element's index in the list.
type Places = Vec<(u64, usize)>;

impl<'a> Summed<'a> {
    pub(super) fn of(value: &'a Value<'_>) -> Self {
        match value {
            Value::Object(object) => {
                let mut parts: Vec<_> = object
                    .iter()
                    .map(|(name, value)| (name, Self::of(value)))
                    .collect();
                let sum = members(parts.iter().map(|(name, part)| (*name, part.sum)));
                parts.sort_by_key(|(name, _)| *name);
                Self {
                    sum,
                    parts: Parts::Members(parts),
                }
            }
            Value::Array(list) => {
                let parts: Vec<_> = list.iter().map(Self::of).collect();
                Self {
                    sum: elements(parts.iter().map(|part| part.sum)),
                    parts: Parts::Elements(List {
                        elements: parts,
                        by_value: OnceCell::new(),
                        by_keys: RefCell::default(),
                    }),
                }
            }
            value => Self {
                sum: hash(value),
                parts: Parts::None,
            },
        }
    }

    /// The hash of the part that `fields` selects, in the notation of `FieldsV1`: `f:` is a field, `k:` an element with
    /// these keys, `v:` an element with this value, and an empty object the whole value.
    pub(super) fn part(&self, fields: &Object) -> u64 {
        if fields.is_empty() {
            return self.sum;
        }
        match &self.parts {
            Parts::None => self.sum,
            Parts::Members(_) => members(fields.iter().filter_map(|(path, fields)| {
                let name = path.strip_prefix("f:")?;
                Some((name, self.member(name)?.part(fields.as_object()?)))
            })),
            Parts::Elements(list) => {
                let mut found = BTreeMap::new();
                for (path, fields) in fields.iter() {
                    let Some(fields) = fields.as_object() else {
                        continue;
                    };
                    list.each(path, |place, element| {
                        found.entry(place).or_insert_with(|| element.part(fields));
                    });
                }
                elements(found.into_values())
            }
        }
    }

    fn member(&self, name: &str) -> Option<&Self> {
        let Parts::Members(members) = &self.parts else {
            return None;
        };
        let place = members.binary_search_by(|(member, _)| {
            work::count();
            (*member).cmp(name)
        });
        Some(&members[place.ok()?].1)
    }
}

impl List<'_> {
    /// Calls `found` with each element that a path selects, and its index.
    fn each(&self, path: &str, mut found: impl FnMut(usize, &Summed<'_>)) {
        let Some((form, json)) = path.split_at_checked(2) else {
            return;
        };
        let Ok(key) = serde_json::from_str::<Value>(json) else {
            return;
        };
        let mut all = |places: &Places| {
            let sum = Summed::of(&key).sum;
            let first = places.partition_point(|(other, _)| {
                work::count();
                *other < sum
            });
            let same = places[first..]
                .iter()
                .take_while(|(other, _)| *other == sum);
            same.for_each(|(_, place)| found(*place, &self.elements[*place]));
        };
        match (form, &key) {
            ("v:", _) => all(self
                .by_value
                .get_or_init(|| placed(self.elements.iter().map(|element| Some(element.sum))))),
            ("k:", Value::Object(keys)) => {
                if let Some(places) = self.by_keys(keys) {
                    all(&places);
                }
            }
            _ => {}
        }
    }

    /// The indexes of elements by the values of these keys, without elements that lack one.
    fn by_keys(&self, keys: &Object) -> Option<Rc<Places>> {
        let mut names: Vec<_> = keys.iter().map(|(name, _)| name.to_owned()).collect();
        names.sort_unstable();
        let mut known = self.by_keys.borrow_mut();
        if known.len() == KEY_SETS && !known.contains_key(&names) {
            return None;
        }
        let of_names = |element: &Summed<'_>| {
            let keys: Option<Vec<_>> = names
                .iter()
                .map(|name| Some((&**name, element.member(name)?.sum)))
                .collect();
            Some(members(keys?.into_iter()))
        };
        let places = known
            .entry(names.clone())
            .or_insert_with(|| Rc::new(placed(self.elements.iter().map(of_names))));
        Some(Rc::clone(places))
    }
}

fn placed(sums: impl Iterator<Item = Option<u64>>) -> Places {
    let mut places: Places = sums
        .enumerate()
        .filter_map(|(place, sum)| {
            work::count();
            Some((sum?, place))
        })
        .collect();
    places.sort_unstable();
    places
}

/// Counts steps for the tests.
mod work {
    #[cfg(test)]
    thread_local! {
        pub(super) static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    #[inline]
    pub(super) fn count() {
        #[cfg(test)]
        STEPS.with(|steps| steps.set(steps.get() + 1));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fields::applied;
    use super::work::STEPS;

    /// The number of steps to find out who applied which fields of an object.
    fn steps(object: &serde_json::Value) -> usize {
        let text = object.to_string();
        STEPS.set(0);
        applied(&serde_json::from_str(&text).expect("an object"));
        STEPS.get()
    }

    fn object(data: serde_json::Value, managers: Vec<serde_json::Value>) -> serde_json::Value {
        let entry = |(number, fields): (usize, serde_json::Value)| json!({ "manager": format!("m{number}"), "operation": "Apply", "fieldsV1": { "f:data": fields } });
        let entries: Vec<_> = managers.into_iter().enumerate().map(entry).collect();
        json!({ "metadata": { "managedFields": entries }, "data": data })
    }

    /// The API server stores up to 1.5 MiB of one object: none of these may take more steps than a small multiple of
    /// its length.
    #[test]
    fn nobody_makes_it_take_long() {
        const MANY: usize = 40_000;
        const FEW: usize = 2_000;
        let names = || (0..MANY).map(|number| format!("key-{number}"));
        let map: serde_json::Map<_, _> = names().map(|name| (name, json!(""))).collect();
        let fields = |form: &str| -> serde_json::Value {
            let fields = names().map(|name| (format!("{form}{name}"), json!({})));
            serde_json::Value::Object(fields.collect())
        };
        let set: Vec<_> = names().collect();
        let values = |count| -> serde_json::Value {
            let fields = names()
                .take(count)
                .map(|name| (format!("v:{}", json!(name)), json!({})));
            serde_json::Value::Object(fields.collect())
        };
        let list: Vec<_> = names().map(|name| json!({ "name": name })).collect();
        let keys = |key: &str| -> serde_json::Value {
            let fields = names().map(|name| (format!("k:{}", json!({ key: name })), json!({})));
            serde_json::Value::Object(fields.collect())
        };
        let other_keys =
            |number: usize| json!({ format!("k:{}", json!({ format!("k{number}"): 1 })): {} });
        for (what, object) in [
            ("a map", object(map.clone().into(), vec![fields("f:")])),
            (
                "managers of a map",
                object(map.clone().into(), vec![json!({ "f:key-9": {} }); FEW]),
            ),
            (
                "managers of the whole",
                object(map.into(), vec![json!({}); FEW]),
            ),
            ("a set", object(json!(set), vec![values(MANY)])),
            (
                "managers of a set",
                object(json!(set), vec![values(1); FEW]),
            ),
            ("a list", object(json!(list), vec![keys("name")])),
            (
                "keys that no element has",
                object(json!(list), vec![keys("other")]),
            ),
            (
                "many sets of keys",
                object(json!(list), (0..FEW).map(other_keys).collect()),
            ),
        ] {
            let steps = steps(&object);
            assert!(steps < 25 * MANY, "{what}: {steps} steps");
        }
    }
}

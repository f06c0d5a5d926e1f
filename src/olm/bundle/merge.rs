//! Edits in a file of a bundle, field by field: lines that stand beside each other are no conflict then.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::error::Result;
use crate::yaml;

/// By which field the items of a list are known.
const KEYS: [&str; 5] = ["name", "path", "generateName", "serviceAccountName", "type"];

/// The list whose items stand for files of the bundle, and go with them.
const OWNED: &str = "spec.customresourcedefinitions.owned";

/// Three texts of a file as one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Merged {
    pub(super) text: String,
    /// The fields that both changed: they stay as the user has them.
    pub(super) both: Vec<String>,
    /// The items that the user edited, and that are gone with what they describe.
    pub(super) gone: Vec<String>,
}

impl Merged {
    /// What to say of a file at `path`.
    pub(super) fn notes(&self, path: &str) -> impl Iterator<Item = String> {
        let place = self.both.first().map(|field| match &**field {
            "" => format!("`{path}`"),
            field => format!("`{field}` in `{path}`"),
        });
        let both = place.map(|place| match self.both.len() {
            1 => format!("{place} is as you edited it; rop would have changed it"),
            count => format!(
                "{place} and {} more of its fields are as you edited them; rop would have changed them",
                count - 1
            ),
        });
        let gone = self.gone.iter().map(move |item| {
            format!("removed `{item}`, which you edited, from `{path}`: its CRD is gone")
        });
        both.into_iter().chain(gone)
    }
}

/// Merges three texts of a file. Nothing if one is not YAML.
///
/// # Errors
/// As the library says.
pub(super) fn merge(given: &str, edited: &str, new: &str) -> Result<Option<Merged>> {
    let [Ok(given), Ok(edited), Ok(new)] = [given, edited, new].map(yaml::from_str::<Value>) else {
        return Ok(None);
    };
    let mut merged = Merged::default();
    let value = merge_at(Some(&given), Some(&edited), Some(&new), "", &mut merged);
    merged.text = yaml::to_string(&value.unwrap_or_default())?;
    Ok(Some(merged))
}

fn merge_at(
    given: Option<&Value>,
    edited: Option<&Value>,
    new: Option<&Value>,
    path: &str,
    found: &mut Merged,
) -> Option<Value> {
    if edited == given {
        return new.cloned();
    }
    if new == given || new == edited {
        return edited.cloned();
    }
    match (edited, new) {
        (Some(Value::Object(edited)), Some(Value::Object(new))) => {
            let given = given.and_then(Value::as_object);
            let mut merged = Map::new();
            let added = new.keys().filter(|field| !edited.contains_key(*field));
            for field in edited.keys().chain(added) {
                let path = match path {
                    "" => field.clone(),
                    path => format!("{path}.{field}"),
                };
                let given = given.and_then(|given| given.get(field));
                let value = merge_at(given, edited.get(field), new.get(field), &path, found);
                merged.extend(value.map(|value| (field.clone(), value)));
            }
            Some(Value::Object(merged))
        }
        (Some(Value::Array(edited)), Some(Value::Array(new))) if key(edited, new).is_some() => {
            let key = key(edited, new)?;
            let given = given.and_then(Value::as_array).map(Vec::as_slice);
            let [given, edited_items, new_items] =
                [given.unwrap_or_default(), edited, new].map(|items| by_name(items, key));
            let mut merged = Vec::new();
            let names = edited.iter().chain(new).map(|item| &item[key]);
            let mut seen = HashSet::new();
            for name in names
                .filter_map(Value::as_str)
                .filter(|name| seen.insert(*name))
            {
                let item = format!("{path}[{name}]");
                let [given, edited, new] =
                    [&given, &edited_items, &new_items].map(|items| items.get(name).copied());
                if path == OWNED && given.is_some() && new.is_none() {
                    if edited != given {
                        found.gone.push(item);
                    }
                    continue;
                }
                merged.extend(merge_at(given, edited, new, &item, found));
            }
            Some(Value::Array(merged))
        }
        _ => {
            found.both.push(path.to_owned());
            edited.cloned()
        }
    }
}

/// The items of a list by the text that names each.
fn by_name<'a>(items: &'a [Value], key: &str) -> HashMap<&'a str, &'a Value> {
    let items = items.iter().rev();
    let named = items.filter_map(|item| Some((item[key].as_str()?, item)));
    named.collect()
}

/// The field that tells all items of two lists apart.
fn key(edited: &[Value], new: &[Value]) -> Option<&'static str> {
    let is_unique = |items: &[Value], key: &str| {
        let mut names: Vec<&str> = items.iter().filter_map(|item| item[key].as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.len() == items.len()
    };
    KEYS.into_iter()
        .find(|key| is_unique(edited, key) && is_unique(new, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_beside_each_other_are_no_conflict() {
        let given = "a: 1\nitems:\n- name: one\n  v: 1\n- name: two\n  v: 1\n";
        let edited = "a: 1\nmine: true\nitems:\n- name: one\n  v: 2\n- name: mine\n  v: 9\n";
        let new =
            "a: 2\nitems:\n- name: one\n  v: 1\n  w: 1\n- name: two\n  v: 1\n- name: new\n  v: 1\n";
        let merged = merge(given, edited, new).expect("a text").expect("YAML");
        assert_eq!(
            merged.text,
            "a: 2\nmine: true\nitems:\n- name: one\n  v: 2\n  w: 1\n- name: mine\n  v: 9\n- name: new\n  v: 1\n"
        );
        assert!(merged.both.is_empty());
    }

    #[test]
    fn what_both_changed_stays_with_the_user() {
        let merged = merge("a:\n  b: 1\n", "a:\n  b: 2\n", "a:\n  b: 3\n")
            .expect("a text")
            .expect("YAML");
        assert_eq!(
            (&*merged.text, &merged.both[..]),
            ("a:\n  b: 2\n", &["a.b".to_owned()][..])
        );
        assert_eq!(merge("a: [\n", "a: 1\n", "a: 2\n").expect("a text"), None);
    }

    #[test]
    fn a_file_has_one_note_of_its_conflicts() {
        let text = |value| format!("a: {value}\nb: {value}\nc:\n  d: {value}\n");
        let merged = merge(&text(1), &text(2), &text(3))
            .expect("a text")
            .expect("YAML");
        assert_eq!(
            merged.notes("x.yaml").collect::<Vec<_>>(),
            [
                "`a` in `x.yaml` and 2 more of its fields are as you edited them; rop would have changed them"
            ]
        );
        let merged = merge("a: 1\n", "a: 2\n", "a: 3\n")
            .expect("a text")
            .expect("YAML");
        assert_eq!(
            merged.notes("x.yaml").collect::<Vec<_>>(),
            ["`a` in `x.yaml` is as you edited it; rop would have changed it"]
        );
    }

    #[test]
    fn a_kind_that_is_gone_takes_its_edits_along() {
        let list =
            |items: &str| format!("spec:\n  customresourcedefinitions:\n    owned:\n{items}");
        let item =
            |name: &str, text: &str| format!("    - name: {name}\n      description: {text}\n");
        let given = list(&format!("{}{}", item("a", "1"), item("b", "1")));
        let edited = list(&format!("{}{}", item("a", "2"), item("b", "2")));
        let new = list(&item("a", "1"));
        let merged = merge(&given, &edited, &new).expect("a text").expect("YAML");
        assert_eq!(merged.text, list(&item("a", "2")));
        assert_eq!(merged.gone, [format!("{OWNED}[b]")]);
        assert!(merged.both.is_empty());
    }
}

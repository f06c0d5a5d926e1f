//! Edits in a file of a bundle, field by field: lines that stand beside each other are no conflict then.

use serde_json::{Map, Value};

use crate::error::Result;
use crate::yaml;

/// By which field the items of a list are known.
const KEYS: [&str; 5] = ["name", "path", "generateName", "serviceAccountName", "type"];

/// Three texts of a file as one, with the fields that both changed: those stay as the user has them. Nothing if one is
/// not YAML.
///
/// # Errors
/// As the library says.
pub(super) fn merge(given: &str, edited: &str, new: &str) -> Result<Option<(String, Vec<String>)>> {
    let [Ok(given), Ok(edited), Ok(new)] = [given, edited, new].map(yaml::from_str::<Value>) else {
        return Ok(None);
    };
    let mut both = Vec::new();
    let merged = merge_at(Some(&given), Some(&edited), Some(&new), "", &mut both);
    let text = yaml::to_string(&merged.unwrap_or_default())?;
    Ok(Some((text, both)))
}

fn merge_at(
    given: Option<&Value>,
    edited: Option<&Value>,
    new: Option<&Value>,
    path: &str,
    both: &mut Vec<String>,
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
                let value = merge_at(given, edited.get(field), new.get(field), &path, both);
                merged.extend(value.map(|value| (field.clone(), value)));
            }
            Some(Value::Object(merged))
        }
        (Some(Value::Array(edited)), Some(Value::Array(new))) if key(edited, new).is_some() => {
            let key = key(edited, new)?;
            let given = given.and_then(Value::as_array);
            let named = |items: &[Value], name: &Value| {
                items.iter().find(|item| item[key] == *name).cloned()
            };
            let mut merged = Vec::new();
            let added = new
                .iter()
                .filter(|item| named(edited, &item[key]).is_none());
            for name in edited.iter().chain(added).map(|item| &item[key]) {
                let path = format!("{path}[{}]", name.as_str().unwrap_or_default());
                let given = given.and_then(|given| named(given, name));
                let (edited, new) = (named(edited, name), named(new, name));
                merged.extend(merge_at(
                    given.as_ref(),
                    edited.as_ref(),
                    new.as_ref(),
                    &path,
                    both,
                ));
            }
            Some(Value::Array(merged))
        }
        _ => {
            both.push(path.to_owned());
            edited.cloned()
        }
    }
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
        let (merged, both) = merge(given, edited, new).expect("a text").expect("YAML");
        assert_eq!(
            merged,
            "a: 2\nmine: true\nitems:\n- name: one\n  v: 2\n  w: 1\n- name: mine\n  v: 9\n- name: new\n  v: 1\n"
        );
        assert!(both.is_empty());
    }

    #[test]
    fn what_both_changed_stays_with_the_user() {
        let (merged, both) = merge("a:\n  b: 1\n", "a:\n  b: 2\n", "a:\n  b: 3\n")
            .expect("a text")
            .expect("YAML");
        assert_eq!(
            (&*merged, &both[..]),
            ("a:\n  b: 2\n", &["a.b".to_owned()][..])
        );
        assert_eq!(merge("a: [\n", "a: 1\n", "a: 2\n").expect("a text"), None);
    }
}

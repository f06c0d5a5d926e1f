//! Edits in a file of a bundle, field by field: lines that stand beside each other are no conflict then.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::error::Result;
use crate::plan::with_changes;
use crate::yaml;

/// By which field the items of a list are known, together with their version if they have one.
const KEYS: [&str; 6] = [
    "name",
    "path",
    "generateName",
    "serviceAccountName",
    "type",
    "kind",
];

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
    /// Whether the file was rewritten, without the user's comments.
    pub(super) lost_comments: bool,
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
            format!("removed `{item}`, which you edited, from `{path}`: the operator no longer defines it")
        });
        let lost = self.lost_comments.then(|| {
            format!("`{path}` was rewritten without its comments, because its layout has no place for some changes")
        });
        both.into_iter().chain(gone).chain(lost)
    }
}

/// Merges three texts of a file. Nothing if one is not YAML. Comments and the order of the edited text stay, unless it
/// has no place for a change.
///
/// # Errors
/// As the library says.
pub(super) fn merge(given: &str, edited: &str, new: &str) -> Result<Option<Merged>> {
    let text = edited;
    let [Ok(given), Ok(edited), Ok(new)] = [given, edited, new].map(yaml::from_str::<Value>) else {
        return Ok(None);
    };
    let mut merged = Merged::default();
    let value =
        merge_at(Some(&given), Some(&edited), Some(&new), "", &mut merged).unwrap_or_default();
    let rewritten = yaml::to_string(&value)?;
    let placed = with_changes(text, &yaml::to_string(&edited)?, &rewritten)?;
    let is_whole = |text: &String| yaml::from_str::<Value>(text).is_ok_and(|it| it == value);
    let placed = placed.filter(is_whole);
    merged.lost_comments = placed.is_none() && yaml::has_comments(text);
    merged.text = placed.unwrap_or(rewritten);
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
            let mut seen = HashSet::new();
            for name in edited.iter().chain(new).filter_map(|item| name(item, key)) {
                if !seen.insert(name.clone()) {
                    continue;
                }
                let item = format!("{path}[{name}]");
                let [given, edited, new] =
                    [&given, &edited_items, &new_items].map(|items| items.get(&name).copied());
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

/// By what an item is known. A kind has an item for each of its versions.
fn name(item: &Value, key: &str) -> Option<String> {
    let name = item[key].as_str()?;
    let version = item["version"].as_str();
    Some(version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}")))
}

/// The items of a list by what names each.
fn by_name<'a>(items: &'a [Value], key: &str) -> HashMap<String, &'a Value> {
    let items = items.iter().rev();
    let named = items.filter_map(|item| Some((name(item, key)?, item)));
    named.collect()
}

/// The field that tells all items of two lists apart.
fn key(edited: &[Value], new: &[Value]) -> Option<&'static str> {
    let is_unique = |items: &[Value], key: &str| {
        let names: HashSet<_> = items.iter().filter_map(|item| name(item, key)).collect();
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
    fn comments_and_order_stay() {
        let given = "a: 1\nb:\n  c: 1\n  d: 1\nitems:\n- name: one\n  v: 1\n";
        let edited =
            "# mine\nb:\n  d: 1 # d\n  c: 2\n  # end\na: 1\nitems:\n# one\n- name: one\n  v: 1\n";
        let new = "a: 2\nb:\n  c: 1\nitems:\n- name: one\n  v: 2\n- name: two\n  v: [1]\n";
        let merged = merge(given, edited, new).expect("a text").expect("YAML");
        assert_eq!(
            merged.text,
            "# mine\nb:\n  c: 2\n  # end\na: 2\nitems:\n# one\n- name: one\n  v: 2\n- name: two\n  v:\n  - 1\n"
        );
    }

    #[test]
    fn lost_comments_are_named() {
        let merge = |edited| merge("a: {b: 1}\nc: 1\n", edited, "a: {b: 1, d: 2}\nc: 1\n");
        let merged = merge("a: {b: 2, # mine\n  e: 1}\nc: 1\n")
            .expect("a text")
            .expect("YAML");
        assert_eq!(merged.text, "a:\n  b: 2\n  e: 1\n  d: 2\nc: 1\n");
        assert_eq!(
            merged.notes("x.yaml").collect::<Vec<_>>(),
            [
                "`x.yaml` was rewritten without its comments, because its layout has no place for some changes"
            ]
        );
        let merged = merge("a: {b: 2}\nc: 1\n").expect("a text").expect("YAML");
        assert!(!merged.lost_comments);
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
    fn versions_of_a_kind_are_items() {
        let list = |one: &str, other: &str| {
            format!(
                "owned:\n- name: a\n  version: v1\n  description: {one}\n  resources:\n  - kind: A\n    name: ''\n    \
                version: v1\n  - kind: B\n    name: '{one}'\n    version: v1\n- name: a\n  version: v2\n  description: \
                {other}\n"
            )
        };
        let merged = merge(&list("1", "1"), &list("2", "1"), &list("1", "3"))
            .expect("a text")
            .expect("YAML");
        assert!(merged.both.is_empty(), "{merged:?}");
        assert_eq!(merged.text, list("2", "3"));
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

//! Operations on an object, as RFC 6902 has them: those that add, replace and remove.

use serde_json::Value;

use super::budget::Budget;

/// Carries out operations. None if one is another, or has no place.
pub(super) fn apply(value: &mut Value, operations: &[Value], budget: &Budget) -> Option<()> {
    for operation in operations {
        budget.spend_on(operation)?;
        let path: Vec<String> = operation
            .get("path")?
            .as_str()?
            .strip_prefix('/')?
            .split('/')
            .map(|part| part.replace("~1", "/").replace("~0", "~"))
            .collect();
        let (last, folder) = path.split_last()?;
        let parent = folder
            .iter()
            .try_fold(&mut *value, |value, part| match value {
                Value::Object(fields) => fields.get_mut(part),
                Value::Array(items) => items.get_mut(index(part)?),
                _ => None,
            })?;
        let new = || operation.get("value").cloned();
        match (operation.get("op")?.as_str()?, parent) {
            ("add", Value::Object(fields)) => drop(fields.insert(last.clone(), new()?)),
            ("replace", Value::Object(fields)) => *fields.get_mut(last)? = new()?,
            ("remove", Value::Object(fields)) => drop(fields.remove(last)?),
            ("add", Value::Array(items)) if last == "-" => items.push(new()?),
            ("add", Value::Array(items)) => {
                let index = index(last).filter(|index| *index <= items.len())?;
                budget.spend(items.len())?;
                items.insert(index, new()?);
            }
            ("replace", Value::Array(items)) => *items.get_mut(index(last)?)? = new()?,
            ("remove", Value::Array(items)) => {
                let index = index(last).filter(|index| *index < items.len())?;
                budget.spend(items.len())?;
                items.remove(index);
            }
            _ => return None,
        }
    }
    Some(())
}

fn index(part: &str) -> Option<usize> {
    let is_plain = part == "0" || !part.starts_with(['0', '+']);
    part.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use std::slice;

    use serde_json::json;

    use super::*;

    #[test]
    fn carries_out_what_it_knows() {
        let mut value = json!({"a": {"b/c": 1}, "d": [1, 2]});
        let operations = json!([
            {"op": "add", "path": "/d/-", "value": 3},
            {"op": "add", "path": "/d/0", "value": 0},
            {"op": "replace", "path": "/a/b~1c", "value": 2},
            {"op": "remove", "path": "/d/1"},
            {"op": "add", "path": "/a/e", "value": {}},
        ]);
        apply(
            &mut value,
            operations.as_array().expect("a list"),
            &Budget::new(),
        )
        .expect("a patch");
        assert_eq!(value, json!({"a": {"b/c": 2, "e": {}}, "d": [0, 2, 3]}));
    }

    #[test]
    fn leaves_the_rest() {
        for operation in [
            json!({"op": "test", "path": "/d/0", "value": 1}),
            json!({"op": "remove", "path": "/x"}),
            json!({"op": "replace", "path": "/d/2", "value": 1}),
            json!({"op": "add", "path": "/d/01", "value": 1}),
            json!({"op": "add", "path": "/x/y", "value": 1}),
            json!({"op": "add", "path": "/d/-"}),
        ] {
            let mut value = json!({"d": [1, 2]});
            assert_eq!(
                apply(&mut value, slice::from_ref(&operation), &Budget::new()),
                None,
                "{operation}"
            );
        }
    }
}

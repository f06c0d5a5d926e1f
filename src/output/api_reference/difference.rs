//! How the fields of two versions of a kind differ.

use std::collections::BTreeMap;

use super::markdown::code;
use super::section::{Demands, Section};

/// A sentence on each field of a version that is not as in another.
pub(super) fn differences(other: &[Section<'_>], this: &[Section<'_>]) -> Vec<String> {
    let (other, this) = (fields(other), fields(this));
    let added = this
        .iter()
        .filter(|(path, _)| !other.contains_key(*path))
        .map(|(path, _)| format!("adds {}", code(path)));
    let removed = other
        .keys()
        .filter(|path| !this.contains_key(*path))
        .map(|path| format!("does not have {}", code(path)));
    let changed = this.iter().filter_map(|(path, demands)| {
        let changes = changes(other.get(path)?, demands).join(", ");
        (!changes.is_empty()).then(|| format!("changes {}: {changes}", code(path)))
    });
    added.chain(removed).chain(changed).collect()
}

fn fields<'a>(sections: &'a [Section<'_>]) -> BTreeMap<String, &'a Demands> {
    let fields = sections.iter().flat_map(|section| {
        let fields = section.fields.iter();
        fields.map(|field| (section.path_of(field), &field.demands))
    });
    fields.collect()
}

fn changes(other: &Demands, this: &Demands) -> Vec<String> {
    let mut changes = Vec::new();
    if this.type_name != other.type_name {
        changes.push(format!("{} instead of {}", this.type_name, other.type_name));
    }
    if this.is_required != other.is_required {
        let is = if this.is_required {
            "required"
        } else {
            "optional"
        };
        changes.push(is.to_owned());
    }
    if this.default != other.default {
        changes.push(match &this.default {
            Some(default) => format!("default {}", code(default)),
            None => "no default".to_owned(),
        });
    }
    if this.rules != other.rules {
        changes.push("other validation".to_owned());
    }
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_difference_is_named() {
        let old = json!({"properties": {"spec": {"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string"}, "b": {"type": "integer", "default": 1}, "c": {"type": "boolean"},
            "same": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}},
        }}}});
        let new = json!({"properties": {"spec": {"type": "object", "properties": {
            "a": {"type": "string", "maxLength": 3}, "b": {"type": "string", "default": "1"}, "d": {"type": "boolean"},
            "same": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string"}}}},
        }}}});
        let (old, new) = (Section::all(&old), Section::all(&new));
        assert_eq!(
            differences(&old, &new),
            [
                "adds `spec.d`",
                "does not have `spec.c`",
                "changes `spec.a`: optional, other validation",
                "changes `spec.b`: string instead of integer, default `\"1\"`",
            ]
        );
        assert_eq!(differences(&new, &new), [""; 0]);
    }
}

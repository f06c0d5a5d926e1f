//! `replacements:` of a kustomization: fields that get the value of another field.

use serde_json::Value;

use super::budget::Budget;
use super::field_path::{Create, Path, text_of};
use super::replacement::{Fields, Options, Origin, Replacement};
use super::resource::Resource;
use super::select::Selector;
use super::target::Target;

/// The field that is meant if no path is given.
const NAME: &str = "metadata.name";

/// Carries out a replacement.
pub(super) fn apply(
    resources: &mut [Resource],
    replacement: &Replacement,
    budget: &Budget,
) -> Option<()> {
    let value = match (&replacement.source, &replacement.source_value) {
        (Some(origin), None) => origin.value(resources, budget)?,
        (None, Some(value)) => Value::from(value.clone()),
        _ => return None,
    };
    // Without a source, a value has no type: kustomize may take it for a number.
    let is_typed = replacement.source.is_some();
    for fields in &replacement.targets {
        fields.set(resources, &value, is_typed, budget)?;
    }
    Some(())
}

impl Origin {
    fn value(&self, resources: &[Resource], budget: &Budget) -> Option<Value> {
        budget.spend(resources.len())?;
        let mut found = resources.iter().filter(|resource| self.is(resource));
        let (Some(resource), None) = (found.next(), found.next()) else {
            return None;
        };
        let path = Some(&*self.field_path).filter(|path| !path.is_empty());
        let value = Path::parse(path.unwrap_or(NAME))?.find(&resource.value)?;
        let is_empty = match value {
            Value::Null => true,
            Value::Object(fields) => fields.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        if is_empty {
            return None;
        }
        if self.options.delimiter.is_empty() {
            return Some(value.clone());
        }
        let mut parts = value.as_str()?.split(&self.options.delimiter);
        let part = parts.nth(usize::try_from(self.options.index).ok()?)?;
        Some(part.into())
    }

    fn is(&self, resource: &Resource) -> bool {
        let matches = |expected: &str, found: &str| expected.is_empty() || expected == found;
        let kind = resource.kind();
        let mut names = resource.names().map(|name| resource.effective(&name));
        matches(&self.group, &kind.group)
            && matches(&self.version, &kind.version)
            && matches(&self.kind, &kind.kind)
            && names.any(|name| {
                matches(&self.name, &name.name) && matches(&self.namespace, name.namespace())
            })
    }
}

impl Fields {
    fn set(
        &self,
        resources: &mut [Resource],
        value: &Value,
        is_typed: bool,
        budget: &Budget,
    ) -> Option<()> {
        let mut targets = self.reject.iter().chain([&self.select]);
        if !targets.all(Target::is_plain) {
            return None;
        }
        let select = Selector::new(&self.select)?;
        let reject: Option<Vec<Selector>> = self.reject.iter().map(Selector::new).collect();
        let reject = reject?;
        let paths: Vec<Path> = if self.field_paths.is_empty() {
            vec![Path::parse(NAME)?]
        } else {
            let paths = self.field_paths.iter().map(|path| Path::parse(path));
            paths.collect::<Option<_>>()?
        };
        let create = match value {
            _ if !self.options.create => Create::Nothing,
            Value::Object(_) => Create::Object,
            Value::Array(_) => Create::List,
            _ => Create::Scalar,
        };
        budget.spend(resources.len() * (1 + reject.len()))?;
        let is_rejected = |resource: &Resource| {
            reject.iter().any(|reject| {
                reject.asks_for_labels() && reject.has_labels(resource)
                    || reject.asks_for_names() && reject.names(resource)
            })
        };
        for resource in resources {
            if !(select.names(resource) && select.has_labels(resource)) || is_rejected(resource) {
                continue;
            }
            resource.change(|object| {
                for path in &paths {
                    path.visit(object, create, &mut |field| {
                        budget.spend_on(field)?;
                        budget.spend_on(value)?;
                        self.options.put(field, value, is_typed)
                    })?;
                }
                Some(())
            })?;
        }
        Some(())
    }
}

impl Options {
    /// Puts a value into a field, which keeps its type if it has one.
    fn put(&self, field: &mut Value, value: &Value, is_typed: bool) -> Option<()> {
        if self.delimiter.is_empty() && (field.is_object() || field.is_array()) {
            if !is_typed && !is_word(value.as_str()?) {
                return None;
            }
            *field = value.clone();
            return Some(());
        }
        if field.is_null() && self.delimiter.is_empty() && !value.is_string() {
            *field = value.clone();
            return Some(());
        }
        let text = self.joined(field, text_of(value)?)?;
        *field = match field {
            // A field that is new, or that another step has set, takes the type that its text looks like.
            Value::String(_) | Value::Null if is_word(&text) => text.into(),
            Value::Number(_) | Value::Bool(_) => {
                let typed: Value = serde_json::from_str(&text).ok()?;
                let is_same = typed.is_boolean() == field.is_boolean();
                let is_exact = text_of(&typed).as_ref() == Some(&text) && !typed.is_string();
                (is_same && is_exact).then_some(typed)?
            }
            _ => return None,
        };
        Some(())
    }

    /// The text of a field with one part replaced, or with one more before or behind it.
    fn joined(&self, field: &Value, new: String) -> Option<String> {
        if self.delimiter.is_empty() {
            return Some(new);
        }
        let old = match field {
            Value::Null => String::new(),
            field => text_of(field)?,
        };
        let mut parts: Vec<&str> = old.split(&self.delimiter).collect();
        match usize::try_from(self.index) {
            Err(_) => parts.insert(0, &new),
            Ok(index) if index >= parts.len() => parts.push(&new),
            Ok(index) => parts[index] = &new,
        }
        Some(parts.join(&self.delimiter))
    }
}

/// Whether YAML takes a text for text.
fn is_word(text: &str) -> bool {
    let is_keyword = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
        .iter()
        .any(|keyword| text.eq_ignore_ascii_case(keyword));
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "-_./:@=".contains(c);
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '/';
    text.trim_start_matches("--").starts_with(is_start)
        && text.chars().all(is_usual)
        && !text.ends_with(':')
        && !is_keyword
}

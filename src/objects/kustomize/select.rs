//! Which objects a patch or a replacement is for.

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::resource::{Name, Resource};
use super::target::Target;

/// What regular expressions of Go and of Rust do not have in common.
const OTHER_SYNTAX: [&str; 6] = ["(?", "[[", "&&", "~~", "\\u", "\\x"];

/// No expression for a name takes more memory, in bytes.
const LARGEST: usize = 64 << 10;

/// What a target selects: each part is a whole name as a regular expression.
pub(super) struct Selector {
    group: Pattern,
    version: Pattern,
    kind: Pattern,
    name: Pattern,
    namespace: Pattern,
    labels: Vec<Requirement>,
    annotations: Vec<Requirement>,
}

impl Selector {
    pub(super) fn new(target: &Target) -> Option<Self> {
        Some(Self {
            group: Pattern::new(&target.group)?,
            version: Pattern::new(&target.version)?,
            kind: Pattern::new(&target.kind)?,
            name: Pattern::new(&target.name)?,
            namespace: Pattern::new(&target.namespace)?,
            labels: requirements(&target.label_selector)?,
            annotations: requirements(&target.annotation_selector)?,
        })
    }

    /// Whether a patch is for an object: by its current name or the one in its file.
    pub(super) fn selects(&self, resource: &Resource) -> bool {
        let current = resource.effective(&resource.name());
        let original = resource
            .earlier()
            .first()
            .map_or_else(|| current.clone(), |name| resource.effective(name));
        let any = |matches: &dyn Fn(&Name) -> bool| matches(&original) || matches(&current);
        any(&|name| self.namespace.matches(name.namespace()))
            && any(&|name| self.name.matches(&name.name))
            && self.is_kind_of(resource)
            && self.has_labels(resource)
    }

    /// Whether an object has one of its names. Namespaces that it had are those in which it would have been.
    pub(super) fn names(&self, resource: &Resource) -> bool {
        let is_named =
            |name: &Name| self.name.matches(&name.name) && self.namespace.matches(name.namespace());
        let mut earlier = resource.earlier().iter();
        self.is_kind_of(resource)
            && (is_named(&resource.name())
                || earlier.any(|name| is_named(&resource.effective(name))))
    }

    /// Whether the labels and annotations of an object are those asked for.
    pub(super) fn has_labels(&self, resource: &Resource) -> bool {
        let all = |requirements: &[Requirement], field: &str| {
            let found = &resource.value["metadata"][field];
            requirements
                .iter()
                .all(|requirement| requirement.is_met(found))
        };
        all(&self.labels, "labels") && all(&self.annotations, "annotations")
    }

    /// Whether it asks for labels or annotations.
    pub(super) fn asks_for_labels(&self) -> bool {
        !self.labels.is_empty() || !self.annotations.is_empty()
    }

    /// Whether it asks for a kind, a name or a namespace.
    pub(super) fn asks_for_names(&self) -> bool {
        let all = [
            &self.group,
            &self.version,
            &self.kind,
            &self.name,
            &self.namespace,
        ];
        all.iter().any(|pattern| pattern.0.is_some())
    }

    fn is_kind_of(&self, resource: &Resource) -> bool {
        let kind = resource.kind();
        self.group.matches(&kind.group)
            && self.version.matches(&kind.version)
            && self.kind.matches(&kind.kind)
    }
}

/// A regular expression for a whole name. None matches every name.
struct Pattern(Option<Regex>);

impl Pattern {
    fn new(pattern: &str) -> Option<Self> {
        if pattern.is_empty() {
            return Some(Self(None));
        }
        if OTHER_SYNTAX.iter().any(|syntax| pattern.contains(syntax)) {
            return None;
        }
        RegexBuilder::new(&format!("^(?:{pattern})$"))
            .size_limit(LARGEST)
            .build()
            .ok()
            .map(|regex| Self(Some(regex)))
    }

    fn matches(&self, text: &str) -> bool {
        self.0.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

/// A part of a label selector.
struct Requirement {
    key: String,
    /// The value, and whether it must be equal. None if only the key counts.
    value: Option<String>,
    is_negated: bool,
}

impl Requirement {
    fn is_met(&self, labels: &Value) -> bool {
        let found = labels.get(&self.key).and_then(Value::as_str);
        let is_found = match &self.value {
            Some(value) => found == Some(value),
            None => found.is_some(),
        };
        is_found != self.is_negated
    }
}

/// The parts of a label selector, except sets of values.
fn requirements(selector: &str) -> Option<Vec<Requirement>> {
    if selector.is_empty() {
        return Some(Vec::new());
    }
    selector.split(',').map(requirement).collect()
}

fn requirement(text: &str) -> Option<Requirement> {
    let text = text.trim();
    let (key, value, is_negated) = if let Some(key) = text.strip_prefix('!') {
        (key, None, true)
    } else if let Some((key, value)) = text.split_once("!=") {
        (key, Some(value), true)
    } else if let Some((key, value)) = text.split_once('=') {
        (key, Some(value.strip_prefix('=').unwrap_or(value)), false)
    } else {
        (text, None, false)
    };
    let is_word = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
    };
    let (key, value) = (key.trim(), value.map(str::trim));
    let is_known = !key.is_empty() && is_word(key) && value.is_none_or(is_word);
    is_known.then(|| Requirement {
        key: key.to_owned(),
        value: value.map(str::to_owned),
        is_negated,
    })
}

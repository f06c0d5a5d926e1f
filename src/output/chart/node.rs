//! A manifest of a chart: YAML as a tree, of which parts have a condition or come from values.

use serde_json::{Map, Value};

use super::when::When;

/// Stands for the prefix of names, in the objects that a chart is made of. Text that people write has no such
/// character: it is one of those that Unicode leaves to programs.
pub(super) const PREFIX: char = '\u{E000}';

/// Stands for the namespace of the operator.
pub(super) const NAMESPACE: char = '\u{E001}';

/// A value in a manifest.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// What Helm prints as it is. Only a string alone may have marks.
    Literal(Value),
    /// A mapping of which a part is no literal.
    Map(Vec<Child>),
    /// A list of which a part is no literal.
    List(Vec<Child>),
    /// An action that prints a scalar.
    Action(String),
    /// An action that prints lines of YAML, which are indented as those around them.
    Lines(String),
    /// A value of values.yaml. Without one, its key is left out.
    Value(String),
    /// More members of the list around it, from a value of values.yaml.
    Members(String),
}

/// A member of a mapping or of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Child {
    pub(super) when: When,
    /// Empty in a list.
    pub(super) key: String,
    pub(super) node: Node,
}

impl Child {
    pub(super) fn new(key: impl Into<String>, node: Node) -> Self {
        Self {
            when: When::default(),
            key: key.into(),
            node,
        }
    }

    pub(super) fn when(self, when: When) -> Self {
        Self { when, ..self }
    }

    /// Gives the condition of a mapping or a list to its members.
    fn hand_down(&mut self) {
        let members = match &mut self.node {
            _ if self.when.is_always() => return,
            Node::Map(_) | Node::Literal(Value::Object(_)) => self.node.fields(),
            Node::List(_) | Node::Literal(Value::Array(_)) => self.node.items(),
            _ => return,
        };
        let when = std::mem::take(&mut self.when);
        for member in members {
            member.when = when.clone().and(&member.when);
        }
    }
}

impl Node {
    /// The node of a value that is always the same.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Object(fields) if has_mark(value) => {
                let child = |(key, value): (&String, &Value)| Child::new(key, Self::of(value));
                Self::Map(fields.iter().map(child).collect())
            }
            Value::Array(items) if has_mark(value) => {
                let child = |item: &Value| Child::new("", Self::of(item));
                Self::List(items.iter().map(child).collect())
            }
            value => Self::Literal(value.clone()),
        }
    }

    /// The members of a mapping; of none if it is something else.
    pub(super) fn fields(&mut self) -> &mut Vec<Child> {
        if let Self::Literal(value) = self {
            let fields = value.as_object_mut().map(std::mem::take);
            let child = |(key, value)| Child::new(key, Self::Literal(value));
            let fields = fields.unwrap_or_default().into_iter().map(child);
            *self = Self::Map(fields.collect());
        }
        match self {
            Self::Map(fields) => fields,
            other => {
                *other = Self::Map(Vec::new());
                other.fields()
            }
        }
    }

    /// The members of a list; of none if it is something else.
    pub(super) fn items(&mut self) -> &mut Vec<Child> {
        if let Self::Literal(value) = self {
            let items = value.as_array_mut().map(std::mem::take);
            let child = |value| Child::new("", Self::Literal(value));
            *self = Self::List(items.unwrap_or_default().into_iter().map(child).collect());
        }
        match self {
            Self::List(items) => items,
            other => {
                *other = Self::List(Vec::new());
                other.items()
            }
        }
    }

    /// The value of a field, which is added if it is not there. What is put into it has no condition of the field, so
    /// that condition becomes one of each member.
    pub(super) fn field(&mut self, key: &str) -> &mut Self {
        let fields = self.fields();
        let found = fields.iter().position(|child| child.key == key);
        let place = found.unwrap_or_else(|| {
            fields.push(Child::new(key, Self::Literal(Value::Object(Map::new()))));
            fields.len() - 1
        });
        let field = &mut fields[place];
        field.hand_down();
        &mut field.node
    }

    /// The value behind several fields.
    pub(super) fn at(&mut self, path: &[&str]) -> &mut Self {
        path.iter().fold(self, |node, key| node.field(key))
    }

    /// Puts a field in place of all that have its key.
    pub(super) fn set(&mut self, child: Child) {
        let fields = self.fields();
        let place = fields.iter().position(|other| other.key == child.key);
        fields.retain(|other| other.key != child.key);
        let end = fields.len();
        fields.insert(place.unwrap_or(end).min(end), child);
    }

    /// The literal, if it is one without marks.
    pub(super) fn literal(&self) -> Option<&Value> {
        match self {
            Self::Literal(value) if !has_mark(value) => Some(value),
            _ => None,
        }
    }
}

/// Whether a value refers to the prefix of names or to the namespace.
pub(super) fn has_mark(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_ascii() && text.contains([PREFIX, NAMESPACE]),
        Value::Array(items) => items.iter().any(has_mark),
        Value::Object(fields) => fields.values().any(has_mark),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

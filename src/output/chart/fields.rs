//! Fields of the operator's Deployment whose values are values of the chart.

use serde_json::{Value, json};

use super::node::{Child, Node, has_mark};
use super::settings::{self, SUBDOMAIN, Settings};
use super::when::When;
use super::write::go;

/// A field whose value is that of `config/`, or nothing.
pub(super) struct Field {
    name: &'static str,
    value: &'static str,
    about: &'static str,
    empty: Empty,
}

impl Field {
    const fn new(
        name: &'static str,
        value: &'static str,
        about: &'static str,
        empty: Empty,
    ) -> Self {
        Self {
            name,
            value,
            about,
            empty,
        }
    }
}

/// What a field that `config/` lacks is in the values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Empty {
    Map,
    /// A mapping of texts.
    Texts,
    /// A list of objects with fields that are texts, among others.
    List(&'static [&'static str]),
    /// The name of an object.
    Name,
}

impl Empty {
    fn schema(self) -> Value {
        match self {
            Self::Map => json!({ "type": "object" }),
            Self::Texts => settings::texts(),
            Self::List(fields) => settings::objects(fields),
            Self::Name => json!({ "type": "string", "pattern": format!("^({SUBDOMAIN})?$") }),
        }
    }
}

impl From<Empty> for Value {
    fn from(empty: Empty) -> Self {
        match empty {
            Empty::Map | Empty::Texts => json!({}),
            Empty::List(_) => json!([]),
            Empty::Name => json!(""),
        }
    }
}

pub(super) const DEPLOYMENT: [Field; 1] = [Field::new(
    "strategy",
    "strategy",
    "How a new version of the pod replaces the old one.",
    Empty::Map,
)];

pub(super) const POD: [Field; 7] = [
    Field::new(
        "imagePullSecrets",
        "imagePullSecrets",
        "Secrets to pull the image with, such as `- name: registry`.",
        Empty::List(&["name"]),
    ),
    Field::new(
        "nodeSelector",
        "nodeSelector",
        "Labels of the nodes that the pod may run on.",
        Empty::Texts,
    ),
    Field::new(
        "tolerations",
        "tolerations",
        "Taints of nodes that the pod tolerates.",
        Empty::List(&["key", "operator", "value", "effect"]),
    ),
    Field::new("affinity", "affinity", "Affinity of the pod.", Empty::Map),
    Field::new(
        "topologySpreadConstraints",
        "topologySpreadConstraints",
        "Topology spread constraints.",
        Empty::List(&["topologyKey", "whenUnsatisfiable"]),
    ),
    Field::new(
        "priorityClassName",
        "priorityClassName",
        "Priority class of the pod.",
        Empty::Name,
    ),
    Field::new(
        "securityContext",
        "podSecurityContext",
        "Security context of the pod.",
        Empty::Map,
    ),
];

pub(super) const CONTAINER: [Field; 2] = [
    Field::new(
        "resources",
        "resources",
        "Requests and limits of the operator.",
        Empty::Map,
    ),
    Field::new(
        "securityContext",
        "securityContext",
        "Security context of the operator.",
        Empty::Map,
    ),
];

/// Takes fields from values, which are those of `config/default`. Where a component that is on sets a field, the value
/// is that of the component. Fields of which components change a part stay in the template.
pub(super) fn apply(node: &mut Node, defaults: &Value, fields: &[Field], settings: &mut Settings) {
    for Field {
        name: field,
        value,
        about,
        empty,
    } in fields
    {
        let mut others = node
            .fields()
            .iter()
            .filter(|child| child.key == *field && child.when.is_always());
        if others.any(|child| child.node.literal().is_none()) {
            continue;
        }
        let default = match defaults.get(*field) {
            Some(default) if has_mark(default) => continue,
            Some(default) => default.clone(),
            None => (*empty).into(),
        };
        let child = if *empty == Empty::Name {
            let action = Node::Action(format!(".Values.{value} | quote"));
            Child::new(*field, action).when(When::on(value))
        } else {
            Child::new(*field, Node::Value((*value).to_owned()))
        };
        settings.add_with(value, about, default, empty.schema());
        replace(node, defaults, child);
    }
}

/// Lets a value add texts to a mapping, whose own texts win.
pub(super) fn merge(node: &mut Node, field: &str, value: &str) {
    if node.fields().iter().all(|child| child.key != field) {
        node.set(Child::new(field, Node::Value(value.to_owned())));
        return;
    }
    let texts = node.field(field);
    let literals = take_literals(texts);
    let merged = format!("toYaml (merge {literals} (default dict .Values.{value}))");
    let mut lines = Child::new("", Node::Lines(merged));
    if literals == NO_LITERALS {
        // Below other members, `{}` is no YAML.
        lines = lines.when(When::on(value));
    }
    texts.fields().push(lines);
}

/// A dictionary of a template without any text.
const NO_LITERALS: &str = "(dict)";

/// Takes the literal texts out of a mapping, as a dictionary of a template.
pub(super) fn take_literals(node: &mut Node) -> String {
    let mut dictionary = NO_LITERALS.trim_end_matches(')').to_owned();
    node.fields().retain(|child| match child.node.literal() {
        Some(Value::String(text)) if child.when.is_always() => {
            dictionary.extend([" ", &go(&child.key), " ", &go(text)]);
            false
        }
        _ => true,
    });
    dictionary.push(')');
    dictionary
}

/// Puts a value of the chart in the place of a field that `config/default` has, or lacks. What components that are off
/// put there stays.
pub(super) fn replace(node: &mut Node, default: &Value, child: Child) {
    let fields = node.fields();
    let default = default.get(&*child.key).map(Node::of);
    let is_field = |other: &&mut Child| other.key == child.key;
    let mut is_there = false;
    for other in fields.iter_mut().filter(is_field) {
        if default.as_ref() == Some(&other.node) {
            let when = other.when.clone().and(&child.when);
            *other = child.clone().when(when);
            is_there = true;
        }
    }
    if !is_there {
        let others = fields.iter().filter(|other| other.key == child.key);
        let when = others
            .fold(When::default(), |when, other| {
                when.and(&other.when.negated())
            })
            .and(&child.when);
        fields.push(child.when(when));
    }
}

/// Lets a value add members to a list: named objects.
pub(super) fn members(
    node: &mut Node,
    field: &str,
    value: &str,
    about: &str,
    settings: &mut Settings,
) {
    let mut schema = settings::objects(&["name", "value"]);
    schema["items"]["required"] = json!(["name"]);
    settings.add_with(value, about, json!([]), schema);
    list(node, field).push(Child::new("", Node::Members(value.to_owned())));
}

/// A list that need not be there.
pub(super) fn list<'a>(node: &'a mut Node, field: &str) -> &'a mut Vec<Child> {
    if node.fields().iter().all(|child| child.key != field) {
        node.set(Child::new(field, Node::List(Vec::new())));
    }
    node.field(field).items()
}

//! The source of the types.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

use super::fields::{Declarations, described, fields, has_default, rest, rest_field, variants};
use super::names::names;
use super::root::{self, Root};
use super::schema::{Shape, shape};
use super::tree::{Tree, Untyped};
use super::{Definition, Types, attribute, literal};

/// What the source imports if it has the word, by modules.
const IMPORTS: &[(&str, &[&str])] = &[
    ("std::collections", &["BTreeMap"]),
    (
        "k8s_openapi::api::core::v1",
        &["ObjectReference", "Toleration"],
    ),
    (
        "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1",
        &["CustomResourceDefinition"],
    ),
    (
        "k8s_openapi::apimachinery::pkg::apis::meta::v1",
        &["LabelSelector", "ObjectMeta"],
    ),
    ("kube", &["CustomResourceExt"]),
    ("kube::core", &["ApiResource"]),
    ("schemars", &["JsonSchema", "Schema", "SchemaGenerator"]),
    ("serde::ser", &["SerializeMap"]),
    ("serde", &["Deserialize", "Serialize", "Serializer"]),
    ("serde_json", &["Number", "Value", "json"]),
    (
        "crate::external",
        &["Condition", "DateTime", "IntOrString", "schema"],
    ),
];

/// What has no Rust form in the types that [`types`] gives.
pub fn untyped(definition: &Definition, type_name: &str) -> Vec<Untyped> {
    tree(&Root::new(definition, type_name)).untyped
}

fn tree<'a>(root: &Root<'a>) -> Tree<'a> {
    let mut tree = Tree::default();
    for field in &root.fields {
        tree.add(field.schema, &root.type_field(field), &[], field.property);
    }
    tree
}

/// The types of one version of a kind as the source of a module. The Rust type of the kind is called `type_name`.
///
/// Nothing but the CRD decides what it is: the same CRD always gives the same source.
#[expect(clippy::missing_panics_doc, reason = "what it writes is Rust")]
pub fn types(definition: &Definition, type_name: &str) -> Types {
    let root = Root::new(definition, type_name);
    let tree = tree(&root);
    let mut declarations = Declarations::new(names(&tree.declared, type_name));
    let mut text = root.declaration(&mut declarations);
    for declared in &tree.declared {
        let name = declarations.names[&declared.key].clone();
        text += "\n";
        text += &declaration(&mut declarations, &name, declared.schema, &declared.path);
    }
    for (name, schema) in declarations.functions.values() {
        let schema = serde_json::to_string_pretty(schema).expect("JSON");
        let schema = literal::raw(&format!("{schema}\n"));
        write!(
            text,
            "\nfn {name}(_: &mut SchemaGenerator) -> Schema {{\n    schema::parsed(\n        {schema},\n    )\n}}\n"
        )
        .expect("a string");
    }
    Types {
        text: format!("{}{}\n{text}", root::head(definition), imports(&text)),
        untyped: tree.untyped,
    }
}

fn declaration(declarations: &mut Declarations, name: &str, schema: &Value, path: &str) -> String {
    let mut text = described(schema, "");
    if text.is_empty() {
        text = format!("/// `{path}`.\n");
    }
    if let Shape::Enum(words) = shape(schema) {
        text +=
            "#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]\n";
        text.extend(attribute::of_type(schema));
        return format!("{text}pub enum {name} {{\n{}}}\n", variants(words));
    }
    text += match has_default(schema) {
        true => "#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]\n",
        false => "#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]\n",
    };
    let fields = fields(schema);
    if !fields.is_empty() {
        text += "#[serde(rename_all = \"camelCase\")]\n";
    }
    text.extend(attribute::of_type(schema));
    let mut members: Vec<String> = fields
        .iter()
        .map(|field| declarations.field(field))
        .collect();
    members.extend(rest(schema).map(|name| rest_field(&name)));
    match members.is_empty() {
        true => format!("{text}pub struct {name} {{}}\n"),
        false => format!("{text}pub struct {name} {{\n{}}}\n", members.join("\n")),
    }
}

/// The imports that a text needs.
fn imports(text: &str) -> String {
    let mut words = BTreeSet::new();
    let tokens: TokenStream = text.parse().expect("Rust source");
    identifiers(tokens, &mut words);
    if words.contains("serialize_map") {
        words.insert("SerializeMap".to_owned());
    }
    let mut lines = String::new();
    for (module, names) in IMPORTS {
        let names: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| words.contains(*name))
            .collect();
        let names = match names[..] {
            [] => continue,
            [name] => name.to_owned(),
            _ => format!("{{{}}}", names.join(", ")),
        };
        let suffix = if *module == "serde::ser" { " as _" } else { "" };
        if *module == "crate::external" {
            lines += "\n";
        }
        let _ = writeln!(lines, "use {module}::{names}{suffix};");
        if *module == "std::collections" {
            lines += "\n";
        }
    }
    lines
}

/// The identifiers of a source: those in strings and comments are none.
fn identifiers(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Ident(identifier) => drop(found.insert(identifier.to_string())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

//! The source of the types.

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::reserved::IMPORTS;

use super::fields::{Declarations, fields, has_default, rest, rest_field, variants};
use super::names::names;
use super::root::{self, Root};
use super::schema::{Shape, shape};
use super::source::{Identifier, Piece, Source, described, parsed, remark};
use super::tree::{Tree, Untyped};
use super::{Definition, Types, attribute};

/// What has no Rust form in the types that [`types`] gives.
pub fn untyped(definition: &Definition, type_name: &str) -> Vec<Untyped> {
    let name = Identifier::of(type_name, "Value");
    tree(&Root::new(definition, &name)).untyped
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
///
/// # Errors
/// Rust has no type of that name, or reads the source otherwise than it is meant.
pub fn types(definition: &Definition, type_name: &str) -> Result<Types> {
    let name = Identifier::of(type_name, "Value");
    if name.as_str() != type_name {
        return Err(Error::new(
            Code::GenerationFailed,
            format!("`{type_name}` is not a valid Rust type name"),
        ));
    }
    let root = Root::new(definition, &name);
    let tree = tree(&root);
    let mut declarations = Declarations::new(names(&tree.declared, &name));
    let mut body = root.declaration(&mut declarations);
    for declared in &tree.declared {
        let name = declarations.names[&declared.key].clone();
        body.add("\n", &[]);
        body.push(declaration(
            &mut declarations,
            &name,
            declared.schema,
            &declared.path,
        ));
    }
    for (name, schema) in declarations.functions.values() {
        body.add(
            "\nfn $(_: &mut SchemaGenerator) -> Schema {\n    schema::parsed(\n        $,\n    )\n}\n",
            &[name, &parsed(schema)],
        );
    }
    let head = root::head(definition);
    let source = Source::of("$$\n$", &[&head, &imports(&body), &body]);
    let text = source.checked().map_err(|place| {
        let Definition { group, kind, .. } = definition;
        let crd = format!("the CRD of {group} {kind}");
        Error::new(
            Code::GenerationFailed,
            format!("the generated Rust types of {crd} are wrong after `{place}`"),
        )
        .hint("this is a bug in rop: report it with the CRD")
    })?;
    Ok(Types {
        text,
        untyped: tree.untyped,
    })
}

fn declaration(
    declarations: &mut Declarations,
    name: &Identifier,
    schema: &Value,
    path: &str,
) -> Source {
    let mut text = described(schema, 0);
    if text.is_empty() {
        text = remark("`$`.", &[path], false);
    }
    if let Shape::Enum(words) = shape(schema) {
        text.add(
            "#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]\n",
            &[],
        );
        text.extend(attribute::of_type(schema));
        text.add("pub enum $ {\n$}\n", &[name, &variants(words)]);
        return text;
    }
    let derive = if has_default(schema) {
        "#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]\n"
    } else {
        "#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]\n"
    };
    text.add(derive, &[]);
    let fields = fields(schema);
    if !fields.is_empty() {
        text.add("#[serde(rename_all = \"camelCase\")]\n", &[]);
    }
    text.extend(attribute::of_type(schema));
    let mut members: Vec<Source> = fields
        .iter()
        .map(|field| declarations.field(field))
        .collect();
    members.extend(rest(schema).map(|name| rest_field(&name)));
    if members.is_empty() {
        text.add("pub struct $ {}\n", &[name]);
    } else {
        let members = Source::joined(members, "\n");
        text.add("pub struct $ {\n$}\n", &[name, &members]);
    }
    text
}

/// The imports that a source needs.
fn imports(source: &Source) -> Source {
    let mut words = source.own_identifiers();
    if words.contains("serialize_map") {
        words.insert("SerializeMap");
    }
    let mut lines = Source::default();
    for (module, names) in IMPORTS {
        let names: Vec<Source> = names
            .iter()
            .filter(|name| words.contains(*name))
            .map(|name| Source::of(name, &[]))
            .collect();
        let several = names.len() > 1;
        let names = Source::joined(names, ", ");
        if names.is_empty() {
            continue;
        }
        let names = if several {
            Source::of("{$}", &[&names])
        } else {
            names
        };
        if *module == "crate::external" {
            lines.add("\n", &[]);
        }
        let suffix = if *module == "serde::ser" { " as _" } else { "" };
        let pieces: [&dyn Piece; 3] = [&Source::of(module, &[]), &names, &Source::of(suffix, &[])];
        lines.add("use $::$$;\n", &pieces);
        if *module == "std::collections" {
            lines.add("\n", &[]);
        }
    }
    lines
}

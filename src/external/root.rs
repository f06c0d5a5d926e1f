//! The type of the kind itself, with its group, version and CRD.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::definition::Definition;
use super::fields::{Declarations, Field, described, fields, has_default, rest, rest_field};
use super::schema::{facts, is_required, properties, without_texts};
use super::{attribute, literal};

/// What every object has.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The kind itself.
pub(super) struct Root<'a> {
    definition: &'a Definition,
    type_name: &'a str,
    /// Its fields but for those that every object has.
    pub(super) fields: Vec<Field<'a>>,
}

/// What the source starts with.
pub(super) fn head(definition: &Definition) -> String {
    format!(
        "//! `{}` of `{}/{}`, as its CRD has it.\n\n",
        definition.kind, definition.group, definition.version
    )
}

impl<'a> Root<'a> {
    pub(super) fn new(definition: &'a Definition, type_name: &'a str) -> Self {
        let mut fields = fields(&definition.schema);
        fields.retain(|field| !META.contains(&field.property));
        for field in &mut fields {
            if field.name == "metadata" {
                field.name.push('_');
            }
        }
        Self {
            definition,
            type_name,
            fields,
        }
    }

    /// What the type of a field is called after: that of `spec` is `CertificateSpec`.
    pub(super) fn type_field(&self, field: &Field<'_>) -> String {
        format!("{}-{}", self.type_name, field.property)
    }

    /// The type, and what Kubernetes and kube want of it.
    pub(super) fn declaration(&self, declarations: &mut Declarations) -> String {
        let schema = &self.definition.schema;
        let type_name = self.type_name;
        let mut text = described(schema, "");
        if text.is_empty() {
            text = format!("/// `{}`.\n", self.definition.kind);
        }
        let has_default = self
            .fields
            .iter()
            .all(|field| !field.is_required || has_default(field.schema));
        text += match has_default {
            true => "#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq)]\n",
            false => "#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq)]\n",
        };
        text += "#[serde(rename_all = \"camelCase\")]\n";
        text.extend(attribute::of_type(&self.own_schema()));
        let mut members = vec![metadata(schema)];
        for field in &self.fields {
            // Its type is called after the kind, its name is not.
            members.push(declarations.field_named(field, &self.type_field(field)));
        }
        let rest = rest(schema);
        members.extend(rest.as_deref().map(rest_field));
        let _ = writeln!(text, "pub struct {type_name} {{\n{}}}", members.join("\n"));
        text + &self.resource() + &self.serialize(rest.as_deref()) + &self.crd()
    }

    /// The schema without what all objects have, whose fields are not the type's.
    fn own_schema(&self) -> Value {
        let mut schema = self.definition.schema.clone();
        let is_own = |name: &Value| !META.iter().any(|meta| name == meta);
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(is_own);
        }
        schema
    }

    fn resource(&self) -> String {
        let Definition {
            group,
            version,
            kind,
            plural,
            is_namespaced,
            ..
        } = self.definition;
        let type_name = self.type_name;
        let scope = match is_namespaced {
            true => "NamespaceResourceScope",
            false => "ClusterResourceScope",
        };
        format!(
            r#"
impl k8s_openapi::Resource for {type_name} {{
    type Scope = k8s_openapi::{scope};

    const API_VERSION: &'static str = "{group}/{version}";
    const GROUP: &'static str = "{group}";
    const KIND: &'static str = "{kind}";
    const VERSION: &'static str = "{version}";
    const URL_PATH_SEGMENT: &'static str = "{plural}";
}}

impl k8s_openapi::Metadata for {type_name} {{
    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {{
        &self.metadata
    }}

    fn metadata_mut(&mut self) -> &mut ObjectMeta {{
        &mut self.metadata
    }}
}}
"#
        )
    }

    fn serialize(&self, rest: Option<&str>) -> String {
        let type_name = self.type_name;
        let fields = self.fields.iter().map(|Field { name, property, is_required, .. }| {
            let property = literal::string(property);
            match is_required {
                true => format!("        object.serialize_entry({property}, &self.{name})?;\n"),
                false => format!(
                    "        if let Some({name}) = &self.{name} {{\n            object.serialize_entry({property}, {name})?;\n        }}\n"
                ),
            }
        });
        let mut fields: String = fields.collect();
        if let Some(rest) = rest {
            let _ = write!(
                fields,
                "        for (name, value) in &self.{rest} {{\n            object.serialize_entry(name, value)?;\n        }}\n"
            );
        }
        format!(
            r#"
/// An object says what it is.
impl Serialize for {type_name} {{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {{
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("apiVersion", <Self as k8s_openapi::Resource>::API_VERSION)?;
        object.serialize_entry("kind", <Self as k8s_openapi::Resource>::KIND)?;
        object.serialize_entry("metadata", &self.metadata)?;
{fields}        object.end()
    }}
}}
"#
        )
    }

    fn crd(&self) -> String {
        let Definition {
            group,
            plural,
            names,
            ..
        } = self.definition;
        let type_name = self.type_name;
        let names = names["shortNames"].as_array().into_iter().flatten();
        let short_names: Vec<String> = names.map(literal::json).collect();
        let short_names = short_names.join(", ");
        let crd = literal::object(&self.manifest(), 8);
        let crd = crd.replace("\"<schema>\"", &self.openapi());
        format!(
            r#"
impl CustomResourceExt for {type_name} {{
    fn crd() -> CustomResourceDefinition {{
        schema::crd(json!({crd}))
    }}

    fn crd_name() -> &'static str {{
        "{plural}.{group}"
    }}

    fn api_resource() -> ApiResource {{
        ApiResource::erase::<Self>(&())
    }}

    fn shortnames() -> &'static [&'static str] {{
        &[{short_names}]
    }}
}}
"#
        )
    }

    /// The CRD with this version alone, and with a word in the place of the schema.
    fn manifest(&self) -> Map<String, Value> {
        let Definition {
            group,
            plural,
            names,
            is_namespaced,
            settings,
            conversion,
            manifest,
            ..
        } = self.definition;
        let mut version = settings.clone();
        version.insert(
            "schema".to_owned(),
            json!({ "openAPIV3Schema": "<schema>" }),
        );
        let scope = if *is_namespaced {
            "Namespaced"
        } else {
            "Cluster"
        };
        let mut spec =
            json!({ "group": group, "names": names, "scope": scope, "versions": [version] });
        if !conversion.is_null() {
            spec["conversion"] = conversion.clone();
        }
        let preserves = &manifest["spec"]["preserveUnknownFields"];
        if !preserves.is_null() {
            spec["preserveUnknownFields"] = preserves.clone();
        }
        // An API server refuses groups of Kubernetes without their annotation.
        let mut metadata = json!({ "name": format!("{plural}.{group}") });
        for key in ["annotations", "labels"] {
            if let Some(fields) = manifest["metadata"].get(key) {
                metadata[key] = fields.clone();
            }
        }
        let manifest = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": metadata,
            "spec": spec,
        });
        match manifest {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// The call that gives the schema, with what it says of the fields that the type does not have.
    fn openapi(&self) -> String {
        let schema = &self.definition.schema;
        let implied = properties(schema).filter(|(name, _)| META[..2].contains(&name.as_str()));
        let implied: Map<String, Value> = implied
            .map(|(name, schema)| (name.clone(), without_texts(schema)))
            .collect();
        let required = schema["required"].as_array().into_iter().flatten();
        let has_metadata = schema["properties"].get("metadata").is_some();
        let of_type: &[&str] = if has_metadata { &META[..2] } else { &META };
        let required = required.filter(|name| of_type.iter().any(|meta| name == meta));
        let required: Vec<Value> = required.cloned().collect();
        let string = json!({ "type": "string" });
        let usual = json!({ "apiVersion": string, "kind": string });
        let implied = Value::Object(implied);
        if required.is_empty() && usual == implied {
            return "schema::of::<Self>()".to_owned();
        }
        let required = required.into();
        let (implied, required) = (literal::json(&implied), literal::json(&required));
        format!("schema::with::<Self>(json!({implied}), json!({required}))")
    }
}

/// The field `metadata`. Its schema is not that of the type: the API server knows it.
fn metadata(of: &Value) -> String {
    let text = "    /// The metadata of the object.\n".to_owned();
    let schema = of["properties"].get("metadata");
    let attribute = schema.map_or("#[schemars(skip)]".to_owned(), |schema| {
        let mut facts = facts(schema);
        facts.insert("type".to_owned(), json!("object"));
        for keyword in ["properties", "required"] {
            if let Some(value) = schema.get(keyword) {
                facts.insert(keyword.to_owned(), without_texts(value));
            }
        }
        let facts = facts.iter();
        let facts: Vec<_> = facts
            .map(|(name, value)| format!("{} = {}", literal::string(name), literal::json(value)))
            .collect();
        let type_ = match is_required(of, "metadata") {
            true => "serde_json::Value",
            false => "Option<serde_json::Value>",
        };
        format!(
            "#[schemars(with = \"{type_}\", extend({}))]",
            facts.join(", ")
        )
    });
    format!("{text}    {attribute}\n    pub metadata: ObjectMeta,\n")
}

//! The type of the kind itself, with its group, version and CRD.

use serde_json::{Map, Value, json};

use super::attribute;
use super::definition::Definition;
use super::fields::{Declarations, Field, fields, has_default, rest, rest_field};
use super::keywords::{is_required, properties};
use super::schema::{facts, without_texts};
use super::source::{self, Identifier, Source, described, object_with, remark, string};

/// What every object has.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The kind itself.
pub(super) struct Root<'a> {
    definition: &'a Definition,
    type_name: &'a Identifier,
    /// Its fields but for those that every object has.
    pub(super) fields: Vec<Field<'a>>,
}

/// What the source starts with.
pub(super) fn head(definition: &Definition) -> Source {
    let Definition {
        group,
        version,
        kind,
        ..
    } = definition;
    let head = "`$` of `$/$`, as its CRD has it.";
    Source::of("$\n", &[&remark(head, &[kind, group, version], true)])
}

impl<'a> Root<'a> {
    pub(super) fn new(definition: &'a Definition, type_name: &'a Identifier) -> Self {
        let mut fields = fields(&definition.schema);
        fields.retain(|field| !META.contains(&field.property));
        for field in &mut fields {
            if field.name.as_str() == "metadata" {
                field.name = field.name.with("_");
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
        format!("{}-{}", self.type_name.as_str(), field.property)
    }

    /// The type, and what Kubernetes and kube want of it.
    pub(super) fn declaration(&self, declarations: &mut Declarations) -> Source {
        let schema = &self.definition.schema;
        let mut text = described(schema, 0);
        if text.is_empty() {
            text = remark("`$`.", &[&self.definition.kind], false);
        }
        let has_default = self
            .fields
            .iter()
            .all(|field| !field.is_required || has_default(field.schema));
        let derive = if has_default {
            "#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq)]\n"
        } else {
            "#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq)]\n"
        };
        text.add(derive, &[]);
        text.add("#[serde(rename_all = \"camelCase\")]\n", &[]);
        text.extend(attribute::of_type(&self.own_schema()));
        let mut members = vec![metadata(schema)];
        for field in &self.fields {
            // Its type is called after the kind, its name is not.
            members.push(declarations.field_named(field, &self.type_field(field)));
        }
        let rest = rest(schema);
        members.extend(rest.as_ref().map(rest_field));
        let members = Source::joined(members, "\n");
        text.add("pub struct $ {\n$}\n", &[self.type_name, &members]);
        text.extend([self.resource(), self.serialize(rest.as_ref()), self.crd()]);
        text
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

    fn resource(&self) -> Source {
        let Definition {
            group,
            version,
            kind,
            plural,
            is_namespaced,
            ..
        } = self.definition;
        let scope = if *is_namespaced {
            "NamespaceResourceScope"
        } else {
            "ClusterResourceScope"
        };
        Source::of(
            r"
impl k8s_openapi::Resource for $ {
    type Scope = k8s_openapi::$;

    const API_VERSION: &'static str = $;
    const GROUP: &'static str = $;
    const KIND: &'static str = $;
    const VERSION: &'static str = $;
    const URL_PATH_SEGMENT: &'static str = $;
}

impl k8s_openapi::Metadata for $ {
    type Ty = ObjectMeta;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
",
            &[
                self.type_name,
                &Source::of(scope, &[]),
                &string(&format!("{group}/{version}")),
                &string(group),
                &string(kind),
                &string(version),
                &string(plural),
                self.type_name,
            ],
        )
    }

    /// No variable in it is called after something of the CRD.
    fn serialize(&self, rest: Option<&Identifier>) -> Source {
        let mut fields: Source = self
            .fields
            .iter()
            .map(|field| {
                let property = string(field.property);
                if field.is_required {
                    Source::of(
                        "        object.serialize_entry($, &self.$)?;\n",
                        &[&property, &field.name],
                    )
                } else {
                    Source::of(
                        concat!(
                            "        if let Some(value) = &self.$ {\n",
                            "            object.serialize_entry($, value)?;\n        }\n"
                        ),
                        &[&field.name, &property],
                    )
                }
            })
            .collect();
        if let Some(rest) = rest {
            fields.add(
                concat!(
                    "        for (name, value) in &self.$ {\n",
                    "            object.serialize_entry(name, value)?;\n        }\n"
                ),
                &[rest],
            );
        }
        Source::of(
            r#"
/// An object says what it is.
impl Serialize for $ {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("apiVersion", <Self as k8s_openapi::Resource>::API_VERSION)?;
        object.serialize_entry("kind", <Self as k8s_openapi::Resource>::KIND)?;
        object.serialize_entry("metadata", &self.metadata)?;
$        object.end()
    }
}
"#,
            &[self.type_name, &fields],
        )
    }

    fn crd(&self) -> Source {
        let Definition {
            group,
            plural,
            names,
            ..
        } = self.definition;
        let names = names["shortNames"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let short_names = Source::joined(names.map(string), ", ");
        let manifest = self.manifest();
        let schema = &manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        let crd = object_with(&manifest, 8, schema, &self.openapi());
        Source::of(
            r"
impl CustomResourceExt for $ {
    fn crd() -> CustomResourceDefinition {
        schema::crd(json!($))
    }

    fn crd_name() -> &'static str {
        $
    }

    fn api_resource() -> ApiResource {
        ApiResource::erase::<Self>(&())
    }

    fn shortnames() -> &'static [&'static str] {
        &[$]
    }
}
",
            &[
                self.type_name,
                &crd,
                &string(&format!("{plural}.{group}")),
                &short_names,
            ],
        )
    }

    /// The CRD with this version alone, and with nothing in the place of the schema.
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
        version.insert("schema".to_owned(), json!({ "openAPIV3Schema": null }));
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
    fn openapi(&self) -> Source {
        let schema = &self.definition.schema;
        let implied: Map<String, Value> = properties(schema)
            .filter(|(name, _)| META[..2].contains(&name.as_str()))
            .map(|(name, schema)| (name.clone(), without_texts(schema)))
            .collect();
        let required = schema["required"].as_array().into_iter().flatten();
        let has_metadata = schema["properties"].get("metadata").is_some();
        let of_type: &[&str] = if has_metadata { &META[..2] } else { &META };
        let required: Vec<Value> = required
            .filter(|name| of_type.iter().any(|meta| name == meta))
            .cloned()
            .collect();
        let string = json!({ "type": "string" });
        let usual = json!({ "apiVersion": string, "kind": string });
        let implied = Value::Object(implied);
        if required.is_empty() && usual == implied {
            return Source::of("schema::of::<Self>()", &[]);
        }
        Source::of(
            "schema::with::<Self>(json!($), json!($))",
            &[&source::json(&implied), &source::json(&required.into())],
        )
    }
}

/// The field `metadata`. Its schema is not that of the type: the API server knows it.
fn metadata(of: &Value) -> Source {
    let schema = of["properties"].get("metadata");
    let attribute = schema.map_or(Source::of("#[schemars(skip)]", &[]), |schema| {
        let mut facts = facts(schema);
        facts.insert("type".to_owned(), json!("object"));
        for keyword in ["properties", "required"] {
            if let Some(value) = schema.get(keyword) {
                facts.insert(keyword.to_owned(), without_texts(value));
            }
        }
        let lines = facts
            .iter()
            .map(|(name, value)| Source::of("$ = $", &[&string(name), &source::json(value)]));
        let list = Source::joined(lines, ", ");
        if is_required(of, "metadata") {
            Source::of(
                "#[schemars(with = \"serde_json::Value\", extend($))]",
                &[&list],
            )
        } else {
            Source::of(
                "#[schemars(with = \"Option<serde_json::Value>\", extend($))]",
                &[&list],
            )
        }
    });
    Source::of(
        "    /// The metadata of the object.\n    $\n    pub metadata: ObjectMeta,\n",
        &[&attribute],
    )
}

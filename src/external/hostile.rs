//! CRDs that nobody means well with: an error, or the source that is meant, and never a panic.

use fastrand::Rng;
use serde_json::{Map, Value, json};
use syn::{Attribute, Fields, Item};

use super::{Definition, types};

/// What breaks out of where it is put, if that is pasted.
const TEXTS: &[&str] = &[
    "",
    " ",
    "x\n#[allow(dead_code)]\npub fn injected() {}\n/// y",
    "x\r\npub fn injected() {}\r\n",
    "a\rpub fn injected() {}",
    "\"; fn injected() {} //",
    "\", with = \"injected",
    "\"# ))] fn injected() {} r#\"",
    "\"########## is injected!()",
    "*/ fn injected() {} /*",
    "```\nfn injected() {}",
    "~~~\n\u{202e}fn injected() {}\n~~~",
    "`}; fn injected() {}`",
    "\\",
    "\\\"",
    "'",
    "`",
    "{}",
    "{is injected}",
    "$",
    "$$ $is injected",
    "//! is injected",
    "#![is injected]",
    "<schema>",
    "\"<schema>\"",
    "\u{0}",
    "\u{1b}[31m",
    "\u{7f}\u{85}",
    "\u{202e}",
    "a\u{2066}b",
    "\u{2028}\u{2029}",
    "\u{feff}\u{200b}\u{ad}",
    "\u{e0001}🦀",
    "größe",
    "gro\u{308}ße",
    "ähnlich",
    "名前",
    "1st",
    "_",
    "__",
    "-",
    "xn--a",
    "self",
    "Self",
    "super",
    "crate",
    "r#fn",
    "type",
    "type_",
    "Type",
    "metadata",
    "Metadata",
    "object",
    "other",
    "value",
    "serializer",
    "spec",
    "apiVersion",
    "Value",
    "value2",
    "Time",
    "Option",
    "String",
    "Serialize",
    "IPv6",
];

/// A random CRD.
struct Hostile(Rng);

impl Hostile {
    fn text(&mut self) -> String {
        let text = TEXTS[self.0.usize(..TEXTS.len())];
        match self.0.u8(..8) {
            0 => text.repeat(self.0.usize(1..40)),
            1 => format!("{text}{}", self.text()),
            _ => text.to_owned(),
        }
    }

    /// A value that has the wrong type now and then.
    fn or_any(&mut self, value: Value) -> Value {
        match self.0.u8(..40) {
            0 => self.any(0),
            _ => value,
        }
    }

    fn any(&mut self, depth: usize) -> Value {
        match self.0.u8(..if depth > 2 { 8 } else { 10 }) {
            0 => Value::Null,
            1 => self.0.bool().into(),
            2 => self.0.i64(..).into(),
            3 => u64::MAX.into(),
            4 => (self.0.f64() * 1e300).into(),
            5 => (-0.0).into(),
            6 | 7 => self.text().into(),
            8 => (0..3).map(|_| self.any(depth + 1)).collect(),
            _ => (0..3).map(|_| (self.text(), self.any(depth + 1))).collect(),
        }
    }

    fn texts(&mut self) -> Value {
        let count = self.0.usize(..6);
        let texts = (0..count).map(|_| {
            let text = self.text().into();
            self.or_any(text)
        });
        texts.collect()
    }

    fn schema(&mut self, depth: usize) -> Value {
        let mut schema = Map::new();
        let mut set = |keyword: &str, value: Value| schema.insert(keyword.to_owned(), value);
        let words = ["string", "integer", "number", "boolean", "array", "object"];
        let kind = match depth {
            0 => "object",
            1..3 => words[self.0.usize(..6)],
            _ => words[self.0.usize(..4)],
        };
        set("type", self.or_any(kind.into()));
        match kind {
            "string" => {
                for keyword in ["pattern", "format", "minLength", "enum"] {
                    let value = match keyword {
                        "enum" => self.texts(),
                        "minLength" => self.0.u32(..).into(),
                        _ => self.text().into(),
                    };
                    if self.0.u8(..4) == 0 {
                        set(keyword, self.or_any(value));
                    }
                }
            }
            "integer" | "number" => drop(set("maximum", self.any(3))),
            "array" => drop(set("items", self.schema(depth + 1))),
            "object" if self.0.u8(..5) == 0 => {
                set("additionalProperties", self.schema(depth + 1));
            }
            "object" => {
                let count = self.0.usize(..5);
                let properties: Value = (0..count)
                    .map(|_| (self.text(), self.schema(depth + 1)))
                    .collect();
                set("properties", self.or_any(properties));
                set("required", self.texts());
            }
            _ => {}
        }
        for keyword in [
            "description",
            "title",
            "default",
            "x-kubernetes-validations",
        ] {
            if self.0.u8(..3) == 0 {
                let value = match keyword {
                    "default" => self.any(1),
                    "x-kubernetes-validations" => {
                        json!([{ "rule": self.text(), "message": self.text() }])
                    }
                    _ => self.text().into(),
                };
                set(keyword, value);
            }
        }
        let keyword = match self.0.u8(..12) {
            0 => self.text(),
            1 => "x-kubernetes-preserve-unknown-fields".to_owned(),
            2 => "x-kubernetes-int-or-string".to_owned(),
            3 => "nullable".to_owned(),
            _ => return schema.into(),
        };
        set(&keyword, self.or_any(true.into()));
        schema.into()
    }

    /// A name that Kubernetes takes, or none.
    fn name(&mut self, name: &str) -> Value {
        match self.0.u8(..4) {
            0 => self.text().into(),
            1 => self.any(0),
            _ => name.into(),
        }
    }

    fn crd(&mut self) -> Value {
        let column = json!({ "name": self.text(), "type": "string", "jsonPath": self.text() });
        let version = json!({
            "name": self.name("v1"),
            "served": true,
            "storage": true,
            "deprecationWarning": self.text(),
            "additionalPrinterColumns": [column],
            "schema": { "openAPIV3Schema": self.schema(0) },
        });
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": self.text(), "annotations": { self.text(): self.text() } },
            "spec": {
                "group": self.name("evil.io"),
                "scope": "Namespaced",
                "names": {
                    "kind": self.name("Evil"),
                    "plural": self.name("evils"),
                    "singular": self.text(),
                    "shortNames": self.texts(),
                    "categories": self.texts(),
                },
                "versions": [version],
                "conversion": self.any(0),
            },
        })
    }
}

#[test]
fn is_an_error_or_what_is_meant() {
    let mut hostile = Hostile(Rng::with_seed(34));
    for _ in 0..400 {
        let crd = hostile.crd();
        let definition = unchecked(&crd);
        let types = types(&definition, "Evil").unwrap_or_else(|error| {
            let chain: Vec<_> = error.chain().collect();
            panic!("{chain:?} of {crd:#}")
        });
        is_meant(&types.text);
        definition.sample();
    }
}

/// What a CRD would be if nobody looked at it before.
fn unchecked(crd: &Value) -> Definition {
    let spec = &crd["spec"];
    let version = &spec["versions"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut settings = version.as_object().cloned().unwrap_or_default();
    settings.remove("schema");
    Definition {
        group: text(&spec["group"]),
        kind: text(&spec["names"]["kind"]),
        plural: text(&spec["names"]["plural"]),
        version: text(&version["name"]),
        is_namespaced: true,
        manifest: crd.clone(),
        names: spec["names"].clone(),
        settings,
        conversion: spec["conversion"].clone(),
        schema: version["schema"]["openAPIV3Schema"].clone(),
    }
}

/// Whether a source has what the types of a kind have, in that order, each name once, and nothing else.
fn is_meant(source: &str) {
    let file = syn::parse_file(source).unwrap_or_else(|error| panic!("{error}: {source}"));
    assert!(
        file.attrs
            .iter()
            .all(|attribute| attribute.path().is_ident("doc"))
    );
    let mut parts = String::new();
    let mut names = Vec::new();
    for item in &file.items {
        let (part, attributes, name) = match item {
            Item::Use(item) => ('u', &item.attrs, None),
            Item::Impl(item) => ('i', &item.attrs, None),
            Item::Fn(item) => ('f', &item.attrs, Some(&item.sig.ident)),
            Item::Struct(item) => {
                let Fields::Named(fields) = &item.fields else {
                    panic!("fields without names: {source}");
                };
                let fields = fields
                    .named
                    .iter()
                    .map(|field| (&field.attrs, field.ident.as_ref()));
                let named = fields.filter_map(|(attributes, name)| {
                    are_known(attributes, source);
                    name.map(ToString::to_string)
                });
                differ(named.collect(), source);
                ('t', &item.attrs, Some(&item.ident))
            }
            Item::Enum(item) => {
                let named = item.variants.iter().map(|variant| {
                    are_known(&variant.attrs, source);
                    variant.ident.to_string()
                });
                differ(named.collect(), source);
                ('t', &item.attrs, Some(&item.ident))
            }
            _ => panic!("an item that is not meant: {source}"),
        };
        are_known(attributes, source);
        parts.push(part);
        names.extend(name.map(ToString::to_string));
    }
    let order = regex::Regex::new("^u+tiiiit*f*$").expect("a pattern");
    assert!(order.is_match(&parts), "{parts}: {source}");
    differ(names, source);
    let tokens = super::source::identifiers(source);
    assert!(!tokens.contains("injected"), "{source}");
}

fn are_known(attributes: &[Attribute], source: &str) {
    let known = ["derive", "doc", "schemars", "serde"];
    let is_known = |attribute: &Attribute| known.iter().any(|name| attribute.path().is_ident(name));
    assert!(attributes.iter().all(is_known), "{source}");
}

/// Names that rustc neither refuses nor warns of.
fn differ(mut names: Vec<String>, source: &str) {
    let all = names.len();
    assert!(names.iter().all(|name| !name.contains("__")), "{names:?}");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}: {source}");
}

/// A real API server takes such a property.
#[test]
fn a_property_is_no_code() {
    let property = "x\n#[allow(dead_code)]\npub fn injected() {}\n/// y";
    let object = json!({ "type": "object", "properties": { "b": { "type": "string" } } });
    let spec = json!({ "type": "object", "properties": { property: object } });
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "evils.evil.io" },
        "spec": {
            "group": "evil.io",
            "names": { "kind": "Evil", "plural": "evils" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    });
    let definition = unchecked(&crd);
    let source = types(&definition, "Evil").expect("types").text;
    is_meant(&source);
    let place = r"/// `spec.x\n#[allow(dead_code)]\npub fn injected() {}\n/// y`.";
    assert!(source.contains(place), "{source}");
}

//! A CRD, read from a file of somebody else.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::error::{Context, Error, Result};
use crate::yaml;

/// The longest text that is read: etcd takes no object of 1.5 MiB, and some files hold several.
pub(crate) const LONGEST: usize = 16 << 20;

/// What a CRD is called.
const CRD: &str = "CustomResourceDefinition";

/// The API that has CRDs, without its version.
const API: &str = "apiextensions.k8s.io";

/// The kind that is looked for.
#[derive(Clone, Debug)]
pub struct Named<'a> {
    /// Its whole group.
    pub group: Cow<'a, str>,
    /// The kind.
    pub kind: &'a str,
    /// Its version; where none is named, it is the one that objects are stored in.
    pub version: Option<&'a str>,
}

/// One version of a kind, as its CRD has it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The whole group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The resource in URLs.
    pub plural: String,
    /// The version.
    pub version: String,
    /// Whether objects live in a namespace.
    pub is_namespaced: bool,
    /// The CRD with all its versions, without what a cluster adds.
    pub manifest: Value,
    /// The names of the kind.
    pub(super) names: Value,
    /// What the CRD says of the version beside its schema.
    pub(super) settings: Map<String, Value>,
    pub(super) conversion: Value,
    pub(super) schema: Value,
}

impl Definition {
    /// Finds a kind in the CRDs of a text. `file` is what the text is called in messages.
    ///
    /// # Errors
    /// The text is not YAML, holds no such CRD, or one without a schema for the version.
    pub fn read(text: &str, file: &str, named: Named<'_>) -> Result<Self> {
        let crd = find(documents(text, file)?, file, &named)?;
        Self::of(&crd, file, named.version)
    }

    fn of(crd: &Value, file: &str, version: Option<&str>) -> Result<Self> {
        let spec = &crd["spec"];
        let text = |value: &Value, path: &str| match value.as_str() {
            Some(text) if is_name(text) => Ok(text.to_owned()),
            _ => Err(malformed(
                crd,
                file,
                &format!("`{path}` is missing or not a name"),
            )),
        };
        let names = &spec["names"];
        let group = text(&spec["group"], "spec.group")?;
        let kind = text(&names["kind"], "spec.names.kind")?;
        let is_namespaced = match spec["scope"].as_str() {
            Some("Namespaced") => true,
            Some("Cluster") => false,
            _ => {
                return Err(malformed(
                    crd,
                    file,
                    "`spec.scope` is neither `Namespaced` nor `Cluster`",
                ));
            }
        };
        let versions = spec["versions"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let is_it = |one: &&Value| match version {
            Some(version) => one["name"] == version,
            None => one["storage"] == true,
        };
        let Some(found) = versions.iter().find(is_it) else {
            let names: Vec<&str> = versions
                .iter()
                .filter_map(|one| one["name"].as_str())
                .collect();
            return Err(match version {
                Some(version) => Error::usage(format!(
                    "{group} {kind} has no version `{version}` in `{file}`"
                ))
                .hint(format!("it has {}", names.join(", "))),
                None => malformed(crd, file, "no version has `storage: true`"),
            });
        };
        let schema = &found["schema"]["openAPIV3Schema"];
        if !schema.is_object() {
            return Err(malformed(
                crd,
                file,
                "the version has no schema, and there are no types without one",
            )
            .hint("look for a newer release of the CRD"));
        }
        let mut settings = found.as_object().cloned().unwrap_or_default();
        settings.remove("schema");
        let definition = Self {
            plural: text(&names["plural"], "spec.names.plural")?,
            version: text(&found["name"], "spec.versions[].name")?,
            is_namespaced,
            manifest: manifest(crd),
            names: names.clone(),
            settings,
            conversion: spec["conversion"].clone(),
            schema: schema.clone(),
            group,
            kind,
        };
        definition.check(file)?;
        Ok(definition)
    }

    /// What cannot be a schema at all is found here, and not by rustc.
    fn check(&self, file: &str) -> Result<()> {
        let properties = &self.schema["properties"];
        if !properties.is_null() && !properties.is_object() {
            return Err(malformed(
                &self.manifest,
                file,
                "the properties of its schema are none",
            ));
        }
        Ok(())
    }
}

/// The objects of a text.
fn documents(text: &str, file: &str) -> Result<Vec<Value>> {
    if text.len() > LONGEST {
        let (size, limit) = (text.len() >> 20, LONGEST >> 20);
        return Err(Error::usage(format!(
            "`{file}` has {size} MiB, and a file of CRDs has at most {limit}"
        )));
    }
    let mut objects = Vec::new();
    let mut document = String::new();
    for line in text.lines().chain(["---"]) {
        if line.trim_end() != "---" {
            document.push_str(line);
            document.push('\n');
            continue;
        }
        let object: Option<Value> =
            yaml::from_str(&document).context(|| format!("failed to read `{file}` as YAML"))?;
        document.clear();
        match object {
            Some(mut list) if list["items"].is_array() => {
                if let Value::Array(items) = list["items"].take() {
                    objects.extend(items);
                }
            }
            object => objects.extend(object),
        }
    }
    Ok(objects)
}

/// The CRD of a kind.
fn find(objects: Vec<Value>, file: &str, named: &Named<'_>) -> Result<Value> {
    let (crds, others): (Vec<Value>, Vec<Value>) = objects.into_iter().partition(is_crd);
    if crds.is_empty() {
        let kinds: Vec<&str> = others
            .iter()
            .filter_map(|one| one["kind"].as_str())
            .collect();
        let error = Error::usage(format!("`{file}` holds no {CRD}"));
        return Err(match kinds[..] {
            [] => error,
            _ => error.hint(format!("it holds {}", kinds.join(", "))),
        });
    }
    let is_it = |crd: &&Value| {
        let spec = &crd["spec"];
        spec["group"] == *named.group && spec["names"]["kind"] == named.kind
    };
    let Some(crd) = crds.iter().find(is_it) else {
        let names = crds.iter().map(|crd| {
            let spec = &crd["spec"];
            let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
            format!("{} {}", text(&spec["group"]), text(&spec["names"]["kind"]))
        });
        let names: Vec<String> = names.collect();
        return Err(Error::usage(format!(
            "`{file}` does not define the kind {} {}",
            named.group, named.kind
        ))
        .hint(format!("it defines {}", names.join(", "))));
    };
    match crd["apiVersion"].as_str() {
        Some(version) if version == format!("{API}/v1") => Ok(crd.clone()),
        version => Err(malformed(
            crd,
            file,
            &format!(
                "its apiVersion is `{}`, which Kubernetes serves no more",
                version.unwrap_or_default()
            ),
        )
        .hint(format!("look for a release of the CRD in `{API}/v1`"))),
    }
}

fn is_crd(object: &Value) -> bool {
    let api = object["apiVersion"].as_str().unwrap_or_default();
    object["kind"] == CRD && api.split('/').next() == Some(API)
}

/// Whether a text can stand in a name of Kubernetes, and so in Rust source.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || ".-".contains(c))
}

/// A CRD without what a cluster adds to it.
fn manifest(crd: &Value) -> Value {
    let mut metadata = json!({ "name": crd["metadata"]["name"] });
    for key in ["annotations", "labels"] {
        let fields = crd["metadata"][key].as_object().into_iter().flatten();
        let fields =
            fields.filter(|(name, _)| *name != "kubectl.kubernetes.io/last-applied-configuration");
        let fields: Map<String, Value> = fields
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if !fields.is_empty() {
            metadata[key] = fields.into();
        }
    }
    json!({
        "apiVersion": format!("{API}/v1"),
        "kind": CRD,
        "metadata": metadata,
        "spec": crd["spec"],
    })
}

fn malformed(crd: &Value, file: &str, why: &str) -> Error {
    let name = crd["metadata"]["name"].as_str().unwrap_or("without a name");
    Error::usage(format!(
        "the {CRD} {name} in `{file}` cannot be used: {why}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDGET: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.org
spec:
  group: example.org
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
  - name: v2
    served: true
    storage: false
";

    fn read(text: &str, kind: &str, version: Option<&str>) -> Result<Definition> {
        let named = Named {
            group: "example.org".into(),
            kind,
            version,
        };
        Definition::read(text, "widget.yaml", named)
    }

    #[test]
    fn the_stored_version_is_taken_where_none_is_named() {
        let several = format!("kind: Pod\n---\n{WIDGET}---\n");
        let definition = read(&several, "Widget", None).expect("a CRD");
        assert_eq!(
            (&*definition.version, definition.is_namespaced),
            ("v1", true)
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let list = WIDGET.replace(
            "{type: object}",
            &format!("{}{}", "[".repeat(300), "]".repeat(300)),
        );
        for (text, kind, version, message, hint) in [
            (
                "kind: Pod\n",
                "Widget",
                None,
                "holds no CustomResourceDefinition",
                "it holds Pod",
            ),
            (
                "a: [\n",
                "Widget",
                None,
                "failed to read `widget.yaml` as YAML",
                "",
            ),
            ("", "Widget", None, "holds no CustomResourceDefinition", ""),
            (
                WIDGET,
                "Gadget",
                None,
                "does not define the kind example.org Gadget",
                "it defines example.org Widget",
            ),
            (
                WIDGET,
                "Widget",
                Some("v3"),
                "has no version `v3`",
                "it has v1, v2",
            ),
            (
                WIDGET,
                "Widget",
                Some("v2"),
                "has no schema",
                "look for a newer release of the CRD",
            ),
            (
                &WIDGET.replace("io/v1", "io/v1beta1"),
                "Widget",
                None,
                "serves no more",
                "look for a release of the CRD in `apiextensions.k8s.io/v1`",
            ),
            (
                &WIDGET.replace("Namespaced", "Both"),
                "Widget",
                None,
                "`spec.scope`",
                "",
            ),
            (
                &WIDGET.replace("plural: widgets", "plural: '\"'"),
                "Widget",
                None,
                "`spec.names.plural`",
                "",
            ),
            (&list, "Widget", None, "recursion limit exceeded", ""),
        ] {
            let error = read(text, kind, version).expect_err(message);
            let chain: Vec<_> = error.chain().collect();
            assert!(chain.join(": ").contains(message), "{chain:?}");
            assert!(chain.join(": ").contains("`widget.yaml`"), "{chain:?}");
            let first = error.hints().first().map(String::as_str);
            assert_eq!(first.unwrap_or_default(), hint, "{message}");
        }
        let long = format!("{WIDGET}#{}", " ".repeat(LONGEST));
        assert!(read(&long, "Widget", None).is_err());
    }
}

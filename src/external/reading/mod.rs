//! The CRDs of a text.

mod default;
mod form;
mod structure;
#[cfg(test)]
mod tests;
mod validity;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::definition::{API, CRD, Definition, malformed};
use crate::error::{Code, Error, Result};
use crate::listed::listed;
use crate::yaml::{self, Malformed};

/// The longest text that is read: etcd takes no object of 1.5 MiB, and some files hold several.
pub(crate) const LONGEST: usize = 16 << 20;

/// How many names a message lists.
const LISTED: usize = 12;

/// How many parts that cannot be read are named.
const UNREADABLE: usize = 4;

/// The kind that is looked for.
#[derive(Clone, Debug)]
pub struct Named<'a> {
    /// Its whole group.
    pub group: Cow<'a, str>,
    /// The kind.
    pub kind: &'a str,
    /// Its version; if none is named, it is the one that objects are stored in.
    pub version: Option<&'a str>,
}

/// The CRDs of a text.
#[derive(Debug)]
pub struct Crds {
    /// What the text is called in messages.
    file: String,
    definitions: Vec<Value>,
    /// Where the definitions of a group and kind are among them.
    places: HashMap<[String; 2], Vec<usize>>,
    /// What else the text holds.
    others: Vec<String>,
    malformed: Vec<Malformed>,
    is_template: bool,
}

impl Crds {
    /// Reads the CRDs of a text, in YAML or JSON. `file` is what the text is called in messages.
    ///
    /// # Errors
    /// The text is too long, or holds no CRD.
    pub fn read(text: &str, file: &str) -> Result<Self> {
        if text.len() > LONGEST {
            let limit = LONGEST >> 20;
            return Err(Error::new(
                Code::UnusableCrdFile,
                format!("`{file}` is too large: at most {limit} MiB are allowed"),
            )
            .hint("put the CRD into a file of its own"));
        }
        let mut found = Self {
            file: file.to_owned(),
            definitions: Vec::new(),
            places: HashMap::new(),
            others: Vec::new(),
            malformed: Vec::new(),
            is_template: is_template(text),
        };
        for document in yaml::documents(text.trim_start_matches('\u{feff}')) {
            match document {
                Ok(object) => found.add(object),
                Err(malformed) => found.malformed.push(malformed),
            }
        }
        match (&found.malformed[..], &found.others[..]) {
            _ if !found.definitions.is_empty() => Ok(found),
            ([first, ..], _) => Err(found.not_yaml(first)),
            ([], others) => {
                let found = match others {
                    [] => String::new(),
                    _ => format!(", but {}", listed(others, LISTED)),
                };
                let message = format!("`{file}` contains no {CRD}{found}");
                Err(Error::new(Code::KindNotInFile, message)
                    .hint(format!("pass a file with {CRD}s")))
            }
        }
    }

    /// Adds an object, or those of a list.
    fn add(&mut self, mut object: Value) {
        let kind = object["kind"].as_str().unwrap_or_default().to_owned();
        let items = object.get_mut("items").filter(|items| items.is_array());
        if let Some(Value::Array(items)) = items.map(Value::take) {
            for mut item in items {
                if let Value::Object(fields) = &mut item
                    && kind == format!("{CRD}List")
                {
                    // The items of a typed list do not say what they are.
                    fields.entry("kind").or_insert(CRD.into());
                    let version = object["apiVersion"].clone();
                    fields.entry("apiVersion").or_insert(version);
                }
                self.add(item);
            }
        } else if is_crd(&object) {
            let (group, kind) = names(&object);
            let places = self.places.entry([group.to_owned(), kind.to_owned()]);
            places.or_default().push(self.definitions.len());
            self.definitions.push(object);
        } else if !kind.is_empty() {
            self.others.push(kind);
        }
    }

    /// The kinds that are defined, each once: group and kind.
    pub fn kinds(&self) -> Vec<(&str, &str)> {
        let mut seen = HashSet::new();
        let kinds = self.definitions.iter().map(names);
        kinds.filter(|kind| seen.insert(*kind)).collect()
    }

    /// What cannot be read: the first parts, each as a sentence, and how many more there are.
    pub fn unreadable(&self) -> impl Iterator<Item = String> {
        let file = &self.file;
        let more = match self.malformed.len().saturating_sub(UNREADABLE) {
            0 => None,
            1 => Some(format!("and 1 more part of `{file}` is not YAML")),
            more => Some(format!("and {more} more parts of `{file}` are not YAML")),
        };
        let first = self.malformed.iter().take(UNREADABLE);
        first
            .map(move |malformed| format!("a part of `{file}` is not YAML: {malformed}"))
            .chain(more)
    }

    /// A version of a kind.
    ///
    /// # Errors
    /// The text does not define it, or an API server would not take its CRD.
    pub fn definition(&self, named: &Named<'_>) -> Result<Definition> {
        let name = [named.group.as_ref(), named.kind].map(str::to_owned);
        let places = self.places.get(&name).into_iter().flatten();
        let mut found: Vec<&Value> = places.map(|place| &self.definitions[*place]).collect();
        // Some files have a CRD for old clusters too. Of two, kubectl applies the last one last.
        found.sort_by_key(|crd| is_current(crd));
        let Some(crd) = found.last() else {
            return Err(self.undefined(named));
        };
        if !is_current(crd) {
            let version = crd["apiVersion"].as_str().unwrap_or_default();
            let why = format!("its apiVersion is `{version}`, which Kubernetes serves no more");
            return Err(malformed(crd, &self.file, &why)
                .hint(format!("look for a release of the CRD in `{API}/v1`")));
        }
        let mut crd = (*crd).clone();
        if let Err(fault) = validity::check(&mut crd) {
            let why = format!("`{}` {}", fault.path, fault.rule);
            let error = malformed(&crd, &self.file, &why);
            return Err(if self.is_template {
                error.hint(RENDER)
            } else {
                error.hint("an API server rejects it too: use another release of the CRD")
            });
        }
        Definition::of(&crd, &self.file, named.version)
    }

    fn undefined(&self, named: &Named<'_>) -> Error {
        let (file, group, kind) = (&self.file, &named.group, named.kind);
        let error = Error::new(
            Code::KindNotInFile,
            format!("`{file}` does not define the kind {group} {kind}"),
        )
        .hint(format!("it defines {}", listed_kinds(&self.kinds())));
        self.unreadable().fold(error, Error::hint)
    }

    fn not_yaml(&self, malformed: &Malformed) -> Error {
        let error = Error::new(
            Code::MalformedFile,
            format!("`{}` is not YAML: {malformed}", self.file),
        );
        if self.is_template {
            error.hint(RENDER)
        } else {
            error
        }
    }
}

impl Definition {
    /// Finds a kind in the CRDs of a text. `file` is what the text is called in messages.
    ///
    /// # Errors
    /// The text is not YAML, holds no such CRD, or one that an API server would not take.
    pub fn read(text: &str, file: &str, named: &Named<'_>) -> Result<Self> {
        Crds::read(text, file)?.definition(named)
    }
}

/// What to do with a template.
const RENDER: &str =
    "it is a template of a Helm chart: render it first, with `helm template CHART > FILE`";

/// Whether a text has lines that Helm would replace.
fn is_template(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    let values = [": {{", ": '{{", ": \"{{"];
    lines.any(|line| line.starts_with("{{") || values.iter().any(|value| line.contains(value)))
}

/// Group and kind of a CRD.
fn names(crd: &Value) -> (&str, &str) {
    let spec = &crd["spec"];
    (
        spec["group"].as_str().unwrap_or("?"),
        spec["names"]["kind"].as_str().unwrap_or("?"),
    )
}

fn is_crd(object: &Value) -> bool {
    let api = object["apiVersion"].as_str().unwrap_or_default();
    object["kind"] == CRD && api.split('/').next() == Some(API)
}

/// Whether Kubernetes serves the version that a CRD is written in.
fn is_current(crd: &Value) -> bool {
    let version = crd["apiVersion"].as_str().unwrap_or_default();
    version.strip_prefix(API) == Some("/v1")
}

/// Some kinds in a sentence.
pub(crate) fn listed_kinds(kinds: &[(&str, &str)]) -> String {
    let names = kinds.iter().map(|(group, kind)| format!("{group} {kind}"));
    listed(&names.collect::<Vec<_>>(), LISTED)
}

//! The optional parts of a deployment: the components of kustomize in `config/`.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToLowerCamelCase;
use serde_json::{Value, json};

use crate::disk::View;
use crate::error::{Code, Context, Error, Result};
use crate::objects::KUSTOMIZATION_NAMES;
use crate::project::layout::{CONFIG, DEFAULT};
use crate::yaml;

use super::names::plain;

/// The start of the words below: nobody writes it.
pub(super) const WORDS: &str = "rop-7c1e9a4b5d20-";

/// The prefix of names while kustomize's rules apply, which do not allow all characters.
pub(super) const PREFIX_WORD: &str = "rop-7c1e9a4b5d20-prefix";

/// The namespace of the operator, likewise.
pub(super) const NAMESPACE_WORD: &str = "rop-7c1e9a4b5d20-namespace";

/// A component changes what others before it have, so these come last if `config/default` does not list them.
const LAST: [&str; 2] = ["config/webhook", CERT_MANAGER];

/// The component that needs webhooks, and replacements in `config/default`.
const CERT_MANAGER: &str = "config/cert-manager";

/// Components that make no sense without another.
const REQUIRED: [(&str, &str); 1] = [(CERT_MANAGER, "config/webhook")];

/// The replacements of a component, as `config/default` lists them.
const REPLACEMENTS: [(&str, &str); 1] = [(CERT_MANAGER, "cert_manager.yaml")];

/// A kustomize component in `config/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Component {
    /// Its folder: `config/network-policy`.
    pub(super) folder: String,
    /// What its values are below: `networkPolicy`.
    pub(super) value: String,
    /// Whether `config/default` lists it.
    pub(super) is_on: bool,
}

impl Component {
    /// The folder in `config/`, without characters that are not for paths and lines.
    pub(super) fn name(&self) -> String {
        let name = self.folder.strip_prefix("config/").unwrap_or(&self.folder);
        name.split('/').map(plain).collect::<Vec<_>>().join("/")
    }

    /// The value that switches it.
    pub(super) fn switch(&self) -> String {
        format!("{}.enabled", self.value)
    }

    /// Whether it makes no sense without another one.
    pub(super) fn requires(&self, other: &Self) -> bool {
        REQUIRED.contains(&(&*self.folder, &*other.folder))
    }
}

/// The kustomization of `config/default`, and the components that it may list.
#[derive(Debug)]
pub(super) struct Components {
    /// In the order in which they are applied.
    pub(super) all: Vec<Component>,
    path: String,
    kustomization: Value,
    /// What is listed and is no component of `config/`.
    others: Vec<Value>,
}

impl Components {
    /// Those of a project. The values that are `taken` are not theirs.
    ///
    /// # Errors
    /// `config/default` cannot be read.
    pub(super) fn read(view: &View, taken: &BTreeSet<String>) -> Result<Self> {
        let paths = KUSTOMIZATION_NAMES.map(|name| format!("{DEFAULT}/{name}"));
        let path = paths
            .into_iter()
            .find(|path| view.is_file(path))
            .unwrap_or_else(|| format!("{DEFAULT}/kustomization.yaml"));
        let text = view.read_own(&path)?.unwrap_or_default();
        let kustomization: Value = yaml::from_str(&text)
            .context(Code::MalformedFile, || format!("`{path}` is not YAML"))?;
        let mut found = folders(view)?;
        let values = values(&found, taken)?;
        let new = |folder: String, is_on| Component {
            value: values.get(&folder).cloned().unwrap_or_default(),
            folder,
            is_on,
        };
        let (mut all, mut others) = (Vec::new(), Vec::new());
        for entry in kustomization["components"].as_array().into_iter().flatten() {
            let folder = entry.as_str().map(folder_of).unwrap_or_default();
            if let Some(place) = found.iter().position(|other| *other == folder) {
                all.push(new(found.remove(place), true));
            } else {
                others.push(entry.clone());
            }
        }
        let (last, first): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|folder| LAST.contains(&&**folder));
        let first = first.into_iter().map(|folder| new(folder, false));
        all.splice(0..0, first);
        let last = LAST
            .iter()
            .filter(|folder| last.iter().any(|other| other == *folder));
        all.extend(last.map(|folder| new((*folder).to_owned(), false)));
        Ok(Self {
            all,
            path,
            kustomization,
            others,
        })
    }

    /// The namespace of the operator, as the manifests may name it.
    pub(super) fn namespace(&self) -> Option<&str> {
        self.kustomization["namespace"].as_str()
    }

    /// The prefix of names, as the manifests may name it.
    pub(super) fn prefix(&self) -> &str {
        self.kustomization["namePrefix"]
            .as_str()
            .unwrap_or_default()
    }

    /// Which of them are on.
    pub(super) fn listed(&self) -> Vec<bool> {
        self.all.iter().map(|component| component.is_on).collect()
    }

    /// The same project with these components, and with marks in place of the prefix and the namespace.
    ///
    /// # Errors
    /// A path leads out of the project.
    pub(super) fn view(&self, view: &View, is_on: impl Fn(&Component) -> bool) -> Result<View> {
        let mut kustomization = self.kustomization.clone();
        let listed = self
            .all
            .iter()
            .filter(|component| is_on(component))
            .map(|component| Value::from(format!("../{}", &component.folder[CONFIG.len() + 1..])));
        kustomization["components"] = self.others.iter().cloned().chain(listed).collect();
        for (folder, file) in REPLACEMENTS {
            let is_on = self
                .all
                .iter()
                .any(|component| component.folder == folder && is_on(component));
            let mut list = kustomization["replacements"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            list.retain(|entry| entry["path"] != file);
            if is_on && view.is_file(&format!("{DEFAULT}/{file}")) {
                list.push(json!({ "path": file }));
            }
            kustomization["replacements"] = list.into();
        }
        if let Some(prefix) = kustomization["namePrefix"].as_str() {
            let dash = if prefix.ends_with('-') { "-" } else { "" };
            kustomization["namePrefix"] = format!("{PREFIX_WORD}{dash}").into();
        }
        kustomization["namespace"] = NAMESPACE_WORD.into();
        view.with([(self.path.clone(), yaml::to_string(&kustomization)?)])
    }
}

/// What the values of components are below, by their folders: each is an identifier, and none of those that are taken.
///
/// # Errors
/// Two folders have one value: with numbers, a new folder would take over the value of another one.
fn values(folders: &[String], taken: &BTreeSet<String>) -> Result<BTreeMap<String, String>> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for folder in folders {
        let name = folder.strip_prefix("config/").unwrap_or(folder);
        let mut value = identifier(name);
        if taken.contains(&value) {
            value.push_str("Component");
        }
        if let Some((other, _)) = values.iter().find(|(_, other)| **other == value) {
            let message = format!(
                "no chart can be generated: the components `{}` and `{}` have the same value, `{value}`",
                other.escape_debug(),
                folder.escape_debug()
            );
            return Err(
                Error::new(Code::KustomizeFailed, message).hint("rename one of the folders")
            );
        }
        values.insert(folder.clone(), value);
    }
    Ok(values)
}

/// A name in camel case, as a key that templates can name, and that YAML does not take for a boolean.
fn identifier(name: &str) -> String {
    let camel_case = |name: &str| {
        let mut value = name.to_lower_camel_case();
        value.retain(|c| c.is_ascii_alphanumeric());
        value
    };
    let value = camel_case(name);
    let is_key = value.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_key && yaml::to_string(&value).is_ok_and(|text| text.trim_end() == value) {
        value
    } else {
        camel_case(&format!("component-{name}"))
    }
}

/// The folder that an entry of `config/default` names.
fn folder_of(entry: &str) -> String {
    let mut parts: Vec<&str> = DEFAULT.split('/').collect();
    for part in entry.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The folders in `config/` that are components, by name.
fn folders(view: &View) -> Result<Vec<String>> {
    let mut folders = Vec::new();
    for path in view.own_files_in(CONFIG)? {
        let Some((folder, name)) = path.rsplit_once('/') else {
            continue;
        };
        if !KUSTOMIZATION_NAMES.contains(&name) {
            continue;
        }
        let text = view.read_own(&path)?.unwrap_or_default();
        let kustomization: Value = yaml::from_str(&text)
            .context(Code::MalformedFile, || format!("`{path}` is not YAML"))?;
        if kustomization["kind"] == "Component" {
            folders.push(folder.to_owned());
        }
    }
    folders.sort();
    folders.dedup();
    Ok(folders)
}

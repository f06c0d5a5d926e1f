//! The optional parts of a deployment: the components of kustomize in `config/`.

use heck::ToLowerCamelCase;

use crate::disk::View;
use crate::error::{Code, Context, Result};
use crate::objects::KUSTOMIZATION_NAMES;
use crate::project::layout::{CONFIG, DEFAULT};
use crate::yaml;
use serde_json::{Value, json};

/// The prefix of names while kustomize's rules apply, which are not for all characters: a word that nobody writes.
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

/// Values that are not those of components.
const RESERVED: [&str; 9] = [
    "crd",
    "enabled",
    "global",
    "image",
    "leaderElection",
    "metrics",
    "rbac",
    "resources",
    "serviceAccount",
];

/// A component.
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
    fn new(folder: String, is_on: bool) -> Self {
        let name = folder.strip_prefix("config/").unwrap_or(&folder);
        let mut value = name.to_lower_camel_case();
        if RESERVED.contains(&&*value) {
            value.push_str("Component");
        }
        Self {
            folder,
            value,
            is_on,
        }
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
    /// Those of a project.
    ///
    /// # Errors
    /// `config/default` cannot be read.
    pub(super) fn read(view: &View) -> Result<Self> {
        let paths = KUSTOMIZATION_NAMES.map(|name| format!("{DEFAULT}/{name}"));
        let path = paths.into_iter().find(|path| view.is_file(path));
        let path = path.unwrap_or_else(|| format!("{DEFAULT}/kustomization.yaml"));
        let text = view.read_own(&path)?.unwrap_or_default();
        let kustomization: Value = yaml::from_str(&text)
            .context(Code::MalformedFile, || format!("`{path}` is not YAML"))?;
        let mut found = folders(view)?;
        let (mut all, mut others) = (Vec::new(), Vec::new());
        for entry in kustomization["components"].as_array().into_iter().flatten() {
            let folder = entry.as_str().map(folder_of).unwrap_or_default();
            if let Some(place) = found.iter().position(|other| *other == folder) {
                all.push(Component::new(found.remove(place), true));
            } else {
                others.push(entry.clone());
            }
        }
        let (last, first): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|folder| LAST.contains(&&**folder));
        let first = first
            .into_iter()
            .map(|folder| Component::new(folder, false));
        all.splice(0..0, first);
        let last = LAST
            .iter()
            .filter(|folder| last.iter().any(|other| other == *folder));
        all.extend(last.map(|folder| Component::new((*folder).to_owned(), false)));
        Ok(Self {
            all,
            path,
            kustomization,
            others,
        })
    }

    /// The same project with these components, and with marks in place of the prefix and the namespace.
    ///
    /// # Errors
    /// A path leads out of the project.
    pub(super) fn view(&self, view: &View, is_on: impl Fn(&Component) -> bool) -> Result<View> {
        let mut kustomization = self.kustomization.clone();
        let listed = self.all.iter().filter(|component| is_on(component));
        let listed = listed
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

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use crate::project::{ProjectKind, Versioned};

use super::anchor::Anchors;
use super::difference::differences;
use super::markdown::{code, text};
use super::section::{Field, Section};

/// The page as it grows.
pub(super) struct Page {
    title: String,
    /// A line for each kind.
    contents: String,
    kinds: String,
    anchors: Anchors,
}

impl Page {
    pub(super) fn new(project: impl std::fmt::Display) -> Self {
        let title = format!("# API reference\n\nThe custom resources of `{project}`.\n");
        Self {
            title,
            contents: String::new(),
            kinds: String::new(),
            anchors: Anchors::default(),
        }
    }

    /// Adds a kind, as its CRD has it.
    pub(super) fn add(&mut self, kind: &ProjectKind, crd: &Value) {
        let (name, group) = (kind.name.to_string(), kind.api_group());
        let anchor = self.anchors.of(&format!("{name} {group}"));
        let _ = writeln!(self.contents, "- [{name}](#{anchor}) in `{group}`");
        self.heading(2, &anchor, &name);
        let spec = &crd["spec"];
        let versions: Vec<_> = kind
            .versions()
            .filter_map(|version| Some((version, schema(spec, version)?)))
            .map(|(version, schema)| (version, schema, Section::all(schema)))
            .collect();
        let stored = versions.iter().find(|(version, ..)| version.is_hub());
        if let Some((_, schema, _)) = stored {
            self.paragraph(&text(schema["description"].as_str().unwrap_or_default()));
        }
        self.paragraph(&about(&group, spec));
        for (version, _, sections) in &versions {
            let others = stored
                .filter(|(stored, ..)| !stored.is(*version))
                .map(|(stored, _, sections)| (*stored, &**sections));
            self.add_version(*version, sections, others);
        }
    }

    fn add_version(
        &mut self,
        version: Versioned<'_>,
        sections: &[Section<'_>],
        stored: Option<(Versioned<'_>, &[Section<'_>])>,
    ) {
        let (kind, api_version) = (&version.kind.name, version.api_version());
        let anchor = self.anchors.of(&format!("{kind} {api_version}"));
        self.heading(3, &anchor, &format!("{kind} `{api_version}`"));
        self.paragraph(&status(version));
        if let Some((stored, fields)) = stored {
            let name = &stored.version.name;
            let differences = differences(fields, sections);
            let lines = differences.iter().map(|line| format!("- {line}\n"));
            match lines.collect::<String>() {
                none if none.is_empty() => self.paragraph(&format!("Same fields as `{name}`.")),
                lines => self.paragraph(&format!(
                    "Compared with `{name}`, it\n\n{}",
                    lines.trim_end()
                )),
            }
        }
        let named = sections.iter().map(|section| {
            let words = format!("{kind} {api_version} {}", section.path);
            (&*section.path, self.anchors.of(&words))
        });
        let anchors: BTreeMap<_, _> = named.collect();
        for section in sections {
            if !section.path.is_empty() {
                self.heading(4, &anchors[&*section.path], &code(&section.path));
                self.paragraph(&text(section.description));
            }
            for rule in &section.rules {
                self.paragraph(&format!("Rule: {rule}"));
            }
            self.table(&section.fields, &anchors);
        }
    }

    fn table(&mut self, fields: &[Field<'_>], anchors: &BTreeMap<&str, String>) {
        if fields.is_empty() {
            return;
        }
        self.kinds.push_str(
            "\n| Field | Type | Default | Validation | Description |\n|---|---|---|---|---|\n",
        );
        for field in fields {
            let demands = &field.demands;
            let section = field.section.as_deref().and_then(|path| anchors.get(path));
            let type_name = match section {
                Some(anchor) => format!("[{}](#{anchor})", demands.type_name),
                None => demands.type_name.clone(),
            };
            let required = demands.is_required.then(|| "required".to_owned());
            let rules: Vec<_> = required.into_iter().chain(demands.rules.clone()).collect();
            let cells = [
                code(field.name),
                type_name,
                demands.default.as_deref().map(code).unwrap_or_default(),
                rules.join("<br>"),
                text(field.description),
            ];
            for cell in cells {
                let space = if cell.is_empty() { "" } else { " " };
                let _ = write!(self.kinds, "|{space}{cell} ");
            }
            self.kinds.push_str("|\n");
        }
    }

    fn heading(&mut self, level: usize, anchor: &str, title: &str) {
        let marks = "#".repeat(level);
        let _ = write!(self.kinds, "\n{marks} <a id=\"{anchor}\"></a>{title}\n");
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            let _ = write!(self.kinds, "\n{text}\n");
        }
    }

    pub(super) fn finish(self) -> String {
        let Self {
            title,
            contents,
            kinds,
            ..
        } = self;
        if contents.is_empty() {
            return format!("{title}\nThere are none.\n");
        }
        format!("{title}\n{contents}{kinds}")
    }
}

/// The schema of a version in a CRD.
fn schema<'a>(spec: &'a Value, version: Versioned<'_>) -> Option<&'a Value> {
    let versions = spec["versions"].as_array()?;
    let name = version.version.name.to_string();
    let of_crd = versions.iter().find(|version| version["name"] == *name)?;
    Some(&of_crd["schema"]["openAPIV3Schema"])
}

/// What a CRD says of a kind in all its versions.
fn about(group: &str, spec: &Value) -> String {
    let names = &spec["names"];
    let list = |key: &str| {
        let items = names[key].as_array().into_iter().flatten();
        let items: Vec<_> = items.filter_map(Value::as_str).map(code).collect();
        items.join(", ")
    };
    let name = |value: &Value| value.as_str().map(code).unwrap_or_default();
    let facts = [
        ("Group", code(group)),
        ("plural", name(&names["plural"])),
        ("scope", name(&spec["scope"])),
        ("short names", list("shortNames")),
        ("categories", list("categories")),
    ];
    let facts: Vec<_> = facts
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(about, value)| format!("{about} {value}"))
        .collect();
    format!("{}.", facts.join(", "))
}

/// Whether a version is stored, served and deprecated.
fn status(versioned: Versioned<'_>) -> String {
    let version = versioned.version;
    let mut facts = Vec::new();
    if versioned.is_hub() {
        facts.push("Storage version.".to_owned());
    }
    if !version.served {
        facts.push("Not served.".to_owned());
    }
    if version.deprecated {
        facts.push(match &version.deprecation_warning {
            Some(warning) => format!("Deprecated: {}", text(&warning.to_string())),
            None => "Deprecated.".to_owned(),
        });
    }
    facts.join(" ")
}

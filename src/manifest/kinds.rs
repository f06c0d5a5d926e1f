//! Whether the kinds of a project's types are those of PROJECT, which manifests, wiring and tests follow.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::project::{Project, ProjectKind};

/// What a CRD and PROJECT both say of a kind.
#[derive(PartialEq, Eq)]
struct Declared {
    group: String,
    kind: String,
    plural: String,
    scope: &'static str,
    versions: BTreeSet<String>,
}

impl Declared {
    fn of_crd(crd: &Value) -> Self {
        let spec = &crd["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let versions = spec["versions"].as_array().into_iter().flatten();
        Self {
            group: text(&spec["group"]),
            kind: text(&spec["names"]["kind"]),
            plural: text(&spec["names"]["plural"]),
            scope: scope(spec["scope"] == "Namespaced"),
            versions: versions.map(|version| text(&version["name"])).collect(),
        }
    }

    fn of_project(kind: &ProjectKind) -> Self {
        Self {
            group: kind.api_group(),
            kind: kind.name.to_string(),
            plural: kind.plural.to_string(),
            scope: scope(kind.namespaced),
            versions: kind.versions.iter().map(|it| it.name.to_string()).collect(),
        }
    }

    fn is_same_kind(&self, other: &Self) -> bool {
        self.group == other.group && self.kind == other.kind
    }

    /// Whether it may be the same kind under another name.
    fn is_similar(&self, other: &Self) -> bool {
        self.kind == other.kind || (self.group == other.group && self.plural == other.plural)
    }

    fn name(&self) -> String {
        format!("{} {}", self.group, self.kind)
    }
}

fn scope(is_namespaced: bool) -> &'static str {
    if is_namespaced {
        "Namespaced"
    } else {
        "Cluster"
    }
}

/// Checks that the types have the kinds that PROJECT has, under the same names.
///
/// # Errors
/// A kind is missing on one side, or differs: both values are named.
pub(super) fn check(crds: &[Value], project: &Project) -> Result<()> {
    let kinds = project.own_kinds();
    let listed: Vec<_> = kinds
        .map(|kind| (Declared::of_project(kind), kind))
        .collect();
    let typed: Vec<_> = crds.iter().map(Declared::of_crd).collect();
    for (at, declared) in typed.iter().enumerate() {
        if typed[..at].iter().any(|other| other.is_same_kind(declared)) {
            let message = format!("two types define {}", declared.name());
            return Err(Error::new(Code::TypesDiffer, message)
                .hint("change `kind` or `group` in the `#[kube(…)]` of one of them"));
        }
    }
    for (declared, kind) in &listed {
        let file = kind.hub().types_file();
        if let Some(other) = typed.iter().find(|other| other.is_same_kind(declared)) {
            compare(declared, other, &file)?;
            continue;
        }
        let is_listed = |other: &Declared| {
            listed
                .iter()
                .any(|(declared, _)| declared.is_same_kind(other))
        };
        let renamed = typed
            .iter()
            .find(|other| other.is_similar(declared) && !is_listed(other));
        let Some(other) = renamed else {
            return Err(Error::new(
                Code::TypesDiffer,
                format!(
                    "PROJECT lists {}, but no type in \
                `api/` defines it",
                    declared.name()
                ),
            )
            .hint(format!(
                "restore its types in `{file}`, or remove its entry from PROJECT and run \
                    `rop generate project`"
            )));
        };
        differs("group", &declared.group, &other.group, declared, &file)?;
        differs("kind", &declared.kind, &other.kind, declared, &file)?;
    }
    let unlisted = typed.iter().find(|other| {
        !listed
            .iter()
            .any(|(declared, _)| declared.is_same_kind(other))
    });
    match unlisted {
        None => Ok(()),
        Some(other) => Err(Error::new(
            Code::TypesDiffer,
            format!(
                "a type defines {}, which \
            PROJECT does not list",
                other.name()
            ),
        )
        .hint(
            "add the kind with `rop create api`, or remove the files of kinds that PROJECT \
                no longer lists with `rop generate project`",
        )),
    }
}

/// Compares what PROJECT says of a kind with what its type says.
fn compare(declared: &Declared, other: &Declared, file: &str) -> Result<()> {
    differs("plural", &declared.plural, &other.plural, declared, file)?;
    if declared.scope != other.scope {
        let way_out = match declared.scope {
            "Namespaced" => "add `namespaced` to",
            _ => "remove `namespaced` from",
        };
        return Err(Error::new(Code::TypesDiffer, format!(
            "the scope of {} is {} in its type, but {} in PROJECT",
            declared.name(),
            other.scope,
            declared.scope
        ))
        .hint(format!(
            "{way_out} `#[kube(…)]` in `{file}`, or change `namespaced` of its `api` in PROJECT and run `rop \
                generate project`"
        )));
    }
    let group = declared.group.split('.').next().unwrap_or_default();
    if let Some(version) = declared.versions.difference(&other.versions).next() {
        return Err(Error::new(
            Code::TypesDiffer,
            format!(
                "PROJECT lists version {version} of {}, \
            but no type in `api/` defines it",
                declared.name()
            ),
        )
        .hint(format!(
            "set `version = \"{version}\"` in the `#[kube(…)]` of its types next to `{file}`, or \
            remove its entry from PROJECT and run `rop generate project`"
        )));
    }
    if let Some(version) = other.versions.difference(&declared.versions).next() {
        return Err(Error::new(
            Code::TypesDiffer,
            format!(
                "a type defines version {version} of {}, which PROJECT does not list",
                declared.name()
            ),
        )
        .hint(format!(
            "add the version: `rop create api --group {group} --version {version} --kind {}`",
            declared.kind
        )));
    }
    Ok(())
}

/// Says that a value of PROJECT is another one in the type.
fn differs(what: &str, listed: &str, typed: &str, declared: &Declared, file: &str) -> Result<()> {
    if listed == typed {
        return Ok(());
    }
    Err(Error::new(
        Code::TypesDiffer,
        format!(
            "the {what} of {} is `{typed}` in its type, but `{listed}` in PROJECT",
            declared.name()
        ),
    )
    .hint(format!(
        "set `{what} = \"{listed}\"` in the `#[kube(…)]` of `{file}`, or change it in PROJECT and \
        run `rop generate project`"
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PROJECT: &str = "\
cliVersion: 0.1.0
domain: example.com
layout: [rust.rop/v1]
projectName: app-operator
version: \"3\"
resources:
- api: {crdVersion: v1, namespaced: true}
  controller: true
  domain: example.com
  group: app
  kind: Setting
  plural: settings
  template: minimal
  version: v1
";

    fn crd(group: &str, kind: &str, plural: &str, scope: &str, version: &str) -> Value {
        json!({"spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": scope,
            "versions": [{"name": version}],
        }})
    }

    fn message(crds: &[Value]) -> String {
        let project = Project::parse(PROJECT).expect("a project");
        match check(crds, &project) {
            Ok(()) => String::new(),
            Err(error) => {
                let hint = error.hints().first().cloned().unwrap_or_default();
                format!("{}\n{hint}", error.chain().collect::<Vec<_>>().join(": "))
            }
        }
    }

    #[test]
    fn kinds_that_differ_from_project_are_named_with_both_values() {
        let (group, scope) = ("app.example.com", "Namespaced");
        let same = crd(group, "Setting", "settings", scope, "v1");
        assert_eq!(message(std::slice::from_ref(&same)), "");
        let kind =
            |group, kind, plural, scope, version| vec![crd(group, kind, plural, scope, version)];
        for (crds, expected) in [
            (
                kind(group, "Setting", "settingz", scope, "v1"),
                &["`settingz`", "`settings`", "plural"][..],
            ),
            (
                kind(group, "Setting", "settings", "Cluster", "v1"),
                &["Cluster", "Namespaced", "`namespaced`"],
            ),
            (
                kind(group, "Sett", "settings", scope, "v1"),
                &["`Sett`", "`Setting`", "api/src/app/v1/setting.rs"],
            ),
            (
                kind("ap.example.com", "Setting", "settings", scope, "v1"),
                &["`ap.example.com`", "`app.example.com`", "group"],
            ),
            (
                kind(group, "Setting", "settings", scope, "v2"),
                &["version v1", "no type"],
            ),
            (
                vec![],
                &[
                    "PROJECT lists app.example.com Setting, but no type in `api/` defines it",
                    "rop generate project",
                ],
            ),
            (
                vec![same.clone(), crd(group, "Other", "others", scope, "v1")],
                &["app.example.com Other, which PROJECT does not list"],
            ),
            (vec![same.clone(), same.clone()], &["two types define"]),
        ] {
            let message = message(&crds);
            for part in expected {
                assert!(message.contains(part), "{part}: {message}");
            }
        }
    }
}

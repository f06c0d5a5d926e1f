//! The namespaces that an operator watches: install modes, and the `OperatorGroup` of its namespace.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::dns::label_1123;
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::name;

use super::bundle::Bundle;
use super::live::{self, items};
use super::names::{GROUPS, Place};

/// The order in which a mode is chosen, as operator-sdk does.
const ORDER: [&str; 4] = [
    "AllNamespaces",
    "OwnNamespace",
    "SingleNamespace",
    "MultiNamespace",
];

/// Which namespaces an operator watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InstallMode {
    /// All.
    All,
    /// That of the operator.
    Own,
    /// Another, or several.
    Others(BTreeSet<String>),
}

impl FromStr for InstallMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mode, names) = match text.split_once('=') {
            Some((mode, names)) => (mode, Some(names)),
            None => (text, None),
        };
        let namespaces = || {
            let names = names
                .filter(|names| !names.is_empty())
                .ok_or_else(|| format!("`{mode}` needs namespaces: `{mode}=NAMESPACE`"))?
                .split(',')
                .map(|name| {
                    label_1123(name)
                        .map_err(|rule| format!("invalid namespace `{name}`: {rule}"))?;
                    Ok(name.to_owned())
                });
            names.collect::<Result<BTreeSet<_>, String>>()
        };
        match mode {
            "AllNamespaces" | "OwnNamespace" if names.is_some_and(|names| !names.is_empty()) => {
                Err(format!("`{mode}` takes no namespaces"))
            }
            "AllNamespaces" => Ok(Self::All),
            "OwnNamespace" => Ok(Self::Own),
            "SingleNamespace" => {
                let names = namespaces()?;
                if names.len() > 1 {
                    return Err("`SingleNamespace` takes one namespace".into());
                }
                Ok(Self::Others(names))
            }
            "MultiNamespace" => Ok(Self::Others(namespaces()?)),
            _ => Err(format!("expected one of {}", ORDER.join(", "))),
        }
    }
}

impl fmt::Display for InstallMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => ORDER[0],
            Self::Own => ORDER[1],
            Self::Others(names) if names.len() == 1 => ORDER[2],
            Self::Others(_) => ORDER[3],
        })
    }
}

impl InstallMode {
    /// The selected mode, or the first that the bundle supports.
    ///
    /// # Errors
    /// The bundle does not support it, or no mode without namespaces.
    pub(crate) fn choose(bundle: &Bundle, selected: Option<Self>) -> Result<Self> {
        let supported = bundle.modes();
        let list = supported.join(", ");
        match selected {
            Some(mode) if supported.contains(&&*mode.to_string()) => Ok(mode),
            Some(mode) => Err(Error::new(
                Code::UnsupportedInstallMode,
                format!("the bundle does not support the install mode {mode}"),
            )
            .hint(format!("it supports {list}"))),
            None if supported.contains(&ORDER[0]) => Ok(Self::All),
            None if supported.contains(&ORDER[1]) => Ok(Self::Own),
            None => Err(Error::new(
                Code::UnsupportedInstallMode,
                format!("the bundle supports {list}, which needs namespaces"),
            )
            .hint("choose with `--install-mode SingleNamespace=NAMESPACE`")),
        }
    }

    /// The namespaces to watch; none for all.
    fn targets(&self, place: &Place) -> BTreeSet<String> {
        match self {
            Self::All => BTreeSet::new(),
            Self::Own => BTreeSet::from([place.namespace.clone()]),
            Self::Others(names) => names.clone(),
        }
    }

    /// The `OperatorGroup` that the namespace needs. None if it has one with the same namespaces.
    ///
    /// # Errors
    /// It has another, or several: OLM installs nothing there.
    pub(crate) fn group(&self, kubectl: &Kubectl, place: &Place) -> Result<Option<Value>> {
        let namespace = &place.namespace;
        let targets = self.targets(place);
        let groups = live::list(kubectl, GROUPS, namespace)?;
        if let [_, _, ..] = &groups[..] {
            let names: Vec<_> = groups.iter().map(name).collect();
            return Err(live::error(
                Code::OlmConflict,
                &format!(
                    "the namespace `{namespace}` has {} OperatorGroups, and OLM needs exactly one: {}",
                    names.len(),
                    names.join(", ")
                ),
            )
            .hint("delete all but one, or use another namespace with `--namespace`"));
        }
        let Some(group) = groups.first().filter(|group| !place.owns(group)) else {
            let spec = if targets.is_empty() {
                json!({})
            } else {
                json!({ "targetNamespaces": targets })
            };
            return Ok(Some(json!({
                "apiVersion": "operators.coreos.com/v1",
                "kind": "OperatorGroup",
                "metadata": place.metadata(&place.package),
                "spec": spec,
            })));
        };
        let watched = items(group, "/spec/targetNamespaces").filter_map(Value::as_str);
        let watched: BTreeSet<String> = watched.map(str::to_owned).collect();
        if watched == targets && group["spec"]["selector"].is_null() {
            return Ok(None);
        }
        Err(live::error(
            Code::OlmConflict,
            &format!(
                "the OperatorGroup `{}` of the namespace `{namespace}` has other target namespaces than {self} needs",
                name(group)
            ),
        )
        .hint("choose another mode with `--install-mode`, or another namespace with `--namespace`"))
    }
}

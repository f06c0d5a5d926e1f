//! The list `resources` of PROJECT, which has an entry for each version of a kind.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::webhooks::ConfigurationVersion;
use super::{
    External, ExternalCrate, KindController, KindVersion, Origin, Own, Policies, ProjectKind,
    Template, Versioned, Webhooks,
};
use crate::error::Result;
use crate::project::name::{
    ControllerName, DeprecationWarning, Group, Image, Kind, Label, Plural, RustPath, Version,
};

/// An entry, with every field that one can have.
///
/// The names of the fields are kubebuilder's (`pkg/model/resource`); `shortNames`, `categories`,
/// `template`, `finalizer`, `image`, `port`, `policies`, `hub`, `served`, `deprecated`, `deprecationWarning` and
/// `clusterScoped` are rop's.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::project) struct Entry {
    /// The CRD, if the project defines one.
    #[serde(skip_serializing_if = "Option::is_none")]
    api: Option<Api>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    core: bool,
    /// Whether there is one controller, which has no name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    controller: bool,
    /// All controllers, if there are others. The first one has the name of its kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    controllers: Vec<NamedController>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    finalizer: bool,
    /// That of Kubernetes cannot be a project's.
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    external: bool,
    group: Group,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<ExternalCrate>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cluster_scoped: bool,
    #[serde(
        default,
        deserialize_with = "path",
        skip_serializing_if = "Option::is_none"
    )]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plural: Option<Plural>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    short_names: Vec<Label>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    categories: Vec<Label>,
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<Template>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Image>,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    version: Version,
    /// Whether it is the hub, unless that follows from the rest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    hub: bool,
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    served: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation_warning: Option<DeprecationWarning>,
    #[serde(default, skip_serializing_if = "Webhooks::is_none")]
    webhooks: Webhooks,
    #[serde(default, skip_serializing_if = "Policies::is_none")]
    policies: Policies,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Api {
    /// The version of the CRD's own API.
    crd_version: ConfigurationVersion,
    /// Whether objects live in a namespace. Left out if they do not, as kubebuilder does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    namespaced: bool,
}

#[derive(Serialize, Deserialize)]
struct NamedController {
    name: ControllerName,
}

fn yes() -> bool {
    true
}

fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let path = Option::<RustPath>::deserialize(deserializer)?;
    Ok(path.map(|path| path.to_string()))
}

/// Each kind in each of its versions, in the order in which PROJECT lists them.
pub(super) fn of(kinds: &[ProjectKind]) -> Vec<Versioned<'_>> {
    let mut entries: Vec<_> = kinds.iter().flat_map(ProjectKind::versions).collect();
    entries.sort_by_key(|entry| entry.version.place);
    entries
}

/// Writes the list.
pub(in crate::project) fn write<S: Serializer>(
    kinds: &[ProjectKind],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(of(kinds).into_iter().map(Entry::from))
}

/// The kinds of a list, each entry of which was read as a kind.
///
/// # Errors
/// Entries of one kind contradict each other.
pub(in crate::project) fn joined(entries: Vec<ProjectKind>) -> Result<Vec<ProjectKind>> {
    let (mut kinds, mut places) = (Vec::<Vec<ProjectKind>>::new(), HashMap::new());
    for (place, mut entry) in entries.into_iter().enumerate() {
        entry.versions[0].place = place;
        let is_own = entry.is_own();
        let name = [
            entry.api_group(),
            entry.group.to_string(),
            entry.name.to_string(),
        ];
        let known = is_own.then(|| *places.entry(name).or_insert(kinds.len()));
        match known.and_then(|known| kinds.get_mut(known)) {
            Some(kind) => kind.push(entry),
            None => kinds.push(vec![entry]),
        }
    }
    let mut kinds = kinds
        .into_iter()
        .map(ProjectKind::of_entries)
        .collect::<Result<Vec<_>>>()?;
    renumber(&mut kinds);
    Ok(kinds)
}

/// Numbers the entries of all kinds, the project's own first, and sorts the kinds by their first entry.
pub(in crate::project) fn renumber(kinds: &mut [ProjectKind]) {
    let mut places: Vec<_> = kinds
        .iter_mut()
        .flat_map(|kind| {
            let is_others = !kind.is_own();
            let versions = kind.versions.iter_mut();
            versions.map(move |version| (is_others, &mut version.place))
        })
        .collect();
    places.sort_by_key(|(is_others, place)| (*is_others, **place));
    for (new, (_, place)) in places.into_iter().enumerate() {
        *place = new;
    }
    kinds.sort_by_key(|kind| kind.versions[0].place);
}

impl From<Versioned<'_>> for Entry {
    fn from(versioned: Versioned<'_>) -> Self {
        let (kind, version) = (
            versioned.kind.only(versioned.version),
            versioned.version.clone(),
        );
        let [short_names, categories] = kind.aliases().map(<[_]>::to_vec);
        let (hub, is_controlled) = (kind.lists_hub(), kind.controlled().is_some());
        let first = ControllerName::of(&kind.name);
        let name = |controller: KindController| controller.name.unwrap_or_else(|| first.clone());
        let mut controllers: Vec<_> = kind
            .controllers
            .into_iter()
            .map(|controller| NamedController {
                name: name(controller),
            })
            .collect();
        let controller = is_controlled && controllers.len() == 1;
        if controller {
            controllers.clear();
        }
        let mut entry = Self {
            api: None,
            core: false,
            controller,
            controllers,
            finalizer: kind.finalizer,
            domain: None,
            external: false,
            group: kind.group,
            kind: kind.name,
            module: None,
            cluster_scoped: false,
            path: None,
            plural: Some(kind.plural),
            short_names,
            categories,
            template: None,
            image: version.image,
            port: version.port,
            version: version.name,
            hub,
            served: version.served,
            deprecated: version.deprecated,
            deprecation_warning: version.deprecation_warning,
            webhooks: kind.webhooks,
            policies: kind.policies,
        };
        match kind.origin {
            Origin::Own(own) => {
                entry.api = version.api.then_some(Api {
                    crd_version: ConfigurationVersion::V1,
                    namespaced: kind.namespaced,
                });
                entry.domain = Some(own.domain.into());
                entry.template = Some(version.template);
            }
            Origin::BuiltIn(domain) => {
                entry.core = true;
                entry.domain = (!domain.is_empty()).then(|| domain.to_owned());
                entry.path = Some(versioned.path());
                entry.plural = None;
            }
            Origin::External(external) => {
                entry.external = true;
                entry.domain = Some(external.domain.into());
                entry.module = external.module;
                entry.cluster_scoped = !kind.namespaced;
                entry.path = Some(external.path);
            }
        }
        entry
    }
}

impl TryFrom<Entry> for ProjectKind {
    type Error = de::value::Error;

    fn try_from(entry: Entry) -> Result<Self, Self::Error> {
        let missing = de::Error::missing_field;
        let domain = entry.domain.ok_or_else(|| missing("domain"));
        let (group, version) = (entry.group, entry.version);
        let mut kind = if entry.core {
            let found = Self::built_in(&group, Some(&version), &entry.kind);
            let unknown = || {
                let kind = &entry.kind;
                de::Error::custom(format!("Kubernetes has no kind {group}/{version} {kind}"))
            };
            found.ok().flatten().ok_or_else(unknown)?
        } else if entry.external {
            let external = External {
                domain: domain?.parse().map_err(de::Error::custom)?,
                path: entry.path.ok_or_else(|| missing("path"))?,
                module: entry.module,
            };
            Self {
                namespaced: !entry.cluster_scoped,
                ..Self::new(
                    group,
                    version,
                    entry.kind,
                    entry.plural,
                    Origin::External(external),
                )
            }
        } else {
            entry.kind.check_own().map_err(de::Error::custom)?;
            version.check_own().map_err(de::Error::custom)?;
            let own = Own {
                domain: domain?.parse().map_err(de::Error::custom)?,
                short_names: entry.short_names,
                categories: entry.categories,
                lists_hub: entry.hub,
            };
            let of_version = KindVersion {
                api: entry.api.is_some(),
                template: entry.template.unwrap_or_default(),
                image: entry.image,
                port: entry.port,
                served: entry.served,
                deprecated: entry.deprecated,
                deprecation_warning: entry.deprecation_warning,
                ..KindVersion::new(version.clone())
            };
            Self {
                namespaced: entry.api.is_none_or(|api| api.namespaced),
                versions: vec![of_version],
                finalizer: entry.finalizer,
                ..Self::new(group, version, entry.kind, entry.plural, Origin::Own(own))
            }
        };
        let (version, first) = (kind.hub.clone(), ControllerName::of(&kind.name));
        if entry.controller {
            kind.add_controller(&version, None);
        }
        for NamedController { name } in entry.controllers {
            if name == first {
                kind.add_controller(&version, None);
            } else {
                let (version, name) = (version.clone(), Some(name));
                kind.controllers.push(KindController { version, name });
            }
        }
        (kind.webhooks, kind.policies) = (entry.webhooks, entry.policies);
        Ok(kind)
    }
}

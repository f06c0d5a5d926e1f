//! The list `resources` of PROJECT.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::controllers::{listed, read};
use super::name::{DeprecationWarning, Group, Image, Kind, Label, Plural, RustPath, Version};
use super::{
    Api, CoreKind, ExternalCrate, ExternalKind, NamedController, Policies, Resource, Template,
    Webhooks,
};

/// The kinds that a project is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Its own, in the order in which they were made.
    pub own: Vec<Resource>,
    /// Those of Kubernetes itself and of other operators, likewise.
    pub core: Vec<CoreKind>,
}

impl Resources {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.core.is_empty()
    }

    /// The entry of a kind that is not its own, which is made if there is none.
    pub(crate) fn listed(&mut self, core: CoreKind) -> &mut CoreKind {
        let index = self.core.iter().position(|one| one.is(&core));
        let index = index.unwrap_or_else(|| {
            self.core.push(core);
            self.core.len() - 1
        });
        &mut self.core[index]
    }
}

impl Serialize for Resources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = self.own.iter().cloned().map(|mut one| {
            listed(&one.kind, &mut one.controller, &mut one.controllers);
            Entry::Own(Box::new(one))
        });
        let core = self.core.iter().cloned().map(|mut one| {
            listed(&one.kind, &mut one.controller, &mut one.controllers);
            Entry::Core(Box::new(one))
        });
        serializer.collect_seq(own.chain(core))
    }
}

impl<'de> Deserialize<'de> for Resources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut resources = Self::default();
        for listed in Vec::<Listed>::deserialize(deserializer)? {
            match listed {
                Listed::Own(own) => resources.own.push(*own),
                Listed::Core(core) => resources.core.push(*core),
            }
        }
        Ok(resources)
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Own(Box<Resource>),
    Core(Box<CoreKind>),
}

#[derive(Deserialize)]
#[serde(try_from = "Fields")]
enum Listed {
    Own(Box<Resource>),
    Core(Box<CoreKind>),
}

/// Every field that an entry can have: which kind of entry it is, one of them says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    api: Option<Api>,
    #[serde(default)]
    categories: Vec<Label>,
    #[serde(default)]
    controller: bool,
    #[serde(default)]
    controllers: Vec<NamedController>,
    #[serde(default)]
    core: bool,
    #[serde(default)]
    cluster_scoped: bool,
    #[serde(default)]
    deprecated: bool,
    deprecation_warning: Option<DeprecationWarning>,
    /// That of Kubernetes cannot be a project's.
    domain: Option<String>,
    #[serde(default)]
    external: bool,
    #[serde(default)]
    finalizer: bool,
    group: Group,
    #[serde(default)]
    hub: bool,
    image: Option<Image>,
    kind: Kind,
    module: Option<ExternalCrate>,
    path: Option<RustPath>,
    plural: Option<Plural>,
    #[serde(default)]
    policies: Policies,
    port: Option<u16>,
    #[serde(default = "yes")]
    served: bool,
    #[serde(default)]
    short_names: Vec<Label>,
    #[serde(default)]
    template: Template,
    version: Version,
    #[serde(default)]
    webhooks: Webhooks,
}

fn yes() -> bool {
    true
}

impl TryFrom<Fields> for Listed {
    type Error = de::value::Error;

    fn try_from(mut fields: Fields) -> Result<Self, Self::Error> {
        read(
            &fields.kind,
            &mut fields.controller,
            &mut fields.controllers,
        );
        if fields.core {
            let (group, version, kind) = (&fields.group, &fields.version, &fields.kind);
            let found = CoreKind::find(group, Some(version), kind).ok().flatten();
            let unknown =
                || de::Error::custom(format!("Kubernetes has no kind {group}/{version} {kind}"));
            return Ok(Self::Core(Box::new(CoreKind {
                controller: fields.controller,
                controllers: fields.controllers,
                policies: fields.policies,
                webhooks: fields.webhooks,
                ..found.ok_or_else(unknown)?
            })));
        }
        if fields.external {
            let missing = de::Error::missing_field;
            let domain = fields.domain.ok_or_else(|| missing("domain"))?;
            let domain: Group = domain.parse().map_err(de::Error::custom)?;
            let path = fields.path.ok_or_else(|| missing("path"))?;
            return Ok(Self::Core(Box::new(CoreKind {
                controller: fields.controller,
                controllers: fields.controllers,
                domain: Some(domain.to_string()),
                module: fields.module,
                policies: fields.policies,
                webhooks: fields.webhooks,
                ..CoreKind::external(ExternalKind {
                    group: fields.group,
                    domain,
                    version: fields.version,
                    plural: fields.plural.unwrap_or_else(|| Plural::of(&fields.kind)),
                    kind: fields.kind,
                    namespaced: !fields.cluster_scoped,
                    path: path.to_string(),
                })
            })));
        }
        fields.kind.check_own().map_err(de::Error::custom)?;
        fields.version.check_own().map_err(de::Error::custom)?;
        let domain = fields.domain;
        let domain = domain.ok_or_else(|| de::Error::missing_field("domain"))?;
        let domain = domain.parse().map_err(de::Error::custom)?;
        Ok(Self::Own(Box::new(Resource {
            api: fields.api,
            controller: fields.controller,
            controllers: fields.controllers,
            finalizer: fields.finalizer,
            domain,
            group: fields.group,
            plural: fields.plural.unwrap_or_else(|| Plural::of(&fields.kind)),
            kind: fields.kind,
            short_names: fields.short_names,
            categories: fields.categories,
            template: fields.template,
            image: fields.image,
            port: fields.port,
            policies: fields.policies,
            version: fields.version,
            hub: fields.hub,
            served: fields.served,
            deprecated: fields.deprecated,
            deprecation_warning: fields.deprecation_warning,
            webhooks: fields.webhooks,
        })))
    }
}

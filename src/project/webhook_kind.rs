//! The kinds that have webhooks, and what each webhook is called.

use crate::error::{Error, Result};

use super::layout::WEBHOOK_SOURCES;
use super::name::{Group, Kind, Plural, Version};
use super::{CoreKind, Project, Resource, Resources, WebhookSort, Webhooks};

/// A kind that webhooks are asked about.
#[derive(Clone, Debug)]
pub struct WebhookKind<'a> {
    /// Its module below `src/webhook/`.
    pub module: Vec<String>,
    /// The API group, which is empty for the core group.
    pub api_group: String,
    /// The version.
    pub version: &'a Version,
    /// The kind.
    pub kind: &'a Kind,
    /// The resource in URLs.
    pub plural: Plural,
    /// Its webhooks.
    pub webhooks: &'a Webhooks,
    /// The project's own entry, unless it is a kind of Kubernetes itself.
    pub own: Option<&'a Resource>,
    /// The Rust module of a kind of Kubernetes itself.
    pub core: Option<&'a str>,
    /// What tells its webhooks from those of another group: names have no group else.
    suffix: String,
}

impl WebhookKind<'_> {
    /// Group, version and kind as a person writes them.
    pub fn gvk(&self) -> String {
        let group = match (self.own, &*self.api_group) {
            (Some(own), _) => own.group.as_str(),
            (None, "") => "core",
            (None, group) => group,
        };
        format!("{group}/{} {}", self.version, self.kind)
    }

    /// The folder of its webhooks.
    pub fn folder(&self) -> String {
        format!("{WEBHOOK_SOURCES}/{}", self.module.join("/"))
    }

    /// The module of a webhook, without `.rs`.
    pub fn file(&self, sort: WebhookSort) -> String {
        format!("{}/{}", self.folder(), sort.file())
    }

    /// The file of a webhook.
    pub fn source(&self, sort: WebhookSort) -> String {
        format!("{}.rs", self.file(sort))
    }

    /// The path that a webhook is called by, as kubebuilder makes it.
    pub fn path(&self, sort: WebhookSort) -> String {
        let (set, verb) = match sort {
            WebhookSort::Defaulting => (&self.webhooks.defaulting_path, "mutate"),
            WebhookSort::Validation => (&self.webhooks.validation_path, "validate"),
        };
        let usual = || {
            let group = self.api_group.replace('.', "-");
            format!("/{verb}-{group}-{}-{}", self.version, self.kind.lower())
        };
        set.as_ref().map_or_else(usual, ToString::to_string)
    }

    /// What the API server calls a webhook, as kubebuilder makes it.
    pub fn name(&self, sort: WebhookSort) -> String {
        let initial = match sort {
            WebhookSort::Defaulting => "m",
            WebhookSort::Validation => "v",
        };
        let (kind, version, suffix) = (self.kind.lower(), self.version, &self.suffix);
        format!("{initial}{kind}-{version}{suffix}.kb.io")
    }

    /// The webhooks that it has.
    pub fn sorts(&self) -> impl Iterator<Item = WebhookSort> {
        WebhookSort::ALL
            .into_iter()
            .filter(|sort| self.webhooks.has(*sort))
    }
}

impl Project {
    /// Whether any kind has webhooks, to admit or to convert its objects.
    pub fn has_webhooks(&self) -> bool {
        let Resources { own, core } = &self.resources;
        let mut webhooks = own.iter().map(|one| &one.webhooks);
        webhooks.any(|webhooks| !webhooks.is_none())
            || core.iter().any(|one| !one.webhooks.is_none())
    }

    /// The kinds that have webhooks.
    pub fn webhook_kinds(&self) -> Vec<WebhookKind<'_>> {
        let own = self.resources.own.iter();
        let own = own
            .filter(|one| one.webhooks.admits())
            .map(|resource| WebhookKind {
                module: self.controller_module(resource),
                api_group: format!("{}.{}", resource.group, resource.domain),
                version: &resource.version,
                kind: &resource.kind,
                plural: resource.plural.clone(),
                webhooks: &resource.webhooks,
                own: Some(resource),
                core: None,
                suffix: String::new(),
            });
        let core = self.resources.core.iter();
        let core = core
            .filter(|one| one.webhooks.admits())
            .map(|one| WebhookKind {
                module: self.core_module(one),
                api_group: one.api_group(),
                version: &one.version,
                kind: &one.kind,
                plural: one.plural(),
                webhooks: &one.webhooks,
                own: None,
                core: Some(&one.path),
                suffix: String::new(),
            });
        let mut kinds: Vec<WebhookKind<'_>> = own.chain(core).collect();
        for index in 1..kinds.len() {
            let (others, one) = (&kinds[..index], &kinds[index]);
            let is_called_so = |other: &WebhookKind<'_>| {
                other.kind.lower() == one.kind.lower() && other.version == one.version
            };
            if others.iter().any(is_called_so) {
                kinds[index].suffix = format!("-{}", one.api_group.replace('.', "-"));
            }
        }
        kinds
    }

    /// Adds webhooks to a kind of the project's own or of Kubernetes itself. The version can be left out where
    /// there is one.
    ///
    /// # Errors
    /// There is no such kind, or there are several versions of it, or something else has the path.
    pub fn add_webhooks(
        &mut self,
        group: Group,
        version: Option<&Version>,
        kind: &Kind,
        webhooks: &Webhooks,
    ) -> Result<()> {
        let Some(of) = self.own_kind_named(&group, kind)? else {
            let core = CoreKind::find(&group, version, kind)?;
            let core = core.ok_or_else(|| unknown(&group, kind))?;
            if webhooks.conversion {
                return Err(not_converted(&core));
            }
            let core = self.resources.listed(core);
            core.webhooks = core.webhooks.with(webhooks);
            return self.check();
        };
        let (hub, mut webhooks) = (of.hub(), webhooks.clone());
        if webhooks.conversion {
            if let Some(version) = version.filter(|version| **version != hub.version) {
                return Err(not_hub(hub, version));
            }
            if webhooks.spoke.is_empty() {
                webhooks.spoke = of.spokes().map(|one| one.version.clone()).collect();
            }
            if webhooks.spoke.is_empty() {
                return Err(one_version(hub));
            }
        }
        let own = of.asked(version, hub)?.clone();
        if let Some(entry) = self.entry(&own) {
            entry.webhooks = entry.webhooks.with(&webhooks);
        }
        self.check()
    }
}

fn not_hub(hub: &Resource, version: &Version) -> Error {
    let Resource { group, kind, .. } = hub;
    Error::usage(format!(
        "{group}/{version} {kind} is not the hub of its kind: objects are stored in {}",
        hub.version
    ))
    .hint(format!("name the version to convert with `--spoke {version}`"))
    .hint(format!(
        "or make it the hub: `rop create api --group {group} --version {version} --kind {kind} --hub`"
    ))
}

fn one_version(only: &Resource) -> Error {
    let Resource {
        group,
        version,
        kind,
        ..
    } = only;
    Error::usage(format!(
        "{group} {kind} has one version, {version}: there is nothing to convert"
    ))
    .hint(format!(
        "create another one first: `rop create api --group {group} --version … --kind {kind}`"
    ))
}

fn not_converted(core: &CoreKind) -> Error {
    Error::usage(format!(
        "{} is a kind of Kubernetes, which converts it itself",
        core.gvk()
    ))
    .hint("leave out `--conversion` and `--spoke`")
}

/// A kind that there is not, in the project or in Kubernetes.
pub(super) fn unknown(group: &Group, kind: &Kind) -> Error {
    let error = Error::usage(format!(
        "neither the project nor Kubernetes has the kind {group} {kind}"
    ));
    let same = CoreKind::all().find(|one| one.kind.is_same(kind));
    match same {
        Some(core) => error.hint(format!(
            "did you mean `--group {} --kind {}`?",
            core.group, core.kind
        )),
        None => error.hint(format!(
            "make it first: `rop create api --group {group} --kind {kind}`"
        )),
    }
}

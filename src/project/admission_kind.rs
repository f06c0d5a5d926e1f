//! The kinds that have webhooks or policies, and what each webhook and each policy is called.

use std::collections::HashSet;

use crate::error::{Error, Result};

use super::layout::{POLICIES, POLICY_TESTS, WEBHOOK_SOURCES};
use super::name::{Group, Kind, Plural, Version};
use super::{CoreKind, Policies, PolicySort, Project, Resource, Resources, WebhookSort, Webhooks};

/// A kind whose objects webhooks or policies are asked about.
#[derive(Clone, Debug)]
pub struct AdmissionKind<'a> {
    /// The module of its webhooks below `src/webhook/`, and of the tests of its policies.
    pub module: Vec<String>,
    /// What the names of its policies start with, in parts.
    pub stem: Vec<String>,
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
    /// Its policies.
    pub policies: Policies,
    /// The project's own entry, unless it is a kind of somebody else.
    pub own: Option<&'a Resource>,
    /// The kind of Kubernetes itself or of another operator, if it is one.
    pub core: Option<&'a CoreKind>,
    /// What tells its webhooks from those of another group: names have no group else.
    suffix: String,
}

impl AdmissionKind<'_> {
    /// Whether it is a kind of another operator.
    pub fn is_external(&self) -> bool {
        self.core.is_some_and(|core| core.external)
    }

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

    /// The manifest of a policy.
    pub fn policy(&self, sort: PolicySort) -> String {
        format!(
            "{POLICIES}/{}_{}_policy.yaml",
            self.stem.join("_"),
            sort.name()
        )
    }

    /// The folder of the tests of its policies.
    pub fn policy_test_folder(&self) -> String {
        format!("{POLICY_TESTS}/{}", self.module.join("/"))
    }

    /// The tests of a policy.
    pub fn policy_tests(&self, sort: PolicySort) -> String {
        format!("{}/{}.rs", self.policy_test_folder(), sort.name())
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
        let mut of_others = core.iter().map(|one| &one.webhooks);
        webhooks.any(|one| !one.is_none()) || of_others.any(|one| !one.is_none())
    }

    /// Whether any kind has policies.
    pub fn has_policies(&self) -> bool {
        let Resources { own, core } = &self.resources;
        own.iter().any(|one| !one.policies.is_none())
            || core.iter().any(|one| !one.policies.is_none())
    }

    /// The kinds that have webhooks.
    pub fn webhook_kinds(&self) -> Vec<AdmissionKind<'_>> {
        let mut kinds = self.admission_kinds(|webhooks, _| webhooks.admits());
        let mut taken = HashSet::new();
        for kind in &mut kinds {
            if !taken.insert((kind.kind.lower(), kind.version.as_str())) {
                kind.suffix = format!("-{}", kind.api_group.replace('.', "-"));
            }
        }
        kinds
    }

    /// The kinds that have policies.
    pub fn policy_kinds(&self) -> Vec<AdmissionKind<'_>> {
        self.admission_kinds(|_, policies| !policies.is_none())
    }

    /// The kinds that PROJECT lists and that have such webhooks or policies: its own, then those of Kubernetes itself
    /// and of other operators.
    fn admission_kinds(&self, has: impl Fn(&Webhooks, Policies) -> bool) -> Vec<AdmissionKind<'_>> {
        let Resources { own, core } = &self.resources;
        let names = self.own_names();
        let own = own.iter().filter(|one| has(&one.webhooks, one.policies));
        let own = own.map(|resource| AdmissionKind {
            module: names.controller_module(resource),
            stem: names.role_stem(resource),
            api_group: format!("{}.{}", resource.group, resource.domain),
            version: &resource.version,
            kind: &resource.kind,
            plural: resource.plural.clone(),
            webhooks: &resource.webhooks,
            policies: resource.policies,
            own: Some(resource),
            core: None,
            suffix: String::new(),
        });
        let core = core.iter().filter(|one| has(&one.webhooks, one.policies));
        let core = core.map(|one| AdmissionKind {
            module: self.core_module(one),
            stem: self.core_stem(one),
            api_group: one.api_group(),
            version: &one.version,
            kind: &one.kind,
            plural: one.plural(),
            webhooks: &one.webhooks,
            policies: one.policies,
            own: None,
            core: Some(one),
            suffix: String::new(),
        });
        own.chain(core).collect()
    }

    /// Adds webhooks to a kind of the project's own, of Kubernetes itself or of another operator. The version can be
    /// left out where there is one.
    ///
    /// # Errors
    /// There is no such kind, or there are several versions of it, or something else has the path.
    pub fn add_webhooks(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        webhooks: &Webhooks,
    ) -> Result<()> {
        let mut webhooks = webhooks.clone();
        if webhooks.conversion {
            self.set_spokes(group, version, kind, &mut webhooks)?;
        }
        let (old, _) = self.admission_of(group, version, kind)?;
        *old = old.with(&webhooks);
        self.check()
    }

    /// Adds policies to a kind, which is found as [`Self::add_webhooks`] does.
    ///
    /// # Errors
    /// There is no such kind, or not in that version, or another one has its files.
    pub fn add_policies(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        policies: Policies,
    ) -> Result<()> {
        let (_, old) = self.admission_of(group, version, kind)?;
        *old = old.with(policies);
        self.check()
    }

    /// Says which versions of a kind are converted, if nobody has.
    fn set_spokes(
        &self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        webhooks: &mut Webhooks,
    ) -> Result<()> {
        let Some(own) = self.own_kind_named(group, kind)? else {
            let other = self.other_kind(group, version, kind)?;
            return Err(not_converted(&other));
        };
        let hub = own.hub();
        if let Some(version) = version.filter(|version| **version != hub.version) {
            return Err(not_hub(hub, version));
        }
        if webhooks.spoke.is_empty() {
            webhooks.spoke = own.spokes().map(|one| one.version.clone()).collect();
        }
        match webhooks.spoke.is_empty() {
            true => Err(one_version(hub)),
            false => Ok(()),
        }
    }

    /// The webhooks and policies of a kind. One of Kubernetes itself is listed from now on.
    fn admission_of(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
    ) -> Result<(&mut Webhooks, &mut Policies)> {
        let index = match self.own_kind_named(group, kind)? {
            Some(own) => {
                let own = own.asked(version, own.hub())?;
                self.resources.own.iter().position(|one| one.is(own))
            }
            None => None,
        };
        if let Some(index) = index {
            let own = &mut self.resources.own[index];
            return Ok((&mut own.webhooks, &mut own.policies));
        }
        let other = self.other_kind(group, version, kind)?;
        let core = self.resources.listed(other);
        Ok((&mut core.webhooks, &mut core.policies))
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
    let whose = match core.external {
        true => "another operator",
        false => "Kubernetes",
    };
    Error::usage(format!(
        "{} is a kind of {whose}, which converts it itself",
        core.gvk()
    ))
    .hint("leave out `--conversion` and `--spoke`")
}

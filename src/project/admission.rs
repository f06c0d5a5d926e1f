//! Kinds with webhooks or policies, and the names of these.

use std::collections::HashSet;

use crate::error::{Code, Error, Result};

use super::kind::not_of_hub;
use super::layout::{POLICIES, POLICY_TESTS, WEBHOOK_SOURCES};
use super::name::{Group, Kind, Version};
use super::rules::unknown_spoke;
use super::{Policies, PolicySort, Project, ProjectKind, Versioned, WebhookSort, Webhooks};

/// A kind with webhooks or policies.
#[derive(Clone, Debug)]
pub struct Admission<'a> {
    /// The kind, as PROJECT lists its hub.
    pub kind: &'a ProjectKind,
    /// The module of its webhooks below `src/webhook/`, and of the tests of its policies.
    pub module: Vec<String>,
    /// The parts that the names of its policies start with.
    pub stem: Vec<String>,
    /// Distinguishes its webhooks from those of another group.
    suffix: String,
}

impl Admission<'_> {
    /// Group, version and kind as a person writes them.
    pub fn gvk(&self) -> String {
        let whole = self.kind.api_group();
        let group = if self.kind.is_own() || whole.is_empty() {
            self.kind.group.as_str()
        } else {
            &whole
        };
        format!("{group}/{} {}", self.kind.hub, self.kind.name)
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

    /// The URL path of a webhook, by kubebuilder's rule.
    pub fn path(&self, sort: WebhookSort) -> String {
        let (set, verb) = match sort {
            WebhookSort::Defaulting => (&self.kind.webhooks.defaulting_path, "mutate"),
            WebhookSort::Validation => (&self.kind.webhooks.validation_path, "validate"),
        };
        let usual = || {
            let group = self.kind.api_group().replace('.', "-");
            let (version, name) = (&self.kind.hub, self.kind.name.lower());
            format!("/{verb}-{group}-{version}-{name}")
        };
        set.as_ref().map_or_else(usual, ToString::to_string)
    }

    /// The name of a webhook in its configuration, by kubebuilder's rule.
    pub fn name(&self, sort: WebhookSort) -> String {
        let initial = match sort {
            WebhookSort::Defaulting => "m",
            WebhookSort::Validation => "v",
        };
        let (name, version, suffix) = (self.kind.name.lower(), &self.kind.hub, &self.suffix);
        format!("{initial}{name}-{version}{suffix}.kb.io")
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

    /// The file with the tests of a policy.
    pub fn policy_tests(&self, sort: PolicySort) -> String {
        format!("{}/{}.rs", self.policy_test_folder(), sort.name())
    }

    /// The webhooks that it has.
    pub fn sorts(&self) -> impl Iterator<Item = WebhookSort> {
        WebhookSort::ALL
            .into_iter()
            .filter(|sort| self.kind.webhooks.has(*sort))
    }
}

impl Project {
    /// Whether any kind has webhooks, to admit or to convert its objects.
    pub fn has_webhooks(&self) -> bool {
        self.kinds.iter().any(|kind| !kind.webhooks.is_none())
    }

    /// Whether any kind has policies.
    pub fn has_policies(&self) -> bool {
        self.kinds.iter().any(|kind| !kind.policies.is_none())
    }

    /// The kinds that have webhooks.
    pub fn webhook_kinds(&self) -> Vec<Admission<'_>> {
        let mut kinds = self.admission(|kind| kind.webhooks.admits());
        let mut taken = HashSet::new();
        for Admission { kind, suffix, .. } in &mut kinds {
            if !taken.insert((kind.name.lower(), kind.hub.as_str())) {
                *suffix = format!("-{}", kind.api_group().replace('.', "-"));
            }
        }
        kinds
    }

    /// The kinds that have policies.
    pub fn policy_kinds(&self) -> Vec<Admission<'_>> {
        self.admission(|kind| !kind.policies.is_none())
    }

    /// Kinds, as PROJECT lists their hubs.
    fn admission(&self, is_wanted: impl Fn(&ProjectKind) -> bool) -> Vec<Admission<'_>> {
        let names = self.file_names();
        let hubs = self.entries().into_iter().filter(Versioned::is_hub);
        let kinds = hubs
            .map(|hub| hub.kind)
            .filter(|kind| is_wanted(kind))
            .map(|kind| Admission {
                kind,
                module: names.module(kind),
                stem: names.stem(kind),
                suffix: String::new(),
            });
        kinds.collect()
    }

    /// Adds webhooks to a kind of the project's own, of Kubernetes itself or of another operator. The version can be
    /// left out where there is one.
    ///
    /// # Errors
    /// The kind does not exist, the version is ambiguous, or the path is taken.
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
        let target = self.admitted(group, version, kind, "webhooks")?;
        target.webhooks = target.webhooks.with(&webhooks);
        self.check()
    }

    /// Adds policies to a kind, which is found as [`Self::add_webhooks`] does.
    ///
    /// # Errors
    /// The kind or the version does not exist, or another kind has its files.
    pub fn add_policies(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        policies: Policies,
    ) -> Result<()> {
        let target = self.admitted(group, version, kind, "policies")?;
        target.policies = target.policies.with(policies);
        self.check()
    }

    /// Sets the converted versions, if none are given.
    fn set_spokes(
        &self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        webhooks: &mut Webhooks,
    ) -> Result<()> {
        let Some(own) = self.own_kind(group, kind)? else {
            let other = self.other_kind(group, version, kind)?;
            return Err(not_converted(&other));
        };
        if let Some(version) = version.filter(|version| **version != own.hub) {
            return Err(not_hub(own, version));
        }
        if webhooks.spoke.is_empty() {
            webhooks.spoke = own
                .spokes()
                .map(|spoke| spoke.version.name.clone())
                .collect();
        }
        let mut spokes = webhooks.spoke.iter();
        if let Some(version) = spokes.find(|version| own.version(version).is_none()) {
            let (group, kind) = (&own.group, &own.name);
            return Err(unknown_spoke(own, version).hint(format!(
                "create the version first: `rop create api --group {group} --version {version} \
                --kind {kind}`"
            )));
        }
        if webhooks.spoke.is_empty() {
            return Err(one_version(own));
        }
        Ok(())
    }

    /// A kind that webhooks or policies, as `what` says, are made for. One of Kubernetes itself is listed from now on.
    fn admitted(
        &mut self,
        group: &Group,
        version: Option<&Version>,
        kind: &Kind,
        what: &str,
    ) -> Result<&mut ProjectKind> {
        if let Some(index) = self.own_index(group, kind)? {
            let own = &self.kinds[index];
            let target = own.version_or(version, &own.hub)?;
            return if target.is_hub() {
                Ok(&mut self.kinds[index])
            } else {
                Err(not_of_hub(target, &own.hub, what))
            };
        }
        let other = self.other_kind(group, version, kind)?;
        Ok(self.listed(other))
    }
}

fn not_hub(own: &ProjectKind, version: &Version) -> Error {
    let ProjectKind {
        group, name, hub, ..
    } = own;
    Error::new(Code::InvalidHub, format!(
        "{group}/{version} {name} is not the storage version (hub), which is {hub}"
    ))
    .hint(format!("convert this version with `--spoke {version}`"))
    .hint(format!(
        "or make it the hub: `rop create api --group {group} --version {version} --kind {name} --hub`"
    ))
}

fn one_version(own: &ProjectKind) -> Error {
    let ProjectKind {
        group, name, hub, ..
    } = own;
    Error::new(
        Code::NothingToConvert,
        format!("{group} {name} has only the version {hub}: nothing to convert"),
    )
    .hint(format!(
        "create another version first: `rop create api --group {group} --version {} --kind {name}`",
        if hub.as_str() == "v1" { "v2" } else { "v1" }
    ))
}

fn not_converted(other: &ProjectKind) -> Error {
    let whose = if other.is_external() {
        "another operator"
    } else {
        "Kubernetes"
    };
    Error::new(
        Code::NothingToConvert,
        format!(
            "{} is a kind of {whose}, which converts it",
            other.hub().gvk()
        ),
    )
    .hint("remove `--conversion` and `--spoke`")
}

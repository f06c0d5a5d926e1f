//! Webhooks and policies whose files are there, whatever PROJECT lists.

use std::collections::BTreeSet;

use crate::disk::View;
use crate::error::Result;
use crate::project::layout::WEBHOOK_SOURCES;
use crate::project::name::WebhookPath;
use crate::project::{
    AdmissionKind, Conversion, CoreKind, Policies, PolicySort, Project, Resource, Resources,
    WebhookSort, Webhooks,
};

use super::webhooks::is_rops;

/// What stands before the path in a marker that rop wrote.
const PATH: &str = "+kubebuilder:webhook:path=";

/// The webhooks and policies whose files are there.
pub(super) struct Found {
    /// The project's own kinds, with what there is of each.
    own: Vec<Resource>,
    /// Those of Kubernetes that have any.
    core: Vec<CoreKind>,
}

impl Found {
    /// Looks for all that a project can have. Without a `src/webhook/mod.rs` of rop's, what is there is the user's.
    pub(super) fn look(view: &View, project: &Project) -> Result<Self> {
        let wiring = view.read(&format!("{WEBHOOK_SOURCES}/mod.rs"))?;
        let has_wiring = wiring.is_some_and(|text| is_rops(&text));
        let mut all = project.clone();
        for own in &mut all.resources.own {
            own.webhooks = match project.own_kind(own).hub().is(own) {
                true => every(&own.webhooks),
                false => Webhooks::default(),
            };
        }
        let listed = &project.resources.core;
        let others = CoreKind::all().filter(|one| !listed.iter().any(|listed| listed.is(one)));
        all.resources.core.extend(others);
        for core in &mut all.resources.core {
            core.webhooks = every(&core.webhooks);
        }
        // Of two kinds with one name PROJECT lists one at most, and that is the first.
        let mut seen = BTreeSet::new();
        let found = all.webhook_kinds().into_iter().map(|kind| {
            if !seen.insert(kind.module.clone()) {
                return Ok(Default::default());
            }
            let webhooks = match has_wiring {
                true => webhooks(view, &kind)?,
                false => Webhooks::default(),
            };
            Ok((webhooks, policies(view, &kind)))
        });
        let found = found.collect::<Result<Vec<_>>>()?;
        let Resources { mut own, mut core } = all.resources;
        let kinds = own
            .iter_mut()
            .map(|one| (&mut one.webhooks, &mut one.policies));
        let core_kinds = core
            .iter_mut()
            .map(|one| (&mut one.webhooks, &mut one.policies));
        let kinds = kinds.chain(core_kinds);
        let kinds = kinds.filter(|(webhooks, _)| webhooks.admits());
        for ((webhooks, policies), found) in kinds.zip(found) {
            (*webhooks, *policies) = found;
        }
        for own in &mut own {
            own.webhooks = own.webhooks.with(&conversions(view, project, own));
        }
        core.retain(|one| !(one.webhooks.is_none() && one.policies.is_none()));
        Ok(Self { own, core })
    }

    /// The project with these alone.
    pub(super) fn alone(&self, mut project: Project) -> Project {
        for own in &mut project.resources.own {
            (own.webhooks, own.policies) = self.of(own);
        }
        for core in &mut project.resources.core {
            (core.webhooks, core.policies) = Default::default();
        }
        self.added_to(project)
    }

    /// The project with these beside its own.
    pub(super) fn added_to(&self, mut project: Project) -> Project {
        for own in &mut project.resources.own {
            let (webhooks, policies) = self.of(own);
            own.webhooks = own.webhooks.with(&webhooks);
            own.policies = own.policies.with(policies);
        }
        for core in &self.core {
            let listed = project.resources.listed(core.clone());
            listed.webhooks = listed.webhooks.with(&core.webhooks);
            listed.policies = listed.policies.with(core.policies);
        }
        project
    }

    fn of(&self, own: &Resource) -> (Webhooks, Policies) {
        let found = self.own.iter().find(|one| one.is(own));
        let found = found.map(|one| (one.webhooks.clone(), one.policies));
        found.unwrap_or_default()
    }
}

/// The webhooks of a kind whose files are there, at the paths of their markers.
fn webhooks(view: &View, kind: &AdmissionKind<'_>) -> Result<Webhooks> {
    let text = |sort| view.read(&kind.source(sort));
    let [defaulting, validation] = [
        text(WebhookSort::Defaulting)?,
        text(WebhookSort::Validation)?,
    ];
    Ok(Webhooks {
        defaulting_path: defaulting.as_deref().and_then(path),
        defaulting: defaulting.is_some(),
        validation_path: validation.as_deref().and_then(path),
        validation: validation.is_some(),
        ..Webhooks::default()
    })
}

/// The policies of a kind whose files are there. A manifest without tests is not rop's.
fn policies(view: &View, kind: &AdmissionKind<'_>) -> Policies {
    let is_there = |sort| {
        let files = [kind.policy(sort), kind.policy_tests(sort)];
        files.iter().all(|file| view.is_file(file))
    };
    Policies {
        mutating: is_there(PolicySort::Mutating),
        validating: is_there(PolicySort::Validating),
    }
}

/// The conversions whose code is there, if a version is the hub of its kind.
fn conversions(view: &View, project: &Project, own: &Resource) -> Webhooks {
    let kind = project.own_kind(own);
    let hub = kind.hub();
    let spokes = kind.spokes().filter(|spoke| {
        let conversion = Conversion { hub, spoke };
        hub.is(own) && view.is_file(&conversion.source())
    });
    let spoke: Vec<_> = spokes.map(|spoke| spoke.version.clone()).collect();
    Webhooks {
        conversion: !spoke.is_empty(),
        spoke,
        ..Webhooks::default()
    }
}

/// The path in the first marker.
fn path(text: &str) -> Option<WebhookPath> {
    let mut rests = text.lines().filter_map(|line| line.split_once(PATH));
    let (_, rest) = rests.next()?;
    rest.split(',').next()?.parse().ok()
}

/// All webhooks that a kind can have, at their paths.
fn every(webhooks: &Webhooks) -> Webhooks {
    Webhooks {
        defaulting: true,
        validation: true,
        ..webhooks.clone()
    }
}

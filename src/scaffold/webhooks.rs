//! The files of webhooks: those that markers ask for, and those that PROJECT listed once.

use std::collections::BTreeSet;

use crate::disk::View;
use crate::error::Result;
use crate::manifest::{self, Sources};
use crate::plan::{File, Ownership, Tree, without_header};
use crate::project::layout::{WEBHOOK_SOURCES, WEBHOOKS};
use crate::project::name::WebhookPath;
use crate::project::{
    Conversion, CoreKind, Project, Resource, Resources, WebhookKind, WebhookSort, Webhooks,
};
use crate::template;

/// What stands before the path in a marker that rop wrote.
const PATH: &str = "+kubebuilder:webhook:path=";

/// What `config/webhook` is to hold, if the sources declare webhooks: rop's files as they should be, and those that
/// are the user's, where they are missing.
pub(crate) fn webhook_folder(view: &View, sources: &Sources, project: &Project) -> Result<Tree> {
    let Some(webhooks) = manifest::webhooks(view, sources, project)? else {
        return Ok(Tree::default());
    };
    let mut folder = template::render_webhook_folder(webhooks.kinds, webhooks.crds)?;
    folder.insert(File::owned(WEBHOOKS, webhooks.manifest));
    folder.retain(|file| file.ownership() == Ownership::Owned || !view.is_file(file.path()));
    Ok(folder)
}

/// What is there of `config/webhook`, where rop made it.
pub(super) fn webhook_folder_on_disk(view: &View) -> Result<Tree> {
    let mut folder = Tree::default();
    if let Some(text) = view.read(WEBHOOKS)?.filter(|text| is_rops(text)) {
        folder.extend(template::render_webhook_folder(Vec::new(), Vec::new())?);
        folder.insert(File::owned(WEBHOOKS, text));
        folder.retain(|file| view.is_file(file.path()));
    }
    Ok(folder)
}

pub(super) fn is_rops(text: &str) -> bool {
    without_header(text) != text
}

/// The webhooks whose files are there.
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
            match has_wiring && seen.insert(kind.module.clone()) {
                true => on_disk(view, &kind),
                false => Ok(Webhooks::default()),
            }
        });
        let found = found.collect::<Result<Vec<_>>>()?;
        let Resources { mut own, mut core } = all.resources;
        let kinds = own.iter_mut().map(|one| &mut one.webhooks);
        let kinds = kinds.chain(core.iter_mut().map(|one| &mut one.webhooks));
        let kinds = kinds.filter(|webhooks| webhooks.admits());
        for (webhooks, found) in kinds.zip(found) {
            *webhooks = found;
        }
        for own in &mut own {
            own.webhooks = own.webhooks.with(&conversions(view, project, own));
        }
        core.retain(|one| !one.webhooks.is_none());
        Ok(Self { own, core })
    }

    /// The project with these webhooks alone.
    pub(super) fn alone(&self, mut project: Project) -> Project {
        for own in &mut project.resources.own {
            own.webhooks = self.of(own);
        }
        for core in &mut project.resources.core {
            core.webhooks = Webhooks::default();
        }
        self.added_to(project)
    }

    /// The project with these webhooks beside its own.
    pub(super) fn added_to(&self, mut project: Project) -> Project {
        for own in &mut project.resources.own {
            own.webhooks = own.webhooks.with(&self.of(own));
        }
        for core in &self.core {
            let listed = project.resources.listed(core.clone());
            listed.webhooks = listed.webhooks.with(&core.webhooks);
        }
        project
    }

    fn of(&self, own: &Resource) -> Webhooks {
        let found = self.own.iter().find(|one| one.is(own));
        found.map(|one| one.webhooks.clone()).unwrap_or_default()
    }
}

/// The webhooks of a kind whose files are there, at the paths of their markers.
fn on_disk(view: &View, kind: &WebhookKind<'_>) -> Result<Webhooks> {
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

/// All that a kind can have, at their paths.
fn every(webhooks: &Webhooks) -> Webhooks {
    Webhooks {
        defaulting: true,
        validation: true,
        ..webhooks.clone()
    }
}

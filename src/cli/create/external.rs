//! The flags of `rop create api` for kinds of other operators.

use std::collections::BTreeMap;

use clap::Args;

use crate::error::{Code, Error, Result};
use crate::external::{Crds, Definition, Named, Untyped, Why, listed_kinds};
use crate::listed::listed;
use crate::project::name::{Group, Kind, RustPath, Version};
use crate::project::{self, ExternalCrate, Project, ProjectKind};
use crate::ui::Ui;
use crate::yaml;

use super::crd_file;
use super::external_version::{Choice, Selector, choose};

/// How many fields a note lists.
const LISTED: usize = 4;

#[derive(Debug, Args)]
#[command(next_help_heading = "Kinds of other operators")]
pub(super) struct ExternalArgs {
    /// File with the CRDs to generate types from; `-` reads stdin.
    #[arg(long = "external-crd", value_name = "FILE")]
    crd: Option<String>,

    /// Domain of the external group, if not included in `--group`.
    #[arg(
        long = "external-api-domain",
        value_name = "DOMAIN",
        requires = "group"
    )]
    domain: Option<Group>,

    /// Crate with the types, NAME@VERSION; none are generated.
    #[arg(
        long = "external-api-crate",
        alias = "external-api-module",
        value_name = "CRATE",
        requires_all = ["crd", "path", "group", "kind"]
    )]
    of_crate: Option<ExternalCrate>,

    /// Rust module of the types in `--external-api-crate`.
    #[arg(long = "external-api-path", value_name = "PATH", requires = "of_crate")]
    path: Option<RustPath>,
}

/// A kind of another operator, and the CRD that the project keeps of it: path and text.
pub(super) struct External {
    pub(super) kind: ProjectKind,
    /// Versions that PROJECT lists, and that it takes the place of.
    pub(super) moved: Vec<Version>,
    pub(super) crd: (String, String),
}

impl ExternalArgs {
    /// The path of the CRD file, if given.
    pub(super) fn file(&self) -> Option<&str> {
        self.crd.as_deref()
    }

    /// The group as it is looked for: whole, where its domain is named.
    pub(super) fn whole(&self, group: &Group) -> Result<Group> {
        if self.domain.is_none() && self.crd.is_none() {
            return Ok(group.clone());
        }
        let (group, domain) = Project::split_external_group(group, self.domain.as_ref())?;
        Ok(format!("{group}.{domain}").parse()?)
    }

    /// The kinds that a file brings.
    pub(super) fn read(
        &self,
        file: &str,
        project: &Project,
        selector: &Selector<'_>,
        ui: &Ui,
    ) -> Result<Vec<External>> {
        let group = selector.group.map(|group| self.whole(group)).transpose()?;
        if let (Some(group), Some(kind)) = (&group, selector.kind) {
            check_owner(project, group, kind)?;
        }
        let (text, name) = crd_file::read(file)?;
        let crds = Crds::read(&text, name)?;
        for unreadable in crds.unreadable() {
            ui.note(&unreadable);
        }
        let kinds = match (&group, selector.kind) {
            (Some(group), Some(kind)) => vec![(group.as_str(), kind.as_str())],
            (group, kind) => {
                let is_wanted = |found: &(&str, &str)| {
                    group.as_ref().is_none_or(|group| found.0 == group.as_str())
                        && kind.is_none_or(|kind| found.1 == kind.as_str())
                };
                crds.kinds().into_iter().filter(is_wanted).collect()
            }
        };
        if kinds.is_empty() {
            let what = match (&group, selector.kind) {
                (Some(group), _) => format!("a kind in the group {group}"),
                (None, kind) => kind.map_or_else(String::new, |kind| format!("the kind {kind}")),
            };
            return Err(Error::new(
                Code::KindNotInFile,
                format!("`{name}` does not define {what}"),
            )
            .hint(format!("the file defines {}", listed_kinds(&crds.kinds()))));
        }
        if let (Some(kind), [_, _, ..]) = (selector.kind, &kinds[..]) {
            return Err(Error::new(
                Code::AmbiguousKind,
                format!("`{name}` defines {kind} in several groups"),
            )
            .hint(format!(
                "select one with `--group`: {}",
                listed_kinds(&kinds)
            )));
        }
        let externals = kinds.into_iter().map(|(group, kind)| {
            let named = Named {
                group: group.into(),
                kind,
                version: None,
            };
            let stored = crds.definition(&named)?;
            let (group, kind) = (group.parse()?, kind.parse()?);
            check_owner(project, &group, &kind)?;
            self.external(
                &stored,
                (file, name),
                project,
                (&group, &kind),
                selector,
                ui,
            )
        });
        externals.collect()
    }

    /// A kind in the version that is asked for. `file` is as it was named, and what it is called in messages.
    fn external(
        &self,
        stored: &Definition,
        (file, name): (&str, &str),
        project: &Project,
        (whole, kind): (&Group, &Kind),
        selector: &Selector<'_>,
        ui: &Ui,
    ) -> Result<External> {
        let Choice { version, moved } =
            choose(stored, (file, name), project, whole, kind, selector)?;
        let definition = stored.in_version(version.as_str(), name)?;
        let generated = || project.external_path(whole, &version);
        let path = self
            .path
            .as_ref()
            .map_or_else(generated, RustPath::to_string);
        let (group, domain) = Project::split_external_group(whole, self.domain.as_ref())?;
        for from in &moved {
            ui.note(&format!(
                "moving {whole} {kind} from {from} to {version}, with its controllers, webhooks and policies"
            ));
        }
        let external = project::External {
            domain,
            path,
            module: self.of_crate.clone(),
        };
        let kind = ProjectKind {
            plural: definition.plural.parse()?,
            namespaced: definition.is_namespaced,
            ..ProjectKind::external(group, version, kind.clone(), external)
        };
        if kind.has_generated_types() {
            let untyped = crate::external::untyped(&definition, &kind.type_name());
            note_untyped_fields(&kind, &untyped, ui);
        }
        let crd = (kind.crd(), yaml::to_string(&definition.manifest)?);
        Ok(External { kind, moved, crd })
    }
}

/// Refuses a kind that is not another operator's.
fn check_owner(project: &Project, group: &Group, kind: &Kind) -> Result<()> {
    let owner = match ProjectKind::built_in(group, None, kind) {
        Ok(None) => project.own_kind(group, kind)?.map(|_| "the project"),
        _ => Some("Kubernetes"),
    };
    match owner {
        None => Ok(()),
        Some(owner) => Err(Error::new(
            Code::NotExternal,
            format!("{group} {kind} is a kind of {owner}"),
        )
        .hint("remove `--external-crd` and `--external-api-crate`")),
    }
}

/// Notes the fields that have no Rust type.
fn note_untyped_fields(kind: &ProjectKind, untyped: &[Untyped], ui: &Ui) {
    let mut reasons: BTreeMap<Why, Vec<String>> = BTreeMap::new();
    for field in untyped {
        let paths = reasons.entry(field.why).or_default();
        paths.push(format!("`{}`", field.path));
    }
    for (why, paths) in reasons {
        let count = paths.len();
        let paths = match &paths[..] {
            [paths @ .., last] if count <= LISTED && count > 1 => {
                format!("{} and {last}", paths.join(", "))
            }
            paths => listed(paths, LISTED),
        };
        let why = why.description(count);
        ui.note(&format!("{}: {paths} {why}", kind.hub().gvk()));
    }
}

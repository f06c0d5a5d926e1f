//! The flags of `rop create api` for kinds of other operators.

use std::collections::BTreeMap;

use clap::Args;

use crate::error::{Error, Result};
use crate::external::{Crds, Named, Untyped, Why};
use crate::project::name::{Group, Kind, Version};
use crate::project::{CoreKind, ExternalCrate, ExternalKind, Project};
use crate::ui::Ui;
use crate::yaml;

use super::crd_file;

/// How many fields a note lists.
const LISTED: usize = 4;

#[derive(Debug, Args)]
pub(super) struct ExternalArgs {
    /// The CRD of a kind of another operator, to generate its types from; `-` reads stdin.
    #[arg(long = "external-crd", value_name = "FILE")]
    crd: Option<String>,

    /// The domain of its group, if `--group` is without it.
    #[arg(long = "external-api-domain", value_name = "DOMAIN")]
    domain: Option<Group>,

    /// A crate that has its types already, so that none are generated.
    #[arg(
        long = "external-api-crate",
        alias = "external-api-module",
        value_name = "NAME@VERSION",
        requires_all = ["crd", "path"]
    )]
    of_crate: Option<ExternalCrate>,

    /// The Rust module in that crate that has the type.
    #[arg(long = "external-api-path", value_name = "PATH", value_parser = rust_path, requires = "of_crate")]
    path: Option<String>,
}

/// The kind that is asked for.
pub(super) struct Wanted<'a> {
    pub(super) group: &'a Group,
    pub(super) version: Option<&'a Version>,
    pub(super) kind: &'a Kind,
}

/// A kind of another operator, and the CRD that the project keeps of it: path and text.
pub(super) struct External {
    pub(super) kind: CoreKind,
    pub(super) crd: (String, String),
}

impl ExternalArgs {
    /// The file of the CRD, if there is one.
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

    /// The kind that a file brings.
    pub(super) fn read(
        &self,
        file: &str,
        project: &Project,
        wanted: &Wanted<'_>,
        ui: &Ui,
    ) -> Result<External> {
        let whole = self.whole(wanted.group)?;
        let whose = match CoreKind::find(&whole, None, wanted.kind) {
            Ok(None) => project
                .own_kind_named(&whole, wanted.kind)?
                .map(|_| "the project"),
            _ => Some("Kubernetes"),
        };
        if let Some(whose) = whose {
            return Err(
                Error::usage(format!("{whole} {} is a kind of {whose}", wanted.kind))
                    .hint("leave out `--external-crd` and `--external-api-crate`"),
            );
        }
        let (text, file) = crd_file::read(file)?;
        let crds = Crds::read(&text, file)?;
        let named = Named {
            group: whole.as_str().into(),
            kind: wanted.kind.as_str(),
            version: wanted.version.map(Version::as_str),
        };
        let definition = crds.definition(&named)?;
        for unreadable in crds.unreadable() {
            ui.note(&unreadable);
        }
        let version: Version = definition.version.parse()?;
        let generated = || project.external_path(&whole, &version);
        let path = self.path.clone().unwrap_or_else(generated);
        let (group, domain) = Project::split_external_group(&whole, self.domain.as_ref())?;
        let mut kind = CoreKind::external(ExternalKind {
            group,
            domain,
            version,
            kind: wanted.kind.clone(),
            plural: definition.plural.parse()?,
            namespaced: definition.is_namespaced,
            path,
        });
        kind.module.clone_from(&self.of_crate);
        if kind.has_types() {
            let types = crate::external::types(&definition, &kind.type_name());
            say_what_is_untyped(&kind, &types.untyped, ui);
        }
        let crd = (kind.crd(), yaml::to_string(&definition.manifest)?);
        Ok(External { kind, crd })
    }
}

/// Names what has no Rust form.
fn say_what_is_untyped(kind: &CoreKind, untyped: &[Untyped], ui: &Ui) {
    let mut reasons: BTreeMap<Why, Vec<String>> = BTreeMap::new();
    for one in untyped {
        let paths = reasons.entry(one.why).or_default();
        paths.push(format!("`{}`", one.path));
    }
    for (why, paths) in reasons {
        let more = match paths.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let paths = paths[..paths.len().min(LISTED)].join(", ");
        ui.note(&format!("{}: {paths}{more} {why}", kind.gvk()));
    }
}

/// A path to a module.
fn rust_path(value: &str) -> Result<String, String> {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match value.split("::").all(is_word) {
        true => Ok(value.to_owned()),
        false => Err(
            "is not the path of a Rust module: write it as in `cert_manager_types::v1`".to_owned(),
        ),
    }
}

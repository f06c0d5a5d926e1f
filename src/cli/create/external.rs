//! The flags of `rop create api` for kinds of other operators.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};

use clap::Args;

use crate::error::{Context, Error, Result};
use crate::external::{Definition, LONGEST, Named, Untyped, Why};
use crate::project::name::{Group, Kind, Plural, Version};
use crate::project::{CoreKind, ExternalCrate, ExternalKind, Project};
use crate::ui::Ui;
use crate::yaml;

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

    /// A crate that has its types already.
    #[arg(
        long = "external-api-crate",
        alias = "external-api-module",
        value_name = "NAME@VERSION",
        conflicts_with = "crd",
        requires = "path"
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
    pub(super) plural: Option<&'a Plural>,
    pub(super) namespaced: bool,
}

/// A kind of another operator, and the CRD that the project keeps of it.
pub(super) struct External {
    pub(super) kind: CoreKind,
    /// Path and text.
    pub(super) crd: Option<(String, String)>,
}

impl ExternalArgs {
    /// Whether the flags bring a kind.
    pub(super) fn is_given(&self) -> bool {
        self.crd.is_some() || self.of_crate.is_some()
    }

    /// The group as it is looked for: whole, where its domain is named.
    pub(super) fn whole(&self, group: &Group) -> Result<Group> {
        if self.domain.is_none() && !self.is_given() {
            return Ok(group.clone());
        }
        let (group, domain) = Project::split_external_group(group, self.domain.as_ref())?;
        Ok(format!("{group}.{domain}").parse()?)
    }

    /// The kind that they bring.
    pub(super) fn read(
        &self,
        project: &Project,
        wanted: &Wanted<'_>,
        ui: &Ui,
    ) -> Result<Option<External>> {
        let whole = self.whole(wanted.group)?;
        let whose = match CoreKind::find(&whole, None, wanted.kind) {
            Ok(None) => project
                .own_kind_named(&whole, wanted.kind)?
                .map(|_| "the project"),
            _ => Some("Kubernetes"),
        };
        if let Some(whose) = whose.filter(|_| self.is_given()) {
            return Err(
                Error::usage(format!("{whole} {} is a kind of {whose}", wanted.kind))
                    .hint("leave out `--external-crd` and `--external-api-crate`"),
            );
        }
        match (&self.crd, &self.of_crate) {
            (Some(file), _) => self.of_crd(project, file, wanted, ui).map(Some),
            (None, Some(of)) => self.in_crate(of, wanted).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn of_crd(
        &self,
        project: &Project,
        file: &str,
        wanted: &Wanted<'_>,
        ui: &Ui,
    ) -> Result<External> {
        let (text, file) = match file {
            "-" => (read(io::stdin().lock(), "stdin")?, "stdin"),
            path => {
                let open = File::open(path).context(|| format!("failed to read `{path}`"))?;
                (read(open, path)?, path)
            }
        };
        let group = self.whole(wanted.group)?;
        let named = Named {
            group: group.as_str().into(),
            kind: wanted.kind.as_str(),
            version: wanted.version.map(Version::as_str),
        };
        let definition = Definition::read(&text, file, named)?;
        let version: Version = definition.version.parse()?;
        let path = project.external_path(&group, &version);
        let (group, domain) = Project::split_external_group(&group, self.domain.as_ref())?;
        let kind = CoreKind::external(ExternalKind {
            group,
            domain,
            version,
            kind: wanted.kind.clone(),
            plural: definition.plural.parse()?,
            namespaced: definition.is_namespaced,
            path,
        });
        let types = crate::external::types(&definition, &kind.type_name());
        say_what_is_untyped(&kind, &types.untyped, ui);
        let crd = (kind.crd(), yaml::to_string(&definition.manifest)?);
        Ok(External {
            kind,
            crd: Some(crd),
        })
    }

    fn in_crate(&self, of: &ExternalCrate, wanted: &Wanted<'_>) -> Result<External> {
        let version = wanted.version.ok_or_else(|| {
            Error::usage("the version of a kind of another operator is not known without its CRD")
                .hint("name it with `--version`")
        })?;
        let domain = self.domain.as_ref();
        let (group, domain) = Project::split_external_group(wanted.group, domain)?;
        let kind = CoreKind::external(ExternalKind {
            group,
            domain,
            version: version.clone(),
            kind: wanted.kind.clone(),
            plural: wanted
                .plural
                .cloned()
                .unwrap_or_else(|| Plural::of(wanted.kind)),
            namespaced: wanted.namespaced,
            path: self.path.clone().unwrap_or_default(),
        });
        Ok(External {
            kind: CoreKind {
                module: Some(of.clone()),
                ..kind
            },
            crd: None,
        })
    }
}

/// What somebody gives, but no more than a file of CRDs can have.
fn read(from: impl io::Read, file: &str) -> Result<String> {
    let mut text = String::new();
    let limit = LONGEST as u64 + 1;
    from.take(limit)
        .read_to_string(&mut text)
        .context(|| format!("failed to read `{file}`"))?;
    Ok(text)
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

//! What changes its name with a project: its API groups, its crates, its namespace, the folders of its controllers.

use std::collections::{BTreeMap, BTreeSet};

use crate::disk::View;
use crate::error::Result;
use crate::plan::{File, LineEnds, Renames, Tree, is_rust, without_header};
use crate::project::layout::CONFIG;
use crate::project::name::{ProjectName, crate_name};
use crate::project::{Project, ProjectKind, WebhookSort};

/// Where a user names what a project has.
const FOLDERS: [&str; 6] = ["api", "benches", "config", "examples", "src", "tests"];

/// What kustomize lists, of which no object gets the project's name as its prefix.
const UNPREFIXED: [&str; 3] = ["config/crd/", "config/external/", "config/samples/"];

/// What stands around a project's name in labels of objects, and in labels of metrics and alerts.
const LABELS: [(&str, &str); 5] = [
    ("app.kubernetes.io/name: ", ""),
    ("app.kubernetes.io/name=", ""),
    ("name=\"", "\""),
    ("operator: ", ""),
    ("operator=\"", "\""),
];

/// The names that differ between a project as it was made last and as it is to be. `laid_out` is the second, with
/// controllers and webhooks in the folders that the first has.
///
/// # Errors
/// A file of `config` cannot be read.
pub(super) fn renames(
    view: &View,
    last: &Project,
    laid_out: &Project,
    next: &Project,
) -> Result<Renames> {
    let mut renames = Renames::default();
    let [admissions_before, admissions_after] = [last, next].map(Project::webhook_kinds);
    for (old, new) in in_another_domain(last, next) {
        add(&mut renames.groups, old.api_group(), new.api_group());
        for version in old.versions() {
            let name =
                |kind: &ProjectKind| format!("{}/{}", kind.api_group(), version.version.name);
            add(&mut renames.names, name(old), name(new));
        }
        add(&mut renames.names, old.crd_name(), new.crd_name());
        let file = |kind: &ProjectKind| format!("{}_{}.yaml", kind.api_group(), kind.plural);
        add(&mut renames.names, file(old), file(new));
        let admissions_before = admissions_before
            .iter()
            .find(|admission| admission.kind.is_same(old));
        let admissions_after = admissions_after
            .iter()
            .find(|admission| admission.kind.is_same(new));
        if let (Some(old), Some(new)) = (admissions_before, admissions_after) {
            for sort in WebhookSort::ALL {
                add(&mut renames.names, old.path(sort), new.path(sort));
            }
        }
    }
    let (old, new) = (&last.project_name, &next.project_name);
    let namespace = |name: &ProjectName| format!("{name}-system");
    add(&mut renames.names, namespace(old), namespace(new));
    if old != new {
        for object in objects(view)? {
            let prefixed = |name: &ProjectName| format!("{name}-{object}");
            add(&mut renames.names, prefixed(old), prefixed(new));
        }
        for (before, after) in LABELS {
            let label = |name: &ProjectName| format!("{before}{name}{after}");
            add(&mut renames.names, label(old), label(new));
        }
    }
    add(&mut renames.names, last.lease_name(), next.lease_name());
    add(&mut renames.packages, old.api_package(), new.api_package());
    for package in [ProjectName::to_string, ProjectName::api_package] {
        for (before, after) in CRATES {
            let path =
                |name: &ProjectName| format!("{before}{}{after}", crate_name(&package(name)));
            add(&mut renames.paths, path(old), path(new));
        }
    }
    for [old, new] in folders(laid_out, next) {
        let path = |folder: String| folder.trim_start_matches("src/").replace('/', "::");
        add(&mut renames.paths, path(old), path(new));
    }
    Ok(renames)
}

/// What stands around a crate where code names it: nowhere else is the word a crate's for sure.
const CRATES: [(&str, &str); 7] = [
    ("", "::"),
    ("use ", ";"),
    ("use ", " as"),
    ("use ::", ";"),
    ("use ::", " as"),
    ("extern crate ", ";"),
    ("extern crate ", " as"),
];

/// The objects that `config` lists without the prefix that they get: an overlay names them with it.
fn objects(view: &View) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for path in view.own_files_in(CONFIG)? {
        let is_prefixed = !UNPREFIXED.iter().any(|folder| path.starts_with(folder));
        let Ok(Some(text)) = view.read_own(&path) else {
            continue;
        };
        if is_prefixed && path.ends_with(".yaml") {
            let lines = text.lines().zip(text.lines().skip(1));
            let metadata = lines.filter(|(line, _)| *line == "metadata:");
            let found = metadata.filter_map(|(_, line)| line.strip_prefix("  name: "));
            names.extend(found.map(str::to_owned));
        }
    }
    Ok(names)
}

fn add(words: &mut Vec<(String, String)>, old: String, new: String) {
    if old != new && words.iter().all(|(known, _)| *known != old) {
        words.push((old, new));
    }
}

/// The folders of controllers and webhooks in two layouts of one project.
pub(super) fn folders(laid_out: &Project, next: &Project) -> Vec<[String; 2]> {
    let all = |project: &Project| {
        let controllers = project
            .controllers()
            .into_iter()
            .map(|controller| controller.source());
        let webhooks = project
            .webhook_kinds()
            .into_iter()
            .map(|kind| kind.folder());
        controllers.chain(webhooks).collect::<Vec<_>>()
    };
    let pairs = all(laid_out).into_iter().zip(all(next));
    pairs.map(<[String; 2]>::from).collect()
}

/// The kinds that go to another domain, as they were and as they are to be.
fn in_another_domain<'a>(
    last: &'a Project,
    next: &'a Project,
) -> Vec<(&'a ProjectKind, &'a ProjectKind)> {
    let pairs = last.own_kinds().filter_map(|old| {
        let mut next = next.own_kinds();
        let has_name = |new: &&ProjectKind| (&old.group, &old.name) == (&new.group, &new.name);
        Some((old, next.find(has_name)?))
    });
    let differs = |(old, new): &(&ProjectKind, &ProjectKind)| old.api_group() != new.api_group();
    pairs.filter(differs).collect()
}

/// Gives the CRDs that go to another domain the schemas that their types have, which templates do not know.
///
/// # Errors
/// A CRD cannot be read.
pub(super) fn add_crds(
    view: &View,
    renames: &Renames,
    [last, next]: [&Project; 2],
    rendered: &mut Tree,
) -> Result<()> {
    for (old, new) in in_another_domain(last, next) {
        let (old, new) = (old.crd(), new.crd());
        let generated = match view.read(&new)? {
            None => view.read(&old)?,
            // After a merge, some are there already.
            on_disk => on_disk,
        };
        if let Some(text) = generated {
            let text = renames.apply(&new, without_header(&text));
            rendered.replace(File::owned(new, text));
        }
    }
    Ok(())
}

/// The files that have names which change, by path, each with its text and the one to be.
///
/// # Errors
/// A file cannot be read.
pub(super) fn texts(view: &View, renames: &Renames) -> Result<BTreeMap<String, [String; 2]>> {
    let mut texts = BTreeMap::new();
    if renames.is_empty() {
        return Ok(texts);
    }
    for folder in FOLDERS {
        for path in view.own_files_in(folder)? {
            if !(is_rust(&path) || path.ends_with(".yaml")) {
                continue;
            }
            // What cannot be read, or is behind a link that leads elsewhere, is no text of the project.
            let Ok(Some(text)) = view.read_own(&path) else {
                continue;
            };
            let text = LineEnds::read(&text);
            let renamed = renames.apply(&path, &text);
            if renamed != text {
                texts.insert(path, [text, renamed]);
            }
        }
    }
    Ok(texts)
}

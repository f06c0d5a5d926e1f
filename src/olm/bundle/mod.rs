//! A bundle: one version of an operator as OLM installs it, with its image's Dockerfile.

mod base;
mod certificates;
mod dockerfile;
mod files;
mod given_base;
mod merge;
mod origin;
mod parts;
mod place;
mod renamed;
mod request;
mod required;
mod written;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::disk::View;
use crate::error::Result;
use crate::manifest::{csv_markers, rules_of_kinds};
use crate::plan::{File, LineEnds, Ownership, Renames, Tree, merged};
use crate::project::Project;
use crate::record;
use crate::template;
use crate::versions::VERSIONS;
use crate::yaml;

use super::csv::{Permissions, Sources, others, webhooks_left_out, without_crd};
use super::validate::Finding;

pub use super::csv::Digests;
pub use dockerfile::{Label, labels};
pub use origin::name_base;
pub use parts::Parts;
pub use place::check_place;
pub use request::{Request, Settings};
pub use written::{Written, package_version};

/// The folder of bundles that nobody asked to have elsewhere.
pub const FOLDER: &str = "bundle";

/// The folder of manifests in a bundle.
pub const MANIFESTS: &str = "manifests";

/// The folder of bases.
const BASES: &str = "config/manifests/bases";

/// The folder that kustomize renders for a bundle in a project of operator-sdk.
pub const RENDERED: &str = "config/manifests";

/// The folder of the configuration of scorecard in such a project.
pub const SCORECARD: &str = "config/scorecard";

/// The configuration of scorecard in a bundle.
const TESTS: &str = "tests/scorecard/config.yaml";

/// How the names of files with a `ClusterServiceVersion` end.
const SUFFIX: &str = ".clusterserviceversion.yaml";

/// The folders in a bundle.
const PARTS: [&str; 3] = [MANIFESTS, "metadata", "tests"];

/// A bundle that is made.
#[derive(Debug, Default)]
pub struct Made {
    /// What was made of it last, as far as it is there.
    pub before: Tree,
    /// What it is to be.
    pub after: Tree,
    /// What a bundle cannot hold, and what OLM makes itself.
    pub notes: Vec<String>,
    /// Fields of the base that OLM does not know. The bundle keeps them.
    pub unknown_fields: Vec<Finding>,
}

/// What the templates need.
#[derive(Serialize)]
struct Data<'a> {
    package: &'a str,
    folder: &'a str,
    channels: String,
    default_channel: Option<&'a str>,
    display_name: String,
    description: String,
    owner: Option<&'a str>,
}

/// The file that a person edits.
pub fn base(package: &str) -> String {
    format!("{BASES}/{package}{SUFFIX}")
}

/// The file that describes the image of a bundle in a folder.
pub fn dockerfile(folder: &str) -> String {
    format!("{folder}.Dockerfile")
}

/// The base of a bundle with what is remembered of it, if it is missing.
///
/// # Errors
/// As the disk and the library say.
pub fn missing_base(view: &View, project: &Project) -> Result<Tree> {
    let path = base(project.project_name.as_str());
    if view.is_file(&path) {
        return Ok(Tree::default());
    }
    let mut tree = templated(&Data::of(project, &Settings::default()))?;
    tree.retain(|file| file.path() == path);
    let bases = record::bases(&tree);
    tree.extend(bases);
    Ok(tree)
}

/// The files of a bundle that have templates.
fn templated(data: &Data<'_>) -> Result<Tree> {
    let mut templated = Tree::default();
    for file in template::render_folder("bundle", data)?.files() {
        let path = match file.path() {
            "base/clusterserviceversion.yaml" => base(data.package),
            "bundle.Dockerfile" => dockerfile(data.folder),
            path => format!("{}/{path}", data.folder),
        };
        templated.insert(seeded(&path, file.text().to_owned()));
    }
    Ok(templated)
}

/// Makes a bundle of the operator's manifests.
///
/// # Errors
/// The base is no YAML, or the manifests have no Deployment of the operator.
pub fn make(view: &View, request: &Request<'_>) -> Result<Made> {
    let mut made = generated(view, request)?;
    let given = given(view, request, &made.after)?;
    made.before.extend(given);
    // What is remembered is what rop gives, not what becomes of it.
    let bases = [&made.before, &made.after].map(record::bases);
    let kept = if request.settings.force {
        made.drop_edits(view)?;
        BTreeSet::new()
    } else {
        renamed::keep_edits(view, &mut made)?;
        made.keep_edits(view)?;
        made.keep_edited(view)?
    };
    let [mut before, after] = bases;
    before.retain(|file| !kept.contains(file.path()));
    made.before.extend(before);
    made.after.extend(after);
    made.after.merge_edits(Renames::default());
    Ok(made)
}

/// The bundle as it would be without the user's edits.
fn generated(view: &View, request: &Request<'_>) -> Result<Made> {
    let package = request.package();
    let mut templated = templated(&Data::of(request.project, request.settings))?;
    let mut made = Made::default();
    let parts = request.parts;
    let base = given_base::read(view, request, &mut templated, &mut made)?;
    made.notes.extend(parts.notes.iter().cloned());
    let (objects, left_out) = certificates::leave_out(&parts.objects);
    made.notes.extend(left_out);
    let others = others(&parts.samples, &objects);
    if !others.is_empty() {
        made.notes.push(format!(
            "the bundle omits the samples {}, because it does not contain their CRDs",
            others.join(", ")
        ));
    }
    let unowned = without_crd(&base, &objects);
    if !unowned.is_empty() {
        made.notes.push(format!(
            "the bundle omits {} of `spec.customresourcedefinitions.owned` in `{}`: no CRD has this name, version and kind",
            unowned.join(", "),
            self::base(package)
        ));
    }
    made.notes.extend(webhooks_left_out(&parts.objects));
    let permissions = Permissions::of(&objects, objects.namespace()?);
    let sources = Sources {
        package,
        version: &request.settings.version,
        base,
        objects: &objects,
        all: &parts.objects,
        samples: &parts.samples,
        kubernetes: &format!("{}.0", VERSIONS.oldest_kubernetes),
        markers: &csv_markers(view, request.project)?,
        rules: &rules_of_kinds(view, request.project)?,
        namespaced: request.project.namespaced,
    };
    let csv = sources.csv(&permissions)?;
    let mut files = files::of(&objects, &permissions, &mut made.notes)?;
    made.notes.extend(required::note(view, request, &csv)?);
    files.insert(format!("{package}{SUFFIX}"), yaml::to_string(&csv)?);
    for (name, text) in files {
        let path = format!("{}/{MANIFESTS}/{name}", request.settings.folder);
        made.after.insert(seeded(&path, text));
    }
    made.after.extend(templated);
    if let Some(tests) = &parts.tests {
        let path = format!("{}/{TESTS}", request.settings.folder);
        made.after.replace(seeded(&path, yaml::to_string(tests)?));
    }
    Ok(made)
}

/// What rop gave of a bundle last, as far as it is there: a file that is missing is made again.
///
/// Without a record, it gave the files that the same manifests give with the version and the image of the last bundle.
fn given(view: &View, request: &Request<'_>, after: &Tree) -> Result<Tree> {
    let folder = &request.settings.folder;
    let mut given = Tree::default();
    let mut paths = BTreeSet::new();
    for part in PARTS {
        paths.extend(record::given_in(view, &format!("{folder}/{part}"))?);
    }
    paths.extend(after.files().map(|file| file.path().to_owned()));
    let mut unknown = Vec::new();
    for path in paths.into_iter().filter(|path| view.is_file(path)) {
        match record::given(view, &path)? {
            Some(text) => given.insert(seeded(&path, text)),
            None => unknown.push(path),
        }
    }
    let (Some(settings), false) = (request.last_settings(), unknown.is_empty()) else {
        return Ok(given);
    };
    let parts = request.last_parts()?;
    let last = Request {
        settings: &settings,
        parts: &parts,
        ..*request
    };
    let last = generated(view, &last)?.after;
    for path in unknown {
        if let Some(file) = last.get(&path)
            && on_disk(view, &path)?.is_some_and(|text| text == file.text())
        {
            given.insert(file.clone());
        }
    }
    Ok(given)
}

/// The text of a file on disk, with the line ends that rop writes.
fn on_disk(view: &View, path: &str) -> Result<Option<String>> {
    let text = view.read_own(path)?;
    Ok(text.map(|text| LineEnds::read(&text)))
}

/// A file of a bundle: its user may edit it.
fn seeded(path: &str, text: String) -> File {
    File::new(path, Ownership::Seeded, text)
}

impl Made {
    /// Merges, field by field, what cannot be merged line by line.
    fn keep_edits(&mut self, view: &View) -> Result<()> {
        let given: Vec<File> = self.before.files().cloned().collect();
        for given in given {
            let path = given.path();
            let (Some(new), Some(edited)) = (self.after.get(path), on_disk(view, path)?) else {
                continue;
            };
            let is_free = edited == given.text() || new.text() == given.text();
            if is_free || merged(&given, &edited, new).is_some() {
                continue;
            }
            let new = new.clone();
            self.merge(&given, edited, &new)?;
        }
        Ok(())
    }

    /// Merges, field by field, the edits of a file that rop gave into a new one, which may have another path.
    fn merge(&mut self, given: &File, edited: String, new: &File) -> Result<()> {
        if let Some(merged) = merge::merge(given.text(), &edited, new.text())? {
            self.notes.extend(merged.notes(new.path()));
            self.before.replace(seeded(given.path(), edited));
            self.after.replace(seeded(new.path(), merged.text));
        }
        Ok(())
    }

    /// Keeps the edited files that the bundle no longer has, with what is remembered of them. Gives the paths of that.
    fn keep_edited(&mut self, view: &View) -> Result<BTreeSet<String>> {
        let mut kept = Tree::default();
        for given in self.before.files() {
            let path = given.path();
            if self.after.get(path).is_none()
                && on_disk(view, path)?.is_some_and(|text| text != given.text())
            {
                self.notes.push(format!(
                    "the bundle no longer has `{path}`, which was kept because you edited it: delete the file"
                ));
                kept.insert(given.clone());
            }
        }
        self.before.retain(|file| kept.get(file.path()).is_none());
        let bases = record::bases(&kept);
        Ok(bases.files().map(|file| file.path().to_owned()).collect())
    }

    /// Takes what is on disk for what rop gave, so that no edit counts.
    fn drop_edits(&mut self, view: &View) -> Result<()> {
        let files = self.before.files().chain(self.after.files());
        let paths: BTreeSet<String> = files.map(|file| file.path().to_owned()).collect();
        for path in paths {
            if let Some(text) = on_disk(view, &path)? {
                self.before.replace(seeded(&path, text));
            }
        }
        Ok(())
    }
}

//! A Helm chart, from the objects that kustomize gives of `config/default`.
//!
//! What a component adds or changes is found by rendering without it, so each component is a toggle of the chart that
//! takes all its parts along. Names and the namespace are rendered as marks, which become Helm's expressions wherever
//! they are. The rest is literal.

mod combine;
mod components;
mod container;
mod content;
mod fields;
mod hosts;
mod ignore;
mod names;
mod node;
mod operator;
mod package;
mod place;
mod rendered;
mod scopes;
mod settings;
mod size;
mod toggles;
mod users;
mod when;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::plan::{self, File, Ownership, Tree, is_headed};
use crate::project::Project;
use crate::record::{self, Record};
use crate::template;
use crate::yaml;

use super::{Manifests, Output, headed};

use content::{Content, Data};
pub use package::Package;
use package::{IGNORE, METADATA};
use settings::Settings;

/// The schema of the values: a folder with this file is a chart that rop generated.
const SCHEMA: &str = "values.schema.json";

/// The templates of every chart.
const BASE: &str = "chart-base";

const VALUES: &str = "values.yaml";

/// What the folder of the CRDs' chart ends with.
const CRDS_SUFFIX: &str = "-crds";

/// Where the CRDs of a chart are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crds {
    /// In the chart: an upgrade of the chart upgrades them.
    Templates,
    /// In a chart of their own beside it, for releases that are too large for one Secret.
    Separate,
}

impl Crds {
    /// Where the chart in a folder has them.
    pub fn of(folder: &str, view: &View) -> Self {
        if is_chart(&beside(folder), view) {
            Self::Separate
        } else {
            Self::Templates
        }
    }

    /// The folders of the charts, the operator's in `folder`.
    pub fn folders(self, folder: &str) -> Vec<String> {
        match self {
            Self::Templates => vec![folder.to_owned()],
            Self::Separate => vec![beside(folder), folder.to_owned()],
        }
    }
}

/// The Helm chart of the project.
#[derive(Debug)]
pub struct Chart;

impl Chart {
    /// The default path: only the output there is kept up to date.
    pub const PATH: &str = "dist/chart";

    /// The files of the chart in a folder.
    ///
    /// # Errors
    /// The manifests cannot be rendered in memory, or the values that are there are no YAML.
    pub fn files(folder: &str, crds: Crds, manifests: &Manifests<'_>) -> Result<Tree> {
        let view = manifests.planned_view()?;
        for folder in crds.folders(folder) {
            check_mapping(&view, &format!("{folder}/{METADATA}"))?;
            check_mapping(&view, &format!("{folder}/{VALUES}"))?;
        }
        let mut content = Content::new(manifests.project, &view, manifests.renderer)?;
        let crds_chart = beside(folder);
        let [own, other] = match crds {
            Crds::Templates => [folder, &crds_chart],
            Crds::Separate => [&*crds_chart, folder],
        };
        if let Some(keep) = users::crd_keep(&view, own, other)? {
            content.settings = content.settings.with_default("crd.keep", keep);
        }
        let mut tree = Tree::default();
        for note in &content.notes {
            tree.note(note.clone());
        }
        let is_crd = |path: &String| path.starts_with(place::CRDS);
        let (of_crds, others): (BTreeMap<_, _>, BTreeMap<_, _>) = content
            .templates
            .into_iter()
            .partition(|(path, _)| crds == Crds::Separate && is_crd(path));
        let Data { name, .. } = &content.data;
        if crds == Crds::Separate {
            let data = Data {
                name: format!("{name}-crds"),
                description: format!("The CRDs of the operator {name}"),
                ..content.data.clone()
            };
            let settings = content
                .settings
                .with_default("fullnameOverride", name.as_str().into());
            let place = Place {
                view: &view,
                folder: &crds_chart,
            };
            place.add(&mut tree, &data, &[BASE], &of_crds, &settings)?;
        }
        let sets = [BASE, "chart-operator"];
        let place = Place {
            view: &view,
            folder,
        };
        place.add(&mut tree, &content.data, &sets, &others, &content.settings)?;
        if let Some(note) = size::note(&tree) {
            tree.note(note);
        }
        Ok(tree)
    }

    /// The folder of the operator's chart, if `folder` has the chart of its CRDs.
    pub fn with_crds_in<'a>(folder: &'a str, view: &View) -> Option<&'a str> {
        let operators = folder.strip_suffix(CRDS_SUFFIX)?;
        (is_chart(operators, view) && is_chart(folder, view)).then_some(operators)
    }

    /// Why a folder of the project cannot have a chart, if it cannot.
    pub fn refusal(folder: &str, view: &View) -> Option<String> {
        if folder.is_empty() {
            return Some("it is the project".to_owned());
        }
        if !plan::is_inside(folder) {
            return Some("rop does not write there".to_owned());
        }
        let is_chart = |folder: &str| view.is_file(&format!("{folder}/{METADATA}"));
        let around = folder
            .match_indices('/')
            .map(|(end, _)| folder.split_at(end));
        for (other, inside) in around {
            if is_chart(other) && !inside.starts_with("/charts/") {
                return Some(format!("it is in the chart in `{other}`"));
            }
        }
        let has_files = view
            .root()
            .join(folder)
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some());
        (has_files && folder != Self::PATH && !is_chart(folder) && !Self::is_at(folder, view))
            .then(|| "it is not empty and not a Helm chart".to_owned())
    }

    /// Whether rop wrote the chart in a folder.
    pub fn is_at(folder: &str, view: &View) -> bool {
        is_chart(folder, view)
    }

    /// The files in a folder, and in that of its CRDs, that rop wrote and rewrites.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn written(folder: &str, view: &View) -> Result<Tree> {
        let mut tree = Tree::default();
        let recorded = Record::read(view)?;
        let recorded = recorded.iter().flat_map(Record::files);
        let recorded: BTreeSet<&str> = recorded.map(|(path, _)| path).collect();
        for folder in [folder.to_owned(), beside(folder)] {
            let schema = format!("{folder}/{SCHEMA}");
            let templates = format!("{folder}/templates");
            let mut paths = view.own_files_in(&templates)?;
            let is_recorded = recorded.iter().any(|path| path.starts_with(&templates));
            // A copy that the user made of a template has its header too.
            paths.retain(|path| !is_recorded || recorded.contains(&**path));
            tree.extend(headed(view, paths.into_iter().chain([schema]))?);
        }
        Ok(tree)
    }

    /// The files of the CRDs' chart beside a folder that the user may edit, as rop wrote them.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn given_of_crds(folder: &str, view: &View) -> Result<Tree> {
        let mut tree = Tree::default();
        for name in [METADATA, VALUES, IGNORE] {
            let path = format!("{}/{name}", beside(folder));
            let (Some(given), Some(text)) = (record::given(view, &path)?, view.read_own(&path)?)
            else {
                continue;
            };
            // Each release raises the version, which is no reason to keep the chart.
            let is_raised = name == METADATA && unversioned(&text).eq(unversioned(&given));
            let text = if is_raised { text } else { given };
            tree.insert(File::new(path, Ownership::Seeded, text));
        }
        Ok(tree)
    }
}

/// The lines of a `Chart.yaml` but for its versions.
fn unversioned(metadata: &str) -> impl Iterator<Item = &str> {
    let is_version = |line: &&str| line.starts_with("version:") || line.starts_with("appVersion:");
    metadata.lines().filter(move |line| !is_version(line))
}

/// The folders of recorded charts that are not kept up to date.
pub(super) fn elsewhere<'a>(
    view: &View,
    recorded: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = String> {
    let mut updated = Vec::new();
    if Chart.is_in(view) {
        updated = Crds::Separate.folders(Chart::PATH);
    }
    let folders = recorded.filter_map(|path| path.strip_suffix(SCHEMA)?.strip_suffix('/'));
    folders
        .map(str::to_owned)
        .filter(move |folder| !updated.contains(folder))
}

/// As [`users::base`].
pub(super) fn base(view: &View, file: &File) -> Result<Option<String>> {
    users::base(view, file.path(), file.text())
}

/// Fails if a file of a chart that the user edits cannot be read: a merge looks at it only when there is something to add.
fn check_mapping(view: &View, path: &str) -> Result<()> {
    let Some(text) = view.read_own(path)? else {
        return Ok(());
    };
    let value = yaml::from_str::<Value>(&text).map_err(|error| {
        Error::new(Code::MalformedFile, error.in_file(path)).hint("fix the file")
    })?;
    if value.is_object() || value.is_null() && path.ends_with(VALUES) {
        return Ok(());
    }
    let message = format!("`{path}` is not a mapping, which Helm expects");
    Err(Error::new(Code::MalformedFile, message)
        .hint("write each field as `name: value`, or delete the file to get the default one"))
}

/// Where a chart is.
struct Place<'a> {
    view: &'a View,
    folder: &'a str,
}

impl Place<'_> {
    /// Adds a chart to a tree: the templates in `sets`, which are rendered here, and those for Helm alone.
    fn add(
        &self,
        tree: &mut Tree,
        data: &Data,
        sets: &[&str],
        templates: &BTreeMap<String, String>,
        settings: &Settings,
    ) -> Result<()> {
        let mut fixed = Tree::default();
        for set in sets {
            fixed.extend(template::render_folder(set, data)?);
        }
        // What is printed after an installation need not know all values.
        let is_manifest = |file: &&File| !file.path().ends_with(".txt");
        let bodies = fixed.files().filter(is_manifest).map(File::body);
        let used: Vec<&str> = templates
            .values()
            .map(String::as_str)
            .chain(bodies)
            .collect();
        let settings = settings.used_in(&used);
        let values = settings.to_yaml()?;
        let folder = self.folder;
        let metadata = fixed.get(METADATA).map_or("", File::body);
        let metadata = users::merged(self.view, &format!("{folder}/{METADATA}"), metadata)?;
        let users = users::values(self.view, folder, &values, &metadata)?;
        if let Some(note) = users::note(self.view, folder, &values, &users)? {
            tree.note(note);
        }
        settings.check(&format!("{folder}/{VALUES}"), &users)?;
        if settings.has("image.tag")
            && let Some(note) = users::version_note(folder, &data.app_version, &metadata, &users)
        {
            tree.note(note);
        }
        let mut add = |path: &str, ownership, text: &str| {
            tree.insert(File::new(
                format!("{folder}/{path}"),
                ownership,
                text.to_owned(),
            ));
        };
        for file in fixed.files() {
            let path = format!("{folder}/{}", file.path());
            // One of a chart that rop did not generate is no base to edit.
            let is_foreign = !is_chart(folder, self.view) && self.view.is_file(&path);
            let ownership = match file.ownership() {
                Ownership::Shared if is_foreign => Ownership::Seeded,
                ownership => ownership,
            };
            add(file.path(), ownership, file.body());
        }
        for (path, text) in templates {
            add(&format!("templates/{path}"), Ownership::Owned, text);
        }
        add(SCHEMA, Ownership::Owned, &settings.to_schema(&users));
        add(VALUES, Ownership::Shared, &values);
        Ok(())
    }
}

/// Fails if the files of a chart were edited so that they cannot be updated.
fn check_edits(view: &View, tree: &Tree) -> Result<()> {
    let mut before = Tree::default();
    for file in tree
        .files()
        .filter(|file| file.ownership() == Ownership::Shared)
    {
        if let Some(text) = base(view, file)? {
            before.insert(File::shared(file.path(), text));
        }
    }
    let mut changed = tree.clone();
    changed.retain(|file| file.ownership() != Ownership::Seeded);
    let (_, conflicts) = plan::compare(view, &before, &changed, false)?;
    if conflicts.is_empty() {
        return Ok(());
    }
    let reasons: Vec<String> = conflicts
        .iter()
        .map(|conflict| {
            let reason = conflict.reason.lines().next().unwrap_or_default();
            format!(
                "`{}` {}",
                conflict.path,
                reason.trim_end_matches(" where this belongs:")
            )
        })
        .collect();
    let error = Error::new(Code::FilesInTheWay, reasons.join("; "));
    Err(error.hint(
        "move edits of templates to files of your own in `templates/`, and run `rop generate chart --force`; in \
         `values.yaml`, write lists and mappings in lines",
    ))
}

/// The chart of the CRDs beside that in a folder.
fn beside(folder: &str) -> String {
    format!("{folder}{CRDS_SUFFIX}")
}

/// Whether rop wrote the chart in a folder.
fn is_chart(folder: &str, view: &View) -> bool {
    let path = format!("{folder}/{SCHEMA}");
    let text = view.read(&path).ok().flatten();
    text.is_some_and(|text| is_headed(&path, &text))
}

impl Output for Chart {
    fn name(&self) -> &'static str {
        Self::PATH
    }

    fn command(&self) -> &'static str {
        "generate chart"
    }

    /// A chart that rop did not write is none.
    fn is_in(&self, view: &View) -> bool {
        is_chart(Self::PATH, view)
    }

    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree> {
        let view = manifests.view();
        let crds = Crds::of(Self::PATH, view);
        let files = Self::files(Self::PATH, crds, manifests);
        // What is malformed is a matter of the chart's own command.
        files.map_err(|error| match error.code() {
            Code::MalformedFile | Code::NoOperatorDeployment => {
                error.with_code(Code::KustomizeFailed)
            }
            _ => error,
        })
    }

    fn check_edits(&self, view: &View, tree: &Tree) -> Result<()> {
        check_edits(view, tree)
    }

    fn generated(&self, view: &View, _last: &Project) -> Result<Tree> {
        if self.is_in(view) {
            Self::written(Self::PATH, view)
        } else {
            Ok(Tree::default())
        }
    }
}

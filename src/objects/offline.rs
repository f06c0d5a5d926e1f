//! What a folder may ask of kubectl: files of the project's repository. kustomize would also download whatever looks
//! like an address, and read a folder anywhere on this machine: the repository may be a clone.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::disk::{self, View};
use crate::error::{Code, Context, Error, Result};
use crate::git;
use crate::yaml::{self, Located, Place};

use super::address::is_address;
use super::kustomize::FILE_NAMES;

/// No more files are checked for a folder.
const MOST_FILES: usize = 2000;

/// The way out of a download or a program.
const SAVE: &str = "save its output in the project, and list that file";

/// The way out of a file in which an address could hide.
const PLAIN: &str =
    "write it as plain YAML, without merge keys, binary values and patches of settings";

/// The way out of a file that is not in the repository.
const COPY: &str = "copy it into the project";

/// Fields whose texts are never paths, in kustomizations and in the settings of transformers.
const WITHOUT_PATHS: [&str; 31] = [
    "annotations",
    "apiversion",
    "buildmetadata",
    "commonannotations",
    "commonlabels",
    "fieldspecs",
    "generatoroptions",
    "images",
    "imagetag",
    "jsonop",
    "kind",
    "labels",
    "literals",
    "metadata",
    "name",
    "nameprefix",
    "namespace",
    "namesuffix",
    "options",
    "patch",
    "prefix",
    "replica",
    "replicas",
    "sortoptions",
    "source",
    "suffix",
    "target",
    "targets",
    "type",
    "value",
    "vars",
];

/// Fields that list the settings of generators, transformers and validators.
const PLUGINS: [&str; 3] = ["generators", "transformers", "validators"];

/// Fields that start Helm.
const HELM: [&str; 3] = ["helmchartinflationgenerator", "helmcharts", "helmglobals"];

/// Fields of a folder of settings: any other could change what the settings name.
const LISTS: [&str; 5] = ["apiversion", "bases", "kind", "metadata", "resources"];

/// Checks that kustomize renders a folder below `root` without a download, without another program, and without files
/// from outside of the repository.
///
/// # Errors
/// A kustomization names an address, a Helm chart, a plugin, a path out of the repository or no regular file, or cannot
/// be read.
pub(super) fn check(view: &View, folder: &str) -> Result<()> {
    let root = view.root();
    let (repository, outside) = match git::work_tree(root) {
        Some(work_tree) => (work_tree, "outside of the project's git repository"),
        None => (
            root,
            "outside of the project, which is in no git repository",
        ),
    };
    let mut check = Check {
        root,
        repository,
        outside,
        seen: BTreeSet::new(),
        next: VecDeque::new(),
    };
    check.own(&root.join(folder))?;
    check.add(root.join(folder), Role::Resources);
    while let Some((path, role)) = check.next.pop_front() {
        if check.seen.len() > MOST_FILES {
            let message = format!("`{folder}` has more than {MOST_FILES} files to render");
            return Err(Error::new(Code::KustomizeFailed, message)
                .hint("split the directory, or list fewer files"));
        }
        if path.is_dir() {
            for file in FILE_NAMES.map(|name| path.join(name)) {
                if file.exists() {
                    check.file(&file, role, Check::kustomization)?;
                }
            }
        } else if !path.is_file() {
            check.read(&path)?;
        } else if role == Role::Plugins {
            check.file(&path, role, Check::settings)?;
        } else {
            check.unconflicted(&path)?;
        }
    }
    Ok(())
}

/// What an entry of a kustomization is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    /// Its objects are resources, or it is a text that kustomize reads.
    Resources,
    /// Its objects are settings of generators, transformers or validators.
    Plugins,
}

struct Check<'a> {
    root: &'a Path,
    /// The folder that all files are in: the work tree of git around the project, or else the project.
    repository: &'a Path,
    /// What is said of other files.
    outside: &'static str,
    /// What was found, with links resolved: links can make a circle.
    seen: BTreeSet<(PathBuf, Role)>,
    next: VecDeque<(PathBuf, Role)>,
}

/// A document, or a text in one that is a document.
#[derive(Clone, Copy)]
struct Within<'a> {
    /// The file, in the folder that paths start at.
    file: &'a Path,
    /// Where the outer document stands.
    place: &'a Place,
    role: Role,
}

impl Check<'_> {
    /// Adds a file or a folder to those that are checked.
    fn add(&mut self, path: PathBuf, role: Role) {
        let path = path.canonicalize().unwrap_or(path);
        if self.seen.insert((path.clone(), role)) {
            self.next.push_back((path, role));
        }
    }

    /// Whether a path, with links resolved, is in the repository. One that does not exist is.
    fn is_own(&self, path: &Path) -> bool {
        path.canonicalize()
            .is_ok_and(|path| path.starts_with(self.repository))
            || !path.exists()
    }

    /// Checks that a file or a folder is in the repository.
    fn own(&self, path: &Path) -> Result<()> {
        if self.is_own(path) {
            return Ok(());
        }
        let message = format!("`{}` links to a path {}", self.shown(path), self.outside);
        Err(refusal(message, COPY))
    }

    fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(self.root).unwrap_or(path);
        path.display().to_string()
    }

    /// Reads a file, which fails for one that kustomize would read for ever.
    fn read(&self, path: &Path) -> Result<String> {
        self.own(path)?;
        let read = disk::read_text(path).unreadable(self.shown(path));
        read.map_err(|error| error.hint("remove it, or replace it with a regular file"))
    }

    /// Checks that a manifest has no conflict markers, of which kustomize says that a colon is missing.
    fn unconflicted(&self, path: &Path) -> Result<()> {
        let is_yaml = path
            .extension()
            .is_some_and(|end| end == "yaml" || end == "yml");
        if !is_yaml {
            return Ok(());
        }
        let Some(line) = git::conflict_line(&self.read(path)?) else {
            return Ok(());
        };
        let file = self.shown(path);
        let message = format!("`{file}`, line {line}: has merge conflicts: resolve them");
        Err(Error::new(Code::MalformedFile, message))
    }

    /// Checks a kustomization, or a file of settings.
    fn file(
        &mut self,
        file: &Path,
        role: Role,
        check: fn(&mut Self, &Value, &str, Within<'_>) -> Result<()>,
    ) -> Result<()> {
        let text = self.read(file)?;
        for document in documents(&text).map_err(|unread| self.unread(file, &text, unread))? {
            let within = Within {
                file,
                place: &document.place,
                role,
            };
            check(self, &document.value, "", within)?;
        }
        Ok(())
    }

    /// The error of a file that cannot be checked.
    fn unread(&self, file: &Path, text: &str, unread: Unread) -> Error {
        let file = self.shown(file);
        match unread {
            Unread::Ambiguous(why) => refusal(format!("`{file}`: {why}"), PLAIN),
            Unread::Malformed(why) => {
                let place = yaml::from_str::<Value>(text).err();
                let why = place.map_or(why, |error| error.in_file(&file));
                Error::new(Code::MalformedFile, why)
                    .context(format!("malformed `{file}`"))
                    .hint("fix the file")
            }
        }
    }

    fn kustomization(&mut self, value: &Value, _: &str, within: Within<'_>) -> Result<()> {
        for (name, value) in value.as_object().into_iter().flatten() {
            // Go's JSON takes names in any case.
            let lower = name.to_ascii_lowercase();
            let pointer = format!("/{}", escape(name));
            if HELM.contains(&&*lower) {
                return Err(self.refusal(&pointer, within, &format!("`{name}` starts Helm"), SAVE));
            }
            if within.role == Role::Plugins && !LISTS.contains(&&*lower) {
                let why = format!("`{name}` changes the settings of generators or transformers");
                return Err(self.refusal(&pointer, within, &why, PLAIN));
            }
            let role = if PLUGINS.contains(&&*lower) {
                Role::Plugins
            } else {
                within.role
            };
            self.field(&lower, value, &pointer, Within { role, ..within })?;
        }
        Ok(())
    }

    /// Checks the settings of a generator, a transformer or a validator.
    fn settings(&mut self, value: &Value, pointer: &str, within: Within<'_>) -> Result<()> {
        if value.is_null() {
            return Ok(());
        }
        let field = |name: &str| {
            let mut fields = value.as_object().into_iter().flatten();
            let (_, value) = fields.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
            value.as_str()
        };
        if field("apiVersion") != Some("builtin")
            || field("kind") == Some("HelmChartInflationGenerator")
        {
            let kind = field("kind").unwrap_or_default();
            return Err(self.refusal(pointer, within, &format!("`{kind}` starts a program"), SAVE));
        }
        let role = Role::Resources;
        self.texts(value, pointer, Within { role, ..within })
    }

    fn field(
        &mut self,
        name: &str,
        value: &Value,
        pointer: &str,
        within: Within<'_>,
    ) -> Result<()> {
        if WITHOUT_PATHS.contains(&name) {
            return Ok(());
        }
        self.texts(value, pointer, within)
    }

    /// Checks all texts in a value that may be paths.
    fn texts(&mut self, value: &Value, pointer: &str, within: Within<'_>) -> Result<()> {
        match value {
            Value::String(text) => self.text(text, pointer, within),
            Value::Array(items) => items.iter().enumerate().try_for_each(|(index, item)| {
                self.texts(item, &format!("{pointer}/{index}"), within)
            }),
            Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
                let pointer = format!("{pointer}/{}", escape(name));
                self.field(&name.to_ascii_lowercase(), value, &pointer, within)
            }),
            _ => Ok(()),
        }
    }

    fn text(&mut self, text: &str, pointer: &str, within: Within<'_>) -> Result<()> {
        // Settings can be here in place of the path of their file.
        if within.role == Role::Plugins && text.contains(['\n', '{']) {
            let documents = documents(text).map_err(|unread| match unread {
                Unread::Ambiguous(why) | Unread::Malformed(why) => {
                    self.refusal(pointer, within, &why, PLAIN)
                }
            })?;
            return documents
                .iter()
                .try_for_each(|document| self.settings(&document.value, pointer, within));
        }
        // A file of a ConfigMap can have a key: `key=path`.
        let path = text.split_once('=').map(|(_, path)| path);
        for entry in path.into_iter().chain([text]) {
            let file = within.file.with_file_name(entry);
            if is_address(entry, file.is_file()) {
                let why = format!("remote resource `{entry}`: rop does not download resources");
                return Err(self.refusal(pointer, within, &why, SAVE));
            }
            if !self.is_own(&file) {
                let why = format!("`{entry}` is {}", self.outside);
                return Err(self.refusal(pointer, within, &why, COPY));
            }
            if file.exists() {
                self.add(file, within.role);
            } else if is_listed(pointer) && entry == text && file.symlink_metadata().is_err() {
                let (shown, line) = (self.shown(within.file), within.place.find(pointer).line);
                let message =
                    format!("`{shown}`, line {line}: lists `{entry}`, which does not exist");
                return Err(Error::new(Code::KustomizeFailed, message)
                    .hint("correct the path, or remove the entry"));
            }
        }
        Ok(())
    }

    fn refusal(&self, pointer: &str, within: Within<'_>, why: &str, hint: &str) -> Error {
        let file = self.shown(within.file);
        let line = within.place.find(pointer).line;
        refusal(format!("`{file}`, line {line}: {why}"), hint)
    }
}

fn refusal(message: String, hint: &str) -> Error {
    Error::new(Code::UnsafeKustomization, message).hint(hint)
}

/// Why the documents of a text are not known.
enum Unread {
    /// Readers of YAML disagree about its values.
    Ambiguous(String),
    /// It is no YAML.
    Malformed(String),
}

/// The documents of a text.
fn documents(text: &str) -> Result<Vec<Located>, Unread> {
    if let Some(word) = ambiguous(text) {
        return Err(Unread::Ambiguous(format!("`{word}` can hide an address")));
    }
    let documents = yaml::located(text).into_iter();
    documents
        .map(|document| {
            document.map_err(|malformed| Unread::Malformed(format!("invalid YAML: {malformed}")))
        })
        .collect()
}

/// Whether a place in a kustomization lists files and folders of objects.
fn is_listed(pointer: &str) -> bool {
    ["/bases/", "/components/", "/resources/"]
        .iter()
        .any(|list| pointer.starts_with(list))
}

/// What makes readers of YAML see different values.
fn ambiguous(text: &str) -> Option<&'static str> {
    let merges = text.match_indices("<<").any(|(at, found)| {
        let rest = text[at + found.len()..].trim_start_matches(['"', '\'', ' ', '\t']);
        rest.starts_with(':')
    });
    if merges {
        return Some("<<");
    }
    ["!!binary", "!<", "%TAG"]
        .into_iter()
        .find(|word| text.contains(word))
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

//! The layout, held: which room of `src/` may know which, and that no two files import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use walkdir::WalkDir;

/// The rooms of `src/`, each with what it may know. What is in no list is on the ground floor: all may
/// know it, and it knows nothing but the ground floor.
const ROOMS: [(&str, &[&str]); 17] = [
    (
        "cli",
        &[
            "cluster",
            "control_plane",
            "dev",
            "external",
            "image",
            "kubectl",
            "manifest",
            "objects",
            "output",
            "plan",
            "project",
            "record",
            "scaffold",
            "simulate",
            "template",
        ],
    ),
    ("cluster", &["kubectl", "objects"]),
    ("control_plane", &[]),
    ("conversion", &[]),
    (
        "dev",
        &["cluster", "control_plane", "kubectl", "objects", "project"],
    ),
    ("external", &[]),
    ("image", &["project"]),
    ("kubectl", &[]),
    ("manifest", &["plan", "project"]),
    ("objects", &["kubectl"]),
    (
        "output",
        &["manifest", "objects", "plan", "project", "template"],
    ),
    ("plan", &[]),
    ("project", &[]),
    ("record", &["plan", "project"]),
    (
        "scaffold",
        &[
            "conversion",
            "external",
            "manifest",
            "output",
            "plan",
            "project",
            "record",
            "template",
        ],
    ),
    ("simulate", &[]),
    ("template", &["conversion", "plan", "project"]),
];

/// The outputs, each with the commands that may name it: all else knows them by the list in `output` alone.
const OUTPUTS: [(&str, &[&str]); 2] = [
    (
        "output::deploy_folder",
        &["cli::generate::deploy", "cli::legacy::new"],
    ),
    ("output::installer", &["cli::generate::installer"]),
];

/// A module, such as `["cli", "create", "api"]`.
type Module = Vec<String>;

/// The modules of a crate, each with its text.
struct Crate(BTreeMap<Module, String>);

impl Crate {
    fn read(folder: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let files = WalkDir::new(&root).into_iter().filter_map(Result::ok);
        let sources = files.filter(|file| file.path().extension().is_some_and(|it| it == "rs"));
        let modules = sources.map(|file| {
            let path = file.path().strip_prefix(&root).expect("below it");
            let parts = path.with_extension("");
            let mut module: Module = parts
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            module.pop_if(|last| ["mod", "lib", "main"].contains(&&**last));
            let text = std::fs::read_to_string(file.path()).expect("a source");
            // Tests may look at anything.
            let code = text.split("#[cfg(test)]\nmod tests").next();
            (module, code.unwrap_or_default().to_owned())
        });
        let mut modules: BTreeMap<_, _> = modules.collect();
        modules.retain(|module, _| !module.iter().any(|part| part.contains("test")));
        Self(modules)
    }

    /// The modules that a module imports something of, where they are neither itself nor around it: what
    /// stands in a folder may use what its `mod.rs` has.
    fn imports(&self, module: &Module) -> BTreeSet<Module> {
        let found = self
            .paths(module)
            .into_iter()
            .map(|path| self.definition(path));
        found.filter(|found| !module.starts_with(found)).collect()
    }

    /// What a module imports, by full paths.
    fn paths(&self, module: &Module) -> Vec<Module> {
        let mut paths = Vec::new();
        for (_, tree) in uses(&self.0[module]) {
            for path in expand(tree) {
                paths.extend(self.full(module, &path));
            }
        }
        paths
    }

    /// A path as seen from the root of the crate: `None` if it leads to another crate.
    fn full(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let mut full = match &**first {
            "crate" => Vec::new(),
            "self" => module.clone(),
            "super" => module[..module.len().checked_sub(1)?].to_vec(),
            child => {
                let child = [&module[..], &[child.to_owned()]].concat();
                self.0.contains_key(&child).then_some(child)?
            }
        };
        for part in rest {
            match &**part {
                "super" => drop(full.pop()),
                "self" => {}
                part => full.push(part.to_owned()),
            }
        }
        Some(full)
    }

    /// The module that defines what a path names, behind re-exports.
    fn definition(&self, path: Module) -> Module {
        let module = (0..=path.len()).rev().map(|end| &path[..end]);
        let module = module.into_iter().find(|part| self.0.contains_key(*part));
        let module = module.unwrap_or_default().to_vec();
        let Some(item) = path.get(module.len()) else {
            return module;
        };
        for (is_public, tree) in uses(&self.0[&module]) {
            for path in expand(tree).into_iter().filter(|_| is_public) {
                if path.last() == Some(item)
                    && let Some(full) = self.full(&module, &path)
                    && full[..full.len() - 1] != module
                {
                    return self.definition(full);
                }
            }
        }
        module
    }
}

/// The `use` items of a source: whether others see each, and what it says.
fn uses(text: &str) -> Vec<(bool, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let begin = start;
        start += line.len();
        let code = line.strip_prefix("pub").unwrap_or(line);
        let is_public = code.len() < line.len();
        let code = code.split_once("use ").filter(|(before, _)| {
            before.is_empty()
                || before == &" "
                || (before.starts_with('(') && before.ends_with(") "))
        });
        if let Some((before, _)) = code {
            let begin = begin + if is_public { 3 } else { 0 } + before.len() + 4;
            let end = text[begin..]
                .find(';')
                .map_or(text.len(), |end| begin + end);
            found.push((is_public, &text[begin..end]));
        }
    }
    found
}

/// The paths of a tree such as `a::{b, c::{self, d as e}}`.
fn expand(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some((prefix, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        let parts = path.split("::").map(|part| part.trim().to_owned());
        return vec![parts.filter(|part| !part.is_empty()).collect()];
    };
    let prefix = expand(prefix).remove(0);
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let paths = parts.into_iter().filter(|part| !part.trim().is_empty());
    let paths = paths.flat_map(expand);
    paths
        .map(|path| [&prefix[..], &path[..]].concat())
        .collect()
}

#[test]
fn rooms_know_what_they_may() {
    let source = Crate::read("src");
    let rooms = BTreeMap::from(ROOMS);
    let is_ground_floor = |room: &str| !rooms.contains_key(room);
    let mut wrong = Vec::new();
    for module in source.0.keys().filter(|module| !module.is_empty()) {
        let allowed = rooms.get(&*module[0]).copied().unwrap_or_default();
        for import in source.imports(module).iter().filter(|it| !it.is_empty()) {
            let (room, other) = (&*module[0], &*import[0]);
            if room != other && !is_ground_floor(other) && !allowed.contains(&other) {
                wrong.push(format!(
                    "{} imports {}",
                    module.join("::"),
                    import.join("::")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_output_is_named_by_its_commands_alone() {
    let source = Crate::read("src");
    let outputs = source.0.iter();
    let outputs = outputs.filter(|(_, text)| text.contains("\nimpl Output for "));
    let named_by = |output: &Module| {
        let modules = source.0.keys();
        let modules = modules.filter(|it| it[..] != ["output"]);
        let users = modules.filter(|it| source.imports(it).contains(output));
        users.map(|it| it.join("::")).collect()
    };
    let found = outputs.map(|(output, _)| (output.join("::"), named_by(output)));
    let found: BTreeMap<String, Vec<String>> = found.collect();
    let expected = OUTPUTS.map(|(output, commands)| {
        let commands = commands.iter().map(ToString::to_string);
        (output.to_owned(), commands.collect())
    });
    assert_eq!(found, BTreeMap::from(expected));
}

#[test]
fn no_two_files_import_each_other() {
    for folder in ["src", "runtime/src"] {
        let source = Crate::read(folder);
        let mut imports: BTreeMap<_, _> = source
            .0
            .keys()
            .map(|module| (module.clone(), source.imports(module)))
            .collect();
        assert!(
            imports.values().map(BTreeSet::len).sum::<usize>() > 100,
            "{folder}"
        );
        // What imports nothing that is left is in no circle.
        while let Some(free) = imports
            .iter()
            .find(|(_, imports)| imports.is_empty())
            .map(|(module, _)| module.clone())
        {
            imports.remove(&free);
            for left in imports.values_mut() {
                left.remove(&free);
            }
        }
        // Nor is what nothing that is left imports.
        while let Some(free) = imports
            .keys()
            .find(|module| !imports.values().any(|imports| imports.contains(*module)))
            .cloned()
        {
            imports.remove(&free);
        }
        let circle = imports.iter().map(|(module, imports)| {
            let imports = imports.iter().map(|import| import.join("::"));
            format!(
                "{} -> {}",
                module.join("::"),
                imports.collect::<Vec<_>>().join(", ")
            )
        });
        let circle: Vec<_> = circle.collect();
        assert!(
            circle.is_empty(),
            "circles in {folder}:\n{}",
            circle.join("\n")
        );
    }
}

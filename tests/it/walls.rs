//! The layout, held: which room of `src/` may know which, and that no two files import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use walkdir::WalkDir;

/// The rooms of `src/`, each with what it may know. What is in no list is on the ground floor: all may
/// know it, and it knows nothing but the ground floor.
const ROOMS: [(&str, &[&str]); 20] = [
    (
        "cli",
        &[
            "cluster",
            "control_plane",
            "dev",
            "doctor",
            "external",
            "image",
            "kubectl",
            "lifecycle",
            "manifest",
            "objects",
            "olm",
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
    ("doctor", &["cluster", "control_plane", "image", "kubectl"]),
    ("external", &[]),
    ("image", &["project"]),
    ("kubectl", &[]),
    ("lifecycle", &["cluster", "kubectl", "objects", "project"]),
    ("manifest", &["conversion", "plan", "project"]),
    ("objects", &["kubectl"]),
    (
        "olm",
        &[
            "manifest", "objects", "plan", "project", "record", "template",
        ],
    ),
    (
        "output",
        &[
            "manifest", "objects", "plan", "project", "record", "template",
        ],
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
const OUTPUTS: [(&str, &[&str]); 5] = [
    ("output::api_reference", &["cli::generate::docs"]),
    ("output::chart", &["cli::generate::chart"]),
    (
        "output::deploy_folder",
        &["cli::generate::deploy", "cli::legacy::new"],
    ),
    ("output::installer", &["cli::generate::installer"]),
    ("output::monitoring", &["cli::generate::monitoring"]),
];

/// A module, such as `["cli", "create", "api"]`.
type Module = Vec<String>;

/// What a file names.
struct Source {
    text: String,
    /// The paths of its `use` items, each with whether others see it.
    uses: Vec<(bool, Module)>,
    /// The paths in its expressions, types and macros.
    inline: Vec<Module>,
}

/// The modules of a crate.
struct Crate(BTreeMap<Module, Source>);

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
            (module, Source::parse(&text))
        });
        let mut modules: BTreeMap<_, _> = modules.collect();
        modules.retain(|module, _| !module.iter().any(|part| part.contains("test")));
        Self(modules)
    }

    /// The modules that a module names something of, if they are neither itself nor around it: what is in
    /// a folder may use what its `mod.rs` has.
    fn imports(&self, module: &Module) -> BTreeSet<Module> {
        let found = self
            .paths(module)
            .into_iter()
            .map(|path| self.definition(path));
        found.filter(|found| !module.starts_with(found)).collect()
    }

    /// What a module names, by full paths.
    fn paths(&self, module: &Module) -> Vec<Module> {
        let source = &self.0[module];
        let uses = source.uses.iter().map(|(_, path)| path.clone());
        // What a path starts with can be imported.
        let inline = source.inline.iter().map(|path| {
            let mut uses = source.uses.iter().map(|(_, used)| used);
            let used = uses.find(|used| used.last() == path.first());
            used.map_or(path.clone(), |used| [used, &path[1..]].concat())
        });
        let paths = uses.chain(inline);
        paths.filter_map(|path| self.full(module, &path)).collect()
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
        let uses = self.0[&module].uses.iter();
        for (_, path) in uses.filter(|(is_public, _)| *is_public) {
            if path.last() == Some(item)
                && let Some(full) = self.full(&module, path)
                && full[..full.len() - 1] != module
            {
                return self.definition(full);
            }
        }
        module
    }
}

impl Source {
    fn parse(text: &str) -> Self {
        // Tests may use anything.
        let code = text.split("#[cfg(test)]\nmod tests").next();
        let text = code.unwrap_or_default().to_owned();
        let tokens: TokenStream = text.parse().expect("tokens");
        let mut source = Self {
            text,
            uses: Vec::new(),
            inline: Vec::new(),
        };
        source.read(tokens);
        source
    }

    /// Notes the paths of tokens, and of the groups in them.
    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let path = path(&tokens[at..]);
            match token {
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Ident(word) if word == "use" && !is(tokens.get(at + 1), '<') => {
                    let tree = tokens[at + 1..].iter();
                    let tree = tree.take_while(|token| !is(Some(token), ';')).cloned();
                    let tree: TokenStream = tree.collect();
                    let is_public = match &tokens[..at] {
                        [.., word, TokenTree::Group(_)] | [.., word] => {
                            matches!(word, TokenTree::Ident(word) if word == "pub")
                        }
                        [] => false,
                    };
                    at += tree.clone().into_iter().count();
                    let paths = expand(&tree.to_string()).into_iter();
                    self.uses.extend(paths.map(|path| (is_public, path)));
                }
                _ if path.len() > 1 && !(at > 0 && is(tokens.get(at - 1), ':')) => {
                    at += 3 * (path.len() - 1);
                    self.inline.push(path);
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// The names that tokens start with, with `::` between them.
fn path(tokens: &[TokenTree]) -> Module {
    let mut path = Vec::new();
    let mut rest = tokens;
    while let [TokenTree::Ident(name), behind @ ..] = rest {
        path.push(name.to_string());
        rest = match behind {
            [first, second, next @ ..] if is(Some(first), ':') && is(Some(second), ':') => next,
            _ => break,
        };
    }
    path
}

fn is(token: Option<&TokenTree>, letter: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == letter)
}

/// The paths of a tree such as `a::{b, c::{self, d as e}}`.
fn expand(tree: &str) -> Vec<Module> {
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
        .map(|path| {
            if path == ["self"] {
                prefix.clone()
            } else {
                [&prefix[..], &path[..]].concat()
            }
        })
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
    let outputs = outputs.filter(|(_, source)| source.text.contains("\nimpl Output for "));
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

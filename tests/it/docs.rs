//! Documents are tests: what README.md and the book show is what rop does, and what they name is
//! there.
//!
//! `TRYCMD=overwrite cargo test --test it -- docs::` writes what rop does into the documents.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use rop::{Code, ErrorKind};
use similar::TextDiff;
use tempfile::TempDir;
use walkdir::WalkDir;

use crate::support::World;
use crate::support::world::tree;

const README: &str = "README.md";
const GLANCE: &str = "book/src/reference/commands.md";
const MARKS: &str = "book/src/contributing/marks.md";
const BOOK: &str = "book/src";
const CONTRIBUTING: &str = "book/src/contributing";
const TUTORIALS: &str = "book/src/tutorials";
const REFERENCE: &str = "book/src/reference/cli.md";
const REFERENCE_HEAD: &str =
    "# The command line\n\nWhat `--help` says of each command. A test keeps this page in step.\n";
const SIMULATION: &str = "book/src/operator/simulation.md";
const EXIT_CODES: &str = "book/src/reference/exit-codes.md";
const ERRORS: &str = "book/src/reference/errors.md";
const ERRORS_HEAD: &str = "| Code | Exit code | Meaning | What to do |\n|---|---|---|---|\n";
const TROUBLESHOOTING: &str = "book/src/reference/troubleshooting.md";

/// Folders whose files are named in documents: rop's own, or a generated project's.
const NAMED: [&str; 6] = ["examples", "runtime", "src", "templates", "tests", "tools"];

/// The programs that a `console` block may run.
const PROGRAMS: [&str; 3] = ["cd", "rop", "sed"];

/// Runs one of them where `cd` led last, with nothing of the machine in its environment. The line
/// end after the last line goes: a code block would need an empty line for it.
const RUN: &str = r#"#!/bin/sh
sandbox=$PWD
cd "$(cat .directory 2>/dev/null || pwd)" || exit
program=${0##*/}
if [ "$program" = cd ]; then
    cd "$1" && pwd >"$sandbox/.directory"
    exit
fi
output=$(env -i HOME="$sandbox" PATH="$ROP:$PATH" COLUMNS=100 "$program" "$@" 2>&1)
code=$?
printf %s "$output"
exit $code
"#;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn is_overwriting() -> bool {
    std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite")
}

/// Paths of the documents, relative to the repository.
fn documents() -> Vec<String> {
    let pages = WalkDir::new(root().join(BOOK)).sort_by_file_name();
    let pages = pages.into_iter().map(|entry| entry.expect("a page"));
    let pages = pages.filter(|entry| entry.path().extension().is_some_and(|e| e == "md"));
    let mut documents = [README, "CONTRIBUTING.md", "SECURITY.md"]
        .map(str::to_owned)
        .to_vec();
    documents.extend(pages.map(|entry| {
        let path = entry.path().strip_prefix(root()).expect("below the root");
        path.to_str().expect("UTF-8").to_owned()
    }));
    assert!(documents.len() > 5, "{documents:?}");
    documents
}

fn read(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap_or_else(|e| panic!("{document}: {e}"))
}

/// The lines of a document: those in code blocks with the info string of their block.
fn lines(text: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
    let mut block = None;
    text.lines().filter_map(move |line| {
        match (line.strip_prefix("```"), block) {
            (Some(info), None) => block = Some(info),
            (Some(_), Some(_)) => block = None,
            (None, _) => return Some((block, line)),
        }
        None
    })
}

/// A document without its code blocks.
fn prose(text: &str) -> String {
    let outside = lines(text).filter(|(block, _)| block.is_none());
    outside.map(|(_, line)| format!("{line}\n")).collect()
}

/// Every `console` block shows what happens: those of a document are one session in a directory of
/// its own.
#[test]
fn console_blocks() {
    let dir = TempDir::new().expect("a temporary directory");
    let programs = programs(dir.path());
    let rop = Path::new(env!("CARGO_BIN_EXE_rop"));
    let cases = trycmd::TestCases::new();
    cases.env("ROP", rop.parent().expect("a folder").to_string_lossy());
    cases.register_bins(PROGRAMS.map(|name| (name, programs.join(name))));
    let mut copies = Vec::new();
    for document in documents() {
        let (text, copy) = (read(&document), dir.path().join(&document));
        // trycmd makes a sandbox where such a folder stands beside the document.
        std::fs::create_dir_all(copy.with_extension("out")).expect("a folder");
        std::fs::write(&copy, &text).expect("a copy");
        cases.case(&copy);
        copies.push((document, text, copy));
    }
    cases.run();
    for (document, before, copy) in copies {
        let after = std::fs::read_to_string(copy).expect("the copy");
        if after != before {
            std::fs::write(root().join(document), after).expect("the document");
        }
    }
}

/// A folder with the programs.
fn programs(dir: &Path) -> PathBuf {
    let (text, script, programs) = (dir.join("text"), dir.join("run"), dir.join("programs"));
    std::fs::write(&text, RUN).expect("a file");
    // A script that this process had written itself could still be open in a child of another
    // test that is about to start, and such a script does not run.
    let mut install = Command::new("install");
    let status = install.args(["-m", "755"]).args([&text, &script]).status();
    assert!(status.expect("install starts").success());
    std::fs::create_dir(&programs).expect("a folder");
    for name in PROGRAMS {
        symlink(&script, programs.join(name)).expect("a link");
    }
    programs
}

/// trycmd passes over a command that it does not know, and takes a block without an info string
/// for a session.
#[test]
fn every_block_says_what_it_is_and_runs_what_is_known() {
    for document in documents() {
        for (block, line) in lines(&read(&document)) {
            assert_ne!(block, Some(""), "{document}: {line}");
            if let (Some("console"), Some(command)) = (block, line.strip_prefix("$ ")) {
                let program = command.split(' ').next().unwrap_or_default();
                assert!(PROGRAMS.contains(&program), "{document}: {line}");
            }
        }
    }
}

/// The words of every command, and whether it needs one of the commands below it.
fn commands() -> Vec<(String, bool)> {
    fn walk(command: &clap::Command, words: &str, found: &mut Vec<(String, bool)>) {
        let is_group = command.has_subcommands() && command.is_arg_required_else_help_set();
        found.push((words.to_owned(), is_group));
        for sub in command.get_subcommands() {
            walk(sub, &format!("{words} {}", sub.get_name()), found);
        }
    }
    let mut found = Vec::new();
    walk(&rop::cli::command(), "rop", &mut found);
    found
}

/// Pages whose Rust is compiled.
const COMPILED: [&str; 2] = [
    "book/src/operator/extending.md",
    "book/src/operator/from-controller-runtime.md",
];

/// Where it is compiled, by the tests of the runtime.
const COMPILES: &str = "runtime/tests/book.rs";

/// The Rust of these pages is quoted from a test of the runtime: paragraph by paragraph, whatever its
/// indentation.
#[test]
fn rust_is_quoted_from_what_compiles() {
    let trimmed = |text: &str| {
        text.lines()
            .map(|line| format!("{}\n", line.trim()))
            .collect()
    };
    let source: String = trimmed(&read(COMPILES));
    for document in COMPILED {
        let rust: String = lines(&read(document))
            .map(|(block, line)| match block {
                Some("rust") => format!("{line}\n"),
                _ => "\n".to_owned(),
            })
            .collect();
        let rust: String = trimmed(&rust);
        let mut count = 0;
        for paragraph in rust
            .split("\n\n")
            .map(str::trim)
            .filter(|it| !it.is_empty())
        {
            let is_there = source.contains(&format!("\n{paragraph}\n"));
            assert!(is_there, "{document}: not in {COMPILES}:\n{paragraph}");
            count += 1;
        }
        assert!(count > 10, "{document}: {count}");
    }
}

/// The reference is the long help of every command.
#[test]
fn the_reference_of_the_command_line() {
    let world = World::new();
    let mut page = vec![REFERENCE_HEAD.to_owned()];
    for (words, _) in commands() {
        let arguments = words.strip_prefix("rop").expect("rop");
        let help = world.rop(&format!("{arguments} --help")).ok().stdout;
        let help: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        let help = help.join("\n");
        page.push(format!("\n## {words}\n\n```text\n{help}\n```\n"));
    }
    let page = page.concat();
    if is_overwriting() {
        std::fs::write(root().join(REFERENCE), &page).expect("the reference");
    }
    let committed = std::fs::read_to_string(root().join(REFERENCE)).unwrap_or_default();
    assert!(
        committed == page,
        "{REFERENCE} is behind: `TRYCMD=overwrite cargo test --test it -- docs::` brings it up\n{}",
        TextDiff::from_lines(&committed, &page).unified_diff()
    );
}

/// The first cells of the rows of all tables that match a pattern.
fn rows(text: &str, pattern: &str) -> Vec<String> {
    let pattern = Regex::new(pattern).expect("a pattern");
    let found = text.lines().filter_map(|line| pattern.captures(line));
    found.map(|found| found[1].to_owned()).collect()
}

#[test]
fn every_command_is_listed() {
    let leaves = commands().into_iter().filter(|(_, has_more)| !has_more);
    let leaves: Vec<String> = leaves.map(|(words, _)| words).collect();
    assert_eq!(
        rows(&read(GLANCE), "^\\| `(rop(?: [a-z0-9]+(?:-[a-z0-9]+)*)*)"),
        leaves
    );
}

/// What a text says to run: what follows `rop`, in words that are set as code, in blocks, in examples of a help, and
/// in a Makefile.
fn told(text: &str) -> Vec<String> {
    let broken = Regex::new(r"\\\n\s*").expect("a pattern");
    let text = &broken.replace_all(text, "");
    let code = Regex::new(r"`rop ([^`\n]+)`").expect("a pattern");
    let inline = code.captures_iter(text);
    let inline = inline.filter_map(|found| found.get(1));
    let inline = inline.map(|told| told.as_str());
    let before = Regex::new(r"^(?:- )?(?:run: |\$ |@)?(?:rop|\$\(ROP\)) ").expect("a pattern");
    // A line of prose can start with the name.
    let is_code = |block: Option<&str>, line: &str| match block {
        Some("text") | None => line.starts_with(' ') || line.starts_with('\t'),
        Some(_) => true,
    };
    let lines = lines(text).filter(|(block, line)| is_code(*block, line));
    let lines = lines.map(|(_, line)| line.trim_start());
    let lines = lines.filter_map(|line| Some(&line[before.find(line)?.end()..]));
    // What comes behind is a comment, another program, or for another program.
    let end = Regex::new(r#"[#|&;>"]| -- "#).expect("a pattern");
    let told = inline.chain(lines);
    let told = told.filter_map(|told| end.split(told).next());
    told.map(str::to_owned).collect()
}

/// The first word that is no command, or the first flag that the command does not have.
fn unknown(told: &str) -> Option<String> {
    let (root, flag) = (
        rop::cli::command(),
        Regex::new("^--([a-z][a-z0-9-]*)").expect("one"),
    );
    let mut command = &root;
    let mut words = told.split_whitespace();
    while let Some(word) = words.next() {
        if word == "-C" {
            // Its value can look like a command.
            words.next();
        } else if let Some(found) = flag.captures(word) {
            let name = &found[1];
            let has = |command: &clap::Command| {
                command.get_arguments().any(|argument| {
                    let mut aliases = argument.get_all_aliases().unwrap_or_default().into_iter();
                    argument.get_long() == Some(name) || aliases.any(|alias| alias == name)
                })
            };
            if !["help", "version"].contains(&name) && !has(command) && !has(&root) {
                return Some(word.to_owned());
            }
        } else if let Some(found) = command.find_subcommand(word) {
            command = found;
        } else if command.is_arg_required_else_help_set()
            && command.has_subcommands()
            && word.chars().all(|c| c.is_ascii_lowercase())
        {
            return Some(word.to_owned());
        }
    }
    None
}

/// Whatever rop's users and developers read: documents, a project, and the sources of both with their hints.
fn read_by_people() -> Vec<(String, String)> {
    let world = World::with_api();
    for command in [
        "create webhook --group app --kind AppService --defaulting",
        "create policy --group app --kind AppService --validating",
        "generate deploy",
    ] {
        world.rop(command).ok();
    }
    let mut texts: Vec<_> = world.tree().into_iter().collect();
    for folder in ["src", "runtime", "templates"] {
        texts.extend(tree(&root().join(folder)));
    }
    // It is about commands that do not exist yet.
    texts.retain(|(path, _)| path != "cli/unsupported.rs");
    let documents = documents().into_iter();
    let documents = documents.chain(["CHANGELOG.md".to_owned()]);
    texts.extend(documents.map(|path| (path.clone(), read(&path))));
    texts
}

#[test]
fn commands_and_flags_that_are_told_exist() {
    let (mut count, mut unknown) = (0, Vec::new());
    for (path, text) in read_by_people() {
        for told in told(&text) {
            count += 1;
            if let Some(word) = self::unknown(&told) {
                unknown.push(format!("{path}: rop {told}: `{word}`"));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(count > 600, "{count}");
}

/// Flags of other programs that are named without a command.
const OTHER_FLAGS: [&str; 9] = [
    "baseline-rev",
    "cascade",
    "dns-url",
    "endpoint-reconciler-type",
    "features",
    "locked",
    "oldest",
    "reset-then-reuse-values",
    "take-ownership",
];

/// A flag that is set as code, alone, is one of rop's, of an operator's, or of another program that is named here.
#[test]
fn flags_that_are_named_alone_exist() {
    fn flags(command: &clap::Command, found: &mut BTreeSet<String>) {
        for argument in command.get_arguments() {
            found.extend(argument.get_long().map(str::to_owned));
            let aliases = argument.get_all_aliases().unwrap_or_default();
            found.extend(aliases.into_iter().map(str::to_owned));
        }
        for sub in command.get_subcommands() {
            flags(sub, found);
        }
    }
    let mut known: BTreeSet<_> = OTHER_FLAGS.map(str::to_owned).into();
    known.extend(["help", "version"].map(str::to_owned));
    flags(&rop::cli::command(), &mut known);
    let runtime = sources("runtime/src");
    let of_operators = |flag: &str| runtime.contains(&format!(" {}: ", flag.replace('-', "_")));
    let flag = Regex::new(r"`--([a-z][a-z0-9-]*[a-z0-9])[^`\n]*`").expect("a pattern");
    let (mut count, mut unknown) = (0, BTreeSet::new());
    for (path, text) in read_by_people() {
        for found in flag.captures_iter(&text) {
            count += 1;
            if !known.contains(&found[1]) && !of_operators(&found[1]) {
                unknown.insert(format!("{path}: {}", &found[0]));
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(count > 300, "{count}");
}

/// The tests that the marks name are there: rop's own by their path, those of generated
/// projects and of the runtime by their name.
#[test]
fn marks_are_proved_by_tests_that_exist() {
    let marks = read(MARKS);
    let templates = sources("templates") + &sources("runtime");
    let name = Regex::new("`([a-z]+(?:(?:_|::)[a-z]+)+)`").expect("a pattern");
    let names: Vec<_> = name
        .captures_iter(&marks)
        .map(|found| found[1].to_owned())
        .collect();
    assert!(names.len() > 20, "{names:?}");
    let missing: Vec<_> = names
        .iter()
        .filter(|name| match name.rsplit_once("::") {
            Some((module, test)) => {
                let of_module = test_module(module).unwrap_or_default();
                !of_module.contains(&format!("fn {test}()")) && test_module(name).is_none()
            }
            None => !templates.contains(&format!("fn {name}()")),
        })
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The text of a module of rop's own tests.
fn test_module(path: &str) -> Option<String> {
    let path = root().join("tests/it").join(path.replace("::", "/"));
    let files = [path.with_extension("rs"), path.join("mod.rs")];
    files
        .into_iter()
        .find_map(|file| std::fs::read_to_string(file).ok())
}

/// All files of a folder in one text.
fn sources(folder: &str) -> String {
    tree(&root().join(folder)).into_values().collect()
}

/// A plan names faults, and the book says what they are.
#[test]
fn the_faults_of_a_simulation() {
    let fault = Regex::new(r"/// (.+)\.\n    (\w+),").expect("a pattern");
    let source = std::fs::read_to_string(root().join("runtime/src/simulation/fault.rs"));
    let source = source.expect("the faults");
    let known = fault.captures_iter(&source);
    let known: Vec<_> = known
        .map(|found| format!("{}` | {}", &found[2], &found[1]))
        .collect();
    assert_eq!(
        rows(&read(SIMULATION), r"^\| `([A-Z]\w+` \| .+) \|$"),
        known
    );
}

#[test]
fn exit_codes() {
    /// Whoever adds a kind is led here.
    fn name(kind: ErrorKind) -> &'static str {
        match kind {
            ErrorKind::Failed => "failed",
            ErrorKind::Usage => "usage",
            ErrorKind::Drift => "drift",
            ErrorKind::Bug => "bug",
        }
    }
    let kinds = [
        ErrorKind::Failed,
        ErrorKind::Usage,
        ErrorKind::Drift,
        ErrorKind::Bug,
    ];
    let mut expected = vec!["0 | done".to_owned()];
    expected.extend(kinds.map(|kind| format!("{} | {}", kind.exit_code(), name(kind))));
    let rows = rows(&read(EXIT_CODES), r"^\| (\d+ \| \w+)");
    assert_eq!(rows, expected, "{EXIT_CODES}");
}

/// The table of the page is made from the codes, and each is the code of some error.
#[test]
fn error_codes() {
    let mut codes = Code::ALL.to_vec();
    codes.sort_by_key(|code| code.name());
    let rows = codes.iter().map(|code| {
        format!(
            "| `{}` | {} | {} | {} |\n",
            code.name(),
            code.kind().exit_code(),
            code.meaning(),
            code.remedy()
        )
    });
    let committed = read(ERRORS);
    let (prose, _) = committed.split_once(ERRORS_HEAD).expect("the table");
    let page = format!("{prose}{ERRORS_HEAD}{}", rows.collect::<String>());
    if is_overwriting() {
        std::fs::write(root().join(ERRORS), &page).expect("the page");
    }
    let committed = read(ERRORS);
    assert!(
        committed == page,
        "{ERRORS} is behind: `TRYCMD=overwrite cargo test --test it -- docs::` brings it up\n{}",
        TextDiff::from_lines(&committed, &page).unified_diff()
    );
    let used = Regex::new(r"Code::(\w+)").expect("a pattern");
    let sources = sources("src");
    let used: BTreeSet<_> = used
        .captures_iter(&sources)
        .map(|it| it[1].to_owned())
        .collect();
    for code in codes {
        assert!(used.contains(&format!("{code:?}")), "{code:?} is not used");
    }
}

/// A heading of the page is what rop or an operator says, but for names and numbers.
#[test]
fn troubleshooting_is_about_what_is_said() {
    let sources = ["src", "runtime/src"].map(|folder| WalkDir::new(root().join(folder)));
    let sources = sources.into_iter().flatten().filter_map(Result::ok);
    let continued = Regex::new(r"\\\n\s*").expect("a pattern");
    let argument = Regex::new(r"\{[\w.:?]*\}").expect("a pattern");
    let said: Vec<String> = sources
        .filter(|file| file.path().extension().is_some_and(|it| it == "rs"))
        .map(|file| std::fs::read_to_string(file.path()).expect("a source"))
        .map(|text| continued.replace_all(&text, "").replace('`', ""))
        .map(|text| argument.replace_all(&text, "…").into_owned())
        .collect();
    let headings = rows(&read(TROUBLESHOOTING), r"^### (.+)$");
    assert!(headings.len() >= 20, "{headings:?}");
    // Some names are constants in the source.
    let name = Regex::new("PROJECT|Dockerfile|crdgen").expect("a pattern");
    for heading in headings {
        let words = heading.trim_start_matches("… ").replace('`', "");
        let pattern = regex::escape(&words).replace('…', "[^\n]*?");
        let pattern = name.replace_all(&pattern, "[^\n]*?");
        let pattern = Regex::new(&pattern).expect("a pattern");
        let is_said = said.iter().any(|text| pattern.is_match(text));
        assert!(is_said, "nothing says {heading:?}");
    }
}

#[test]
fn links_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)#]*)(?:#([^)]*))?\)").expect("a pattern");
    for document in documents() {
        let path = root().join(&document);
        for found in link.captures_iter(&prose(&read(&document))) {
            if found[1].contains("://") {
                continue;
            }
            let target = match &found[1] {
                "" => path.clone(),
                file => path.parent().expect("a folder").join(file),
            };
            assert!(target.is_file(), "{document} links to {}", &found[1]);
            if let Some(anchor) = found.get(2) {
                let text = std::fs::read_to_string(&target).expect("a page");
                let is_heading = anchors(&text).any(|heading| heading == anchor.as_str());
                assert!(is_heading, "{document} links to {}", &found[0]);
            }
        }
    }
}

/// The anchors of a page's headings, as mdbook and GitHub name them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let prose = prose(text);
    let headings: Vec<_> = prose
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .collect();
    headings.into_iter().map(|heading| {
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    })
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = read("book/src/SUMMARY.md");
    for document in documents() {
        if let Some(page) = document.strip_prefix("book/src/") {
            let is_there = page == "SUMMARY.md" || summary.contains(&format!("({page})"));
            assert!(is_there, "{page}");
        }
    }
}

/// A path in backticks is one of this repository or, where users are spoken to, of their project,
/// which is an example in a tutorial. `<kind>` in it stands for anything.
#[test]
fn paths_lead_somewhere() {
    let path = format!("`((?:{})/[^`\\s]*)`", NAMED.join("|"));
    let path = Regex::new(&path).expect("a pattern");
    let own: String = NAMED.map(|name| list(&root().join(name), name)).concat();
    let world = World::with_api();
    world
        .rop("create api --group app --kind Setting --template minimal")
        .ok();
    world
        .rop("create policy --group app --kind AppService --validating")
        .ok();
    let with_project = own.clone() + &list(&world.path(), "");
    let examples = list(&root().join("examples"), "");
    let in_example = Regex::new("(?m)^[^/\n]+/").expect("a pattern");
    let with_examples = own.clone() + &in_example.replace_all(&examples, "");
    let mut count = 0;
    for document in documents() {
        let there = match &document {
            of_rop if of_rop.starts_with(CONTRIBUTING) => &own,
            tutorial if tutorial.starts_with(TUTORIALS) => &with_examples,
            _ => &with_project,
        };
        for found in path.captures_iter(&prose(&read(&document))) {
            let parts: Vec<String> = found[1]
                .trim_end_matches('/')
                .split_inclusive(['<', '>'])
                .map(|part| match part.strip_suffix('>') {
                    Some(_) => "[^/\n]+".to_owned(),
                    None => regex::escape(part.trim_end_matches('<')),
                })
                .collect();
            let pattern = format!("(?m)^{}(/|$)", parts.concat());
            let is_there = Regex::new(&pattern).expect("a pattern").is_match(there);
            assert!(is_there, "{document} names {}", &found[1]);
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

/// The files of a folder, one to a line, below `prefix`.
fn list(folder: &Path, prefix: &str) -> String {
    let files = tree(folder).into_keys();
    let paths = files.map(|file| Path::new(prefix).join(file));
    paths.map(|path| format!("{}\n", path.display())).collect()
}

/// What Cargo.toml says of the oldest Rust for rop, and the templates of that for projects.
#[test]
fn the_oldest_rust() {
    let report = World::new().rop("version --json").ok().stdout;
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let projects = report["generates"]["rust"].as_str().expect("a version");
    let oldest = concat!("Rust ", env!("CARGO_PKG_RUST_VERSION"), " or newer");
    for document in [README, "book/src/quick-start.md"] {
        let text = read(document);
        for needed in [oldest, &format!("project needs Rust {projects}")] {
            assert!(text.contains(needed), "{document}: {needed}");
        }
    }
}

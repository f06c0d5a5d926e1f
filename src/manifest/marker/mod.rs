//! The comment markers in a project's code, read without compiling it: `// +kubebuilder:rbac:groups=apps,…`, for
//! which `+rop:rbac` is a synonym.

mod comment;
mod diagnostic;
mod find;
pub(super) mod key;
mod nested;
mod syntax;
mod target;
mod test_code;

pub(super) use diagnostic::{Diagnostic, LocatedDiagnostic, error};
pub(super) use find::Name;
pub(super) use key::unknown as unknown_key;
pub(super) use nested::Value as Nested;
pub(super) use syntax::Argument;
#[cfg(test)]
pub(super) use syntax::parse;

use std::fmt;

use test_code::{TestCode, test_code};

/// A Rust source to read markers from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    /// What errors call it: its path in the project.
    pub(super) path: &'a str,
    /// What stands in it.
    pub(super) text: &'a str,
}

#[derive(Debug)]
pub(super) struct Marker<'a> {
    /// Where it is.
    pub(super) place: Place<'a>,
    /// What it says, or why it cannot be read.
    pub(super) arguments: Result<Vec<Argument<'a>>, Diagnostic>,
}

/// A line of a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    path: &'a str,
    line: usize,
}

impl<'a> Place<'a> {
    /// The path of the source.
    pub(super) fn path(self) -> &'a str {
        self.path
    }

    /// Something that is wrong there.
    pub(super) fn problem(self, diagnostic: Diagnostic) -> LocatedDiagnostic {
        LocatedDiagnostic::new(self.path, self.line, diagnostic)
    }
}

/// As errors name it: `src/main.rs:7`.
impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.path, self.line)
    }
}

/// The arguments of a marker that describes something for consoles.
pub(super) type NestedArgument<'a> = (&'a str, Nested<'a>);

/// A marker that describes a type or a field for consoles.
#[derive(Debug)]
pub(super) struct CsvMarker<'a> {
    /// Where it is.
    pub(super) place: Place<'a>,
    /// The line with the name of what it is above.
    pub(super) target: Option<usize>,
    /// What it says, or why it cannot be read.
    pub(super) arguments: Result<Vec<NestedArgument<'a>>, Diagnostic>,
}

/// The markers of that name in sources, but for those in code that is compiled for tests only.
pub(super) fn markers<'a>(sources: &[Source<'a>], name: Name) -> Vec<Marker<'a>> {
    let found = find(sources, |comment| find::arguments(comment, name));
    let markers = found.into_iter().map(|(_, place, arguments)| Marker {
        place,
        arguments: arguments.and_then(syntax::parse),
    });
    markers.collect()
}

/// The markers of operator-sdk for consoles.
pub(super) fn csv_markers<'a>(sources: &[Source<'a>]) -> Vec<CsvMarker<'a>> {
    let found = find(sources, find::csv_arguments);
    let markers = found
        .into_iter()
        .map(|(source, place, arguments)| CsvMarker {
            place,
            target: target::target(source.text, place.line),
            arguments: arguments.and_then(nested::parse),
        });
    markers.collect()
}

/// The arguments that `read` finds in line comments, outside of code that is compiled for tests only.
fn find<'a>(
    sources: &[Source<'a>],
    read: impl Fn(&'a str) -> Option<Result<&'a str, Diagnostic>>,
) -> Vec<(Source<'a>, Place<'a>, Result<&'a str, Diagnostic>)> {
    // Most sources have none, and most projects none for webhooks: to read all as Rust takes a quarter of the time
    // of a command.
    let may_have: Vec<bool> = sources.iter().map(|s| may_have(s.text, &read)).collect();
    if !may_have.contains(&true) {
        return Vec::new();
    }
    let for_tests: Vec<TestCode> = sources.iter().map(|s| test_code(s.text)).collect();
    let of_tests = modules(sources, &for_tests);
    let mut markers = Vec::new();
    for ((source, for_tests), may_have) in sources.iter().zip(&for_tests).zip(may_have) {
        if !may_have || is_one_of(source.path, &of_tests) {
            continue;
        }
        for (line, comment) in comment::line_comments(source.text, &for_tests.ranges) {
            if let Some(arguments) = read(comment) {
                let path = source.path;
                markers.push((*source, Place { path, line }, arguments));
            }
        }
    }
    markers
}

/// Whether something in a source looks like a marker. It can be part of a string literal.
fn may_have<'a>(
    text: &'a str,
    read: &impl Fn(&'a str) -> Option<Result<&'a str, Diagnostic>>,
) -> bool {
    let looks_so = |line: &'a str| {
        let mut comments = line.match_indices("//").map(|(at, _)| &line[at..]);
        comments.any(|comment| read(comment).is_some())
    };
    text.lines().filter(|line| line.contains('+')).any(looks_so)
}

/// The paths, without `.rs`, of modules that are compiled for tests only.
fn modules(sources: &[Source], for_tests: &[TestCode]) -> Vec<String> {
    let of_source = |(source, found): (&Source, &TestCode)| {
        let stem = source.path.trim_end_matches(".rs");
        let folder = match stem.rsplit_once('/') {
            Some((folder, "lib" | "main" | "mod")) => folder,
            _ => stem,
        };
        let paths = found
            .modules
            .iter()
            .map(|module| format!("{folder}/{module}"));
        paths.collect::<Vec<_>>()
    };
    sources.iter().zip(for_tests).flat_map(of_source).collect()
}

/// Whether a source is one of some modules, or below one.
fn is_one_of(path: &str, modules: &[String]) -> bool {
    modules.iter().any(|module| {
        let rest = path.strip_prefix(module.as_str());
        rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    })
}

//! Values that flags can have: from the project, or files.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};

use super::line;
use crate::disk::View;
use crate::project::{self, Project, ProjectKind, Versioned};

/// Commands on the kinds of a project.
const ON_KINDS: [&str; 3] = ["add", "create", "delete"];

/// Adds the candidates of all flags of a command.
pub(super) fn add(command: Command) -> Command {
    let command = command.mut_args(add_files);
    command.mut_subcommands(|sub| {
        let is_on_kinds = ON_KINDS.contains(&sub.get_name());
        let sub = add(sub);
        if is_on_kinds {
            sub.mut_subcommands(|sub| sub.mut_args(add_names))
        } else {
            sub
        }
    })
}

/// Files, for a flag that takes one.
fn add_files(arg: Arg) -> Arg {
    let completer = match arg.get_value_hint() {
        ValueHint::DirPath => PathCompleter::dir(),
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::ExecutablePath => {
            PathCompleter::any()
        }
        _ => return arg,
    };
    arg.add(ArgValueCompleter::new(move |start: &OsStr| {
        let mut files = completer.complete(start);
        files.retain(|file| is_plain(file.get_value()));
        files
    }))
}

/// Whether a name means nothing to a shell: bash inserts it without quotes, and files of a clone may have any name.
fn is_plain(name: &OsStr) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+@:,=".contains(c);
    name.to_str().is_some_and(|name| name.chars().all(is_plain))
}

/// The name that a flag takes, of a version of a kind.
type Name = fn(Versioned<'_>) -> String;

const GROUP: Name = |it| it.kind.group.to_string();
const KIND: Name = |it| it.kind.name.to_string();

/// Names of the project, for a flag that takes one. Their types allow nothing that means something to a shell. A group
/// or a kind that is on the line narrows them.
fn add_names(arg: Arg) -> Arg {
    let (name, narrowing): (Name, &'static [(&str, Name)]) = match arg.get_id().as_str() {
        "group" => (GROUP, &[]),
        "kind" => (KIND, &[("--group", GROUP)]),
        "version" | "spoke" | "hub" => (
            |it| it.version.name.to_string(),
            &[("--group", GROUP), ("--kind", KIND)],
        ),
        "api_version" => (|it| it.api_version(), &[("--kind", KIND)]),
        _ => return arg,
    };
    arg.add(ArgValueCandidates::new(move || {
        let given: Vec<_> = narrowing
            .iter()
            .filter_map(|(flag, name)| Some((line::value(&[flag])?, name)))
            .collect();
        let project = project();
        let versions = project.iter().flat_map(|it| &it.kinds);
        let names: BTreeSet<_> = versions
            .flat_map(ProjectKind::versions)
            .filter(|it| given.iter().all(|(value, name)| name(*it) == *value))
            .map(name)
            .collect();
        names.into_iter().map(CompletionCandidate::new).collect()
    }))
}

/// The project around the current directory, if it can be read.
fn project() -> Option<Project> {
    let directory = std::env::current_dir().ok()?;
    let found = project::find(&directory).ok()?;
    let view = View::of(&found.path).ok()?;
    Some(found.read(&view).ok()?.project)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_something_to_a_shell() {
        for name in ["a.yaml", "config/crd", "ä-b_c", "a@sha256:b"] {
            assert!(is_plain(OsStr::new(name)), "{name}");
        }
        for name in [
            "$(x)", "`x`", "a b", "a;b", "*", "a'b", "a\"b", "~a", "a\\b", "a\nb", "a\u{1b}b",
        ] {
            assert!(!is_plain(OsStr::new(name)), "{name:?}");
        }
    }
}

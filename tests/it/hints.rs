//! Commands in hints and notes exist and take the flags that they are given. Those of rop in the hints of a command that
//! fails in a test are also run: see `support/hints.rs`.

use std::path::Path;
use std::process::Command;

use clap::error::ErrorKind;
use regex::Regex;

use crate::support::kubectl;
use crate::support::world::tree;

/// What a placeholder stands for. The first that matches counts.
const VALUES: [(&str, &str); 6] = [
    (r"(--kind[ =])\{\w*\}", "${1}App"),
    (r"((?:--version|--spoke) )(?:\{\w*\}|…|VERSION)", "${1}v1"),
    (r"(--api-version=)\S+", "${1}app.example.com/v1"),
    (r"\bPACKAGE\b", "app"),
    (r"\{flags?\}", "--hub"),
    (r"\{\w*\}", "app"),
];

/// The kinds of errors of a command without what it requires.
const REQUIRED: [ErrorKind; 2] = [
    ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand,
    ErrorKind::MissingRequiredArgument,
];

/// The commands of a program in the texts of rop's sources.
fn commands(program: &str) -> Vec<(String, Vec<String>)> {
    let broken = Regex::new(r"\\\n\s*").expect("a pattern");
    let command = Regex::new(&format!("`{program} ([^`\n]+)`")).expect("a pattern");
    let values = VALUES.map(|(pattern, value)| (Regex::new(pattern).expect("a pattern"), value));
    let mut found = Vec::new();
    for (path, text) in tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        // It is about commands that do not exist yet.
        if !path.ends_with(".rs") || path.ends_with("tests.rs") || path == "cli/unsupported.rs" {
            continue;
        }
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        let code: Vec<_> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        for words in command.captures_iter(&broken.replace_all(&code.join("\n"), "")) {
            let words = &words[1];
            if words.starts_with('{') {
                continue;
            }
            let filled = values
                .iter()
                .fold(words.to_owned(), |words, (pattern, value)| {
                    pattern.replace_all(&words, *value).into_owned()
                });
            let filled = filled.split_whitespace().map(str::to_owned).collect();
            found.push((format!("{path}: `{program} {words}`"), filled));
        }
    }
    found
}

#[test]
fn commands_of_rop_parse() {
    let found = commands("rop");
    assert!(found.len() > 40, "{found:#?}");
    for (what, words) in found {
        let has_flags = words.iter().any(|word| word.starts_with("--"));
        let words = ["rop".to_owned()].into_iter().chain(words);
        let Err(error) = rop::cli::command().try_get_matches_from(words) else {
            continue;
        };
        // A command can be named without what it requires.
        let is_name = !has_flags && REQUIRED.contains(&error.kind());
        assert!(is_name, "{what}: {error}");
    }
}

#[test]
fn commands_of_other_programs_exist() {
    let list = Command::new("cargo")
        .arg("--list")
        .output()
        .expect("cargo runs");
    let list = String::from_utf8(list.stdout).expect("UTF-8");
    let known: Vec<_> = list
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let found = commands("cargo");
    assert!(!found.is_empty());
    for (what, words) in found {
        assert!(known.contains(&&*words[0]), "{what}");
    }
    let found = commands("kubectl");
    assert!(found.len() > 10, "{found:#?}");
    let Some(kubectl) = kubectl() else {
        return;
    };
    for (what, words) in found {
        let output = Command::new(&kubectl).args(&words).arg("--help").output();
        let output = output.expect("kubectl runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{what}: {text}");
        // kubectl prints the help of the group if a command in it does not exist.
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.contains("Usage:\n") && !text.starts_with("kubectl controls"),
            "{what}: {text}"
        );
    }
}

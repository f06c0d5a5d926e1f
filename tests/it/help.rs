//! What `--help` prints: one line a flag, which can be read without the others.

use clap::Command;

use crate::support::World;

/// The help of a command and of those below it, by their words.
fn helps() -> Vec<(String, String)> {
    fn walk(command: &Command, words: &str, found: &mut Vec<String>) {
        found.push(words.to_owned());
        for sub in command.get_subcommands() {
            walk(
                sub,
                format!("{words} {}", sub.get_name()).trim_start(),
                found,
            );
        }
    }
    let world = World::new();
    let mut found = Vec::new();
    walk(&rop::cli::command(), "", &mut found);
    let helps = found.into_iter().map(|words| {
        let help = world.rop(&format!("{words} --help")).ok().stdout;
        (words, help)
    });
    helps.collect()
}

/// Lines of flags, arguments, commands and values are `  NAME  HELP`: one that goes on is indented further.
#[test]
fn each_flag_has_one_line() {
    let mut count = 0;
    for (words, help) in helps() {
        let (_, lists) = help.split_once("\nUsage:").expect("a usage");
        for line in lists.lines().skip(1) {
            assert!(line.chars().count() <= 100, "rop {words}: {line}");
            let is_flag = line.trim_start().starts_with('-');
            // A command that runs with and without another has two usages.
            if line.trim_start().starts_with("rop ") {
                continue;
            }
            let indent = line.len() - line.trim_start().len();
            assert!(
                indent <= 2 || is_flag,
                "rop {words}: this line goes on:\n{line}"
            );
            if is_flag {
                let has_help = line.trim_start().contains("  ");
                assert!(
                    has_help,
                    "rop {words}: the help is not beside the flag:\n{line}"
                );
                count += 1;
            }
        }
    }
    assert!(count > 150, "{count}");
}

/// A help says what a flag does: it leans on no other flag, and starts with no article.
#[test]
fn each_flag_can_be_read_alone() {
    fn walk(command: &Command, words: &str, count: &mut usize) {
        let arguments = command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set());
        let texts = arguments.map(|argument| (argument.get_id().to_string(), argument.get_help()));
        let subs = command
            .get_subcommands()
            .map(|sub| (sub.get_name().to_owned(), sub.get_about()));
        for (name, text) in texts.chain(subs) {
            let text = text
                .unwrap_or_else(|| panic!("{words} {name}: no help"))
                .to_string();
            let first = text.split([' ', ',', ':']).next().unwrap_or_default();
            let is_bad = [
                "A", "An", "The", "It", "They", "What", "Which", "Whether", "One",
            ]
            .contains(&first);
            assert!(!is_bad && !text.ends_with('.'), "{words} {name}: {text}");
            *count += 1;
        }
        for sub in command.get_subcommands() {
            walk(sub, &format!("{words} {}", sub.get_name()), count);
        }
    }
    let mut count = 0;
    walk(&rop::cli::command(), "rop", &mut count);
    assert!(count > 150, "{count}");
}

/// The usual commands come first, and the names of operator-sdk last.
#[test]
fn commands_are_in_the_order_of_their_use() {
    let help = World::new().rop("--help").ok().stdout;
    let names: Vec<_> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split("  ").next())
        .filter(|name| !name.is_empty() && !name.starts_with([' ', '-']))
        .collect();
    assert_eq!(names[..5], ["init", "create", "generate", "dev", "deploy"]);
    assert_eq!(names[names.len() - 1], "generate bundle");
    let heading = help.find("Commands of operator-sdk:").expect("the heading");
    assert!(help.find("  new ").expect("a command") > heading, "{help}");
}

/// Two screens of 50 lines.
#[test]
fn the_longest_help_fits_on_two_screens() {
    for (words, help) in helps() {
        let lines = help.lines().count();
        assert!(lines <= 100, "rop {words}: {lines} lines");
    }
}

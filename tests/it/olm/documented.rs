//! The page of the book that lists the rules.

use std::path::Path;

use rop::olm::validate::{Rule, rules};
use similar::TextDiff;

const PAGE: &str = "book/src/reference/bundle-rules.md";
const HEAD: &str = "| Rule | Level | Validators | Demands |\n|---|---|---|---|\n";

fn row(rule: &Rule) -> String {
    let validators = match rule.suite.validators() {
        [] => "always".to_owned(),
        validators => validators.join(", "),
    };
    let Rule {
        id, level, summary, ..
    } = rule;
    format!("| `{id}` | {level} | {validators} | {summary} |\n")
}

/// `TRYCMD=overwrite` writes the table into the page.
#[test]
fn the_book_lists_all_rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, after) = page.split_once(HEAD).expect("a table");
    let end = after.find("\n\n").map_or(after.len(), |end| end + 1);
    let table: String = rules().map(row).collect();
    let expected = format!("{before}{HEAD}{table}{}", &after[end..]);
    if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        std::fs::write(&path, &expected).expect("the page");
    }
    let page = std::fs::read_to_string(&path).expect("the page");
    assert!(
        page == expected,
        "{PAGE} is out of date: `TRYCMD=overwrite cargo test --test it -- olm::` writes it\n{}",
        TextDiff::from_lines(&page, &expected).unified_diff()
    );
}

/// Names are stable and unique, and the texts read as all of rop's do.
#[test]
fn rules_are_named_and_described_alike() {
    let mut ids: Vec<_> = rules().map(|rule| rule.id).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    for rule in rules() {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(rule.id.chars().all(is_word), "{}", rule.id);
        let ends_well =
            |text: &str| !text.is_empty() && !text.ends_with('.') && !text.contains('|');
        assert!(
            ends_well(rule.summary) && ends_well(rule.hint),
            "{}",
            rule.id
        );
        assert!(!rule.summary.starts_with(char::is_lowercase), "{}", rule.id);
        assert!(!rule.hint.starts_with(char::is_uppercase), "{}", rule.id);
    }
}

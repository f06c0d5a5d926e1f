use heck::ToKebabCase;

use super::*;

#[test]
fn names_are_those_of_the_variants() {
    for code in Code::ALL {
        assert_eq!(code.name(), format!("{code:?}").to_kebab_case());
    }
}

#[test]
fn are_sorted_by_name() {
    let key = |code: &Code| (code.kind().exit_code(), code.name());
    assert!(Code::ALL.is_sorted_by_key(key));
}

#[test]
fn say_what_happened_and_what_to_do() {
    for code in Code::ALL {
        for text in [code.meaning(), code.remedy()] {
            assert!(text.ends_with('.') && !text.contains('|'), "{text}");
        }
    }
}

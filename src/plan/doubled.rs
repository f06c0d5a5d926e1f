//! What a merged text would define twice: the user and the release added the same name at places that do not meet.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions;
use super::line_merge::between_markers;
use super::matching::{lines, matching};
use super::overlap::{self, Cause, Overlaps};

/// The places of a merged text at which the release defines what the user's text defines already. `None` if there are
/// none.
pub(super) fn find(path: &str, [given, text, now]: [&str; 3], merged: &str) -> Option<Overlaps> {
    let [given, own, now, all] = [given, text, now, merged].map(|text| definitions::of(path, text));
    let lines_of = |all: &[(String, usize)], name: &str| -> Vec<usize> {
        let all = all.iter().filter(|(other, _)| other == name);
        all.map(|(_, line)| *line).collect()
    };
    let names: BTreeSet<&str> = now.iter().map(|(name, _)| &**name).collect();
    let is_doubled = |name: &&str| {
        let [given, own, all] = [&given, &own, &all].map(|it| lines_of(it, name).len());
        given == 0 && own > 0 && all > own
    };
    let names: Vec<_> = names.into_iter().filter(is_doubled).collect();
    if names.is_empty() {
        return None;
    }
    let [text_lines, merged_lines] = [text, merged].map(lines);
    let kept: BTreeSet<usize> = matching(&text_lines, &merged_lines)
        .into_iter()
        .flatten()
        .collect();
    // The lines that the release adds there, and the line of the user's.
    let mut places = BTreeMap::new();
    for name in names {
        let [own, all] = [&own, &all].map(|it| lines_of(it, name));
        // Of two lines that are the same, the last one is as good as the other.
        let added = all.iter().rev().find(|line| !kept.contains(line));
        let (Some(of_user), Some(line)) = (own.first(), added.or(all.last()).copied()) else {
            continue;
        };
        let is_added = |line: &usize| !kept.contains(line);
        let first = (0..line).rev().take_while(is_added).last().unwrap_or(line);
        let rest = (line + 1..merged_lines.len()).take_while(is_added).count();
        places.entry(first).or_insert((line + 1 + rest, *of_user));
    }
    let (mut marked, mut above) = (String::new(), 0);
    for (first, (end, _)) in &places {
        marked += &merged_lines[above..*first].concat();
        marked += &between_markers([&[], &[], &merged_lines[*first..*end]]);
        above = *end;
    }
    marked += &merged_lines[above..].concat();
    let mut overlaps = overlap::read(&marked, Cause::Doubled);
    for (place, (_, line)) in overlaps.places.iter_mut().zip(places.values()) {
        place.lines = line + 1..=line + 1;
        text_lines[*line].clone_into(&mut place.current);
    }
    Some(overlaps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git;
    use crate::plan::overlap::merge;

    #[track_caller]
    fn doubled(path: &str, [given, text, now]: [&str; 3]) -> Option<Overlaps> {
        let merged = merge(given, text, now).expect("the places do not meet");
        find(path, [given, text, now], &merged)
    }

    const RULES: &str = "a:\n\techo a\n\nb:\n\techo b\n\nc:\n\techo c\n";

    #[test]
    fn a_rule_of_both_is_a_place_with_both_texts() {
        let text = RULES.replace("\nb:", "\nlint: # mine\n\techo mine\n\nb:");
        let now = format!("{RULES}\nlint:\n\techo lint\n");
        let overlaps = doubled("Makefile", [RULES, &text, &now]).expect("a place");
        let [place] = &overlaps.places[..] else {
            panic!("{overlaps:?}");
        };
        assert_eq!(place.lines, 4..=4);
        assert_eq!(place.current, "lint: # mine\n");
        assert_eq!(place.new, "\nlint:\n\techo lint\n");
        let both = format!("{text}\nlint:\n\techo lint\n");
        assert_eq!(git::sides(&overlaps.marked), Some([text, both]));
    }

    #[test]
    fn names_of_one_side_are_no_places() {
        let own = RULES.replace("\nb:", "\nmine:\n\techo mine\n\nb:");
        let now = format!("{RULES}\nlint:\n\techo lint\n");
        assert!(doubled("Makefile", [RULES, &own, &now]).is_none());
        // The user's own, twice.
        let twice = own.replace("\nb:", "\nmine:\n\techo more\n\nb:");
        assert!(doubled("Makefile", [RULES, &twice, &now]).is_none());
        // The same lines at the same place.
        assert!(doubled("Makefile", [RULES, &now, &now]).is_none());
    }

    #[test]
    fn jobs_and_items_are_found_too() {
        let jobs = "jobs:\n  a:\n    x: 1\n  b:\n    x: 1\n";
        let text = jobs.replace("  b:", "  e2e:\n    mine: 1\n  b:");
        let now = format!("{jobs}  e2e:\n    x: 2\n");
        let path = ".github/workflows/ci.yml";
        assert!(doubled(path, [jobs, &text, &now]).is_some());
        assert!(doubled("notes.txt", [jobs, &text, &now]).is_none());

        let source = "use a;\n\nfn a() {}\n\nfn b() {}\n";
        let text = source.replace("fn b", "pub(crate) struct Mine;\n\nfn b");
        let now = format!("{source}\npub struct Mine(u8);\n");
        assert!(doubled("src/lib.rs", [source, &text, &now]).is_some());
    }
}

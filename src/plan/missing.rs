//! What a merged text would use and not define: the user's lines name what the release removes.

use std::collections::BTreeSet;

use super::definitions;
use super::line_merge::between_markers;
use super::overlap::{self, Cause, Overlaps};

/// The user's lines of a merged text that use a job or a target which the release removes. `None` if there are none.
pub(super) fn find(path: &str, [given, now]: [&str; 2], merged: &str) -> Option<Overlaps> {
    let [given, new, all] = [given, now, merged].map(|text| {
        let names = definitions::of(path, text).into_iter();
        names.map(|(name, _)| name).collect::<BTreeSet<_>>()
    });
    let is_gone = |name: &&String| !new.contains(*name) && !all.contains(*name);
    let names = given.iter().filter(is_gone);
    let gone: BTreeSet<&str> = names.filter_map(|name| used_as(path, name)).collect();
    if gone.is_empty() {
        return None;
    }
    let of_release: BTreeSet<&str> = now.lines().collect();
    let mut marked = String::new();
    for line in merged.split_inclusive('\n') {
        let is_users = !of_release.contains(line.trim_end_matches('\n'));
        if is_users && uses(path, line).iter().any(|name| gone.contains(name)) {
            marked += &between_markers([&[line], &[line], &[]]);
        } else {
            marked += line;
        }
    }
    let overlaps = overlap::read(&marked, Cause::Missing);
    (!overlaps.places.is_empty()).then_some(overlaps)
}

/// How lines name what is defined with this name: a target, or a job of a workflow.
fn used_as<'a>(path: &str, name: &'a str) -> Option<&'a str> {
    if path == "Makefile" {
        return Some(name);
    }
    let job = name.split_once(" jobs/")?.1;
    (path.starts_with(".github/workflows/") && !job.contains('/')).then_some(job)
}

/// The targets or jobs that a line needs.
fn uses<'a>(path: &str, line: &'a str) -> Vec<&'a str> {
    let needs = if path != "Makefile" {
        line.trim_start().strip_prefix("needs:")
    } else if line.starts_with(['\t', '#']) {
        None
    } else {
        let needs = line.split_once(':').map(|(_, needs)| needs);
        needs.filter(|needs| !needs.contains('='))
    };
    let needs = needs.and_then(|needs| needs.split('#').next());
    let words = needs
        .unwrap_or_default()
        .split([' ', ',', '[', ']', '"', '\'', '\n']);
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::overlap::merge;

    #[track_caller]
    fn missing(path: &str, [given, text, now]: [&str; 3]) -> Option<Overlaps> {
        let merged = merge(given, text, now).expect("the places do not meet");
        find(path, [given, now], &merged)
    }

    #[test]
    fn a_job_that_the_users_needs() {
        let path = ".github/workflows/ci.yml";
        let given = "jobs:\n  test:\n    x: 1\n  image:\n    x: 1\n  last:\n    needs: test\n";
        let now = given.replace("image", "e2e");
        for (own, line) in [
            ("needs: image", true),
            ("needs: [test, \"image\"] # both", true),
            ("needs: test", false),
            ("name: image", false),
        ] {
            let text = format!("{given}    x: 1\n  mine:\n    {own}\n");
            let found = missing(path, [given, &text, &now]);
            let lines = found.map(|found| found.places[0].lines.clone());
            assert_eq!(lines, line.then_some(10..=10), "{own}");
            assert!(missing("a.yaml", [given, &text, &now]).is_none());
        }
    }

    /// The user's own doing is no conflict.
    #[test]
    fn a_job_that_the_user_removed() {
        let path = ".github/workflows/ci.yml";
        let given = "jobs:\n  image:\n    x: 1\n  test:\n    x: 1\n  last:\n    x: 1\n";
        let text = given.replace("  image:\n    x: 1\n", "  mine:\n    needs: image\n");
        let now = format!("{given}    y: 2\n");
        assert!(missing(path, [given, &text, &now]).is_none());
    }

    #[test]
    fn a_target_that_the_users_needs() {
        let given = "old:\n\techo\n\na:\n\techo a\n\nb: a\n\techo b\n";
        let now = given.replace("old:", "new:");
        for (own, is_found) in [
            ("mine: a old ## Mine", true),
            ("mine: a ## Not old", false),
            ("mine: VERSION = old", false),
            ("\techo old: old", false),
        ] {
            let text = format!("{given}\n{own}\n");
            let found = missing("Makefile", [given, &text, &now]);
            assert_eq!(found.is_some(), is_found, "{own}");
        }
    }
}

//! Rules that a user added at the end of a Makefile, where a release adds its own.

use std::collections::BTreeSet;

use super::{definitions, line_merge};

/// Merges as [`super::overlap::merge`], with the user's rules at the end below those of the release. None if they are
/// not at the end, if a rule or a variable of theirs is also new in the release, or if other lines overlap.
pub(super) fn merge(path: &str, base: &str, current: &str, new: &str) -> Option<String> {
    if path != "Makefile" {
        return None;
    }
    let last = base.trim_end();
    let (_, line) = last.rsplit_once('\n')?;
    let at = current.rfind(&format!("\n{line}\n"))? + line.len() + 2;
    let (above, own) = current.split_at(at);
    let is_rules = !own.trim().is_empty() && !own.starts_with('\t') && !line.ends_with('\\');
    if !is_rules || !names(own).is_disjoint(&names(new)) {
        return None;
    }
    let base = format!("{last}\n");
    let mut merged = line_merge::merge(&base, above, new).ok()?;
    if !merged.ends_with("\n\n") && !own.starts_with('\n') {
        merged.push('\n');
    }
    Some(merged + own)
}

/// The names of the targets and the variables that lines define.
fn names(text: &str) -> BTreeSet<&str> {
    text.lines().flat_map(definitions::of_rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_at_the_end_come_below_those_of_the_release() {
        let base = "A ?= 1\n\n.PHONY: run\nrun: ## Run\n\techo run\n";
        let new = format!("{base}\n.PHONY: lint\nlint:\n\techo lint\n").replace("A ?= 1", "A ?= 2");
        let own = "\n.PHONY: mine\nmine:\n\techo mine\n";
        for own in [own, &own[1..], "B := 1\n"] {
            let merged = merge("Makefile", base, &format!("{base}{own}"), &new);
            let blank = if own.starts_with('\n') { "" } else { "\n" };
            assert_eq!(merged, Some(format!("{new}{blank}{own}")));
        }
        for own in [
            // A line more of the last rule, names of the release, and nothing.
            "\techo more\n",
            "\nlint:\n\techo mine\n",
            "\nA = 3\n",
            "\n",
        ] {
            assert_eq!(
                merge("Makefile", base, &format!("{base}{own}"), &new),
                None,
                "{own}"
            );
        }
        let edited = format!("{}{own}", base.replace("A ?= 1", "A ?= 3"));
        assert_eq!(merge("Makefile", base, &edited, &new), None);
        assert_eq!(merge("notes", base, &format!("{base}{own}"), &new), None);
    }
}

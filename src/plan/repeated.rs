//! Entries that a kustomization lists twice. A merge of two branches can make them, and kustomize rejects them.

use std::collections::HashSet;

use super::File;

/// Whether a file is a kustomization.
pub(super) fn is_kustomization(path: &str) -> bool {
    path.ends_with("/kustomization.yaml")
}

/// The text of a kustomization with each entry of `given` at most once in a list. Other entries are the user's.
pub(super) fn without_repeated(given: &File, text: &str) -> String {
    if !is_kustomization(given.path()) {
        return text.to_owned();
    }
    let given: HashSet<&str> = given.text().lines().filter_map(entry).collect();
    let (mut list, mut seen) = ("", HashSet::new());
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with(char::is_alphabetic) {
            list = line;
        }
        if entry(line).is_none_or(|entry| !given.contains(entry) || seen.insert((list, entry))) {
            kept.push_str(line);
        }
    }
    kept
}

/// The entry of a list that is on one line: a path.
fn entry(line: &str) -> Option<&str> {
    let entry = line.trim().strip_prefix("- ")?;
    (!entry.contains(": ") && !entry.ends_with(':')).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_listed_once() {
        let given = File::shared(
            "config/crd/kustomization.yaml",
            "resources:\n- a.yaml\n- b.yaml\npatches:\n- path: c.yaml\n".into(),
        );
        for (text, expected) in [
            (
                "resources:\n- a.yaml\n- b.yaml\n- a.yaml\n",
                "resources:\n- a.yaml\n- b.yaml\n",
            ),
            (
                "resources:\n  - a.yaml\r\n  # b\n  - a.yaml\r\n",
                "resources:\n  - a.yaml\r\n  # b\n",
            ),
            // Another list, the user's own entries, and entries with more lines.
            (
                "resources:\n- a.yaml\ncrds:\n- a.yaml\n",
                "resources:\n- a.yaml\ncrds:\n- a.yaml\n",
            ),
            (
                "resources:\n- mine\n- mine\n",
                "resources:\n- mine\n- mine\n",
            ),
            (
                "patches:\n- path: c.yaml\n- path: c.yaml\n",
                "patches:\n- path: c.yaml\n- path: c.yaml\n",
            ),
        ] {
            assert_eq!(without_repeated(&given, text), expected);
        }
    }
}

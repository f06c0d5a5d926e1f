//! The files that a kustomization lists.

use std::collections::{BTreeSet, HashSet};

use crate::disk::View;
use crate::error::Result;
use crate::plan::Tree;
use crate::project::layout::{CRD, CRD_KUSTOMIZATION};

use super::is_crd;

/// The entries of a kustomization, among all its words. One that its user commented out counts: rop does not list it
/// again.
pub(crate) fn mentioned(kustomization: &str) -> HashSet<&str> {
    let is_between = |c: char| c.is_whitespace() || "[],\"'#".contains(c);
    kustomization.split(is_between).collect()
}

/// The CRDs among `generated` that their kustomization does not list, as it would list them: nothing deploys them.
///
/// # Errors
/// The kustomization cannot be read.
pub(crate) fn unlisted_crds(view: &View, generated: &Tree) -> Result<BTreeSet<String>> {
    let Some(list) = view.read(CRD_KUSTOMIZATION)? else {
        return Ok(BTreeSet::new());
    };
    let crds = generated.files().filter(|file| is_crd(file.path()));
    let entries = crds.filter_map(|crd| crd.path().strip_prefix(CRD)?.strip_prefix('/'));
    let mentioned = mentioned(&list);
    let unlisted = entries.filter(|entry| !mentioned.contains(entry));
    Ok(unlisted.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_whole_word() {
        let list = "resources: # foo.yaml\n- my_foo.yaml\n#- \"bar.yaml\"\n#baz.yaml\nflow: [a.yaml,b.yaml]\n";
        for entry in [
            "foo.yaml",
            "my_foo.yaml",
            "bar.yaml",
            "baz.yaml",
            "a.yaml",
            "b.yaml",
        ] {
            assert!(mentioned(list).contains(entry), "{entry}");
        }
        assert!(!mentioned("resources:\n- my_foo.yaml\n").contains("foo.yaml"));
    }
}

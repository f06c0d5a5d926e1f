//! The names of types: that of the field where there is one of it, else with those of the types around it.

use std::collections::{BTreeMap, BTreeSet};

use super::known::Known;
use super::tree::{Declared, Key};
use super::words::identifier;

/// What the source imports, or has from the prelude.
const TAKEN: &[&str] = &[
    "ApiResource",
    "AsMut",
    "AsRef",
    "BTreeMap",
    "Box",
    "Clone",
    "Copy",
    "CustomResourceDefinition",
    "CustomResourceExt",
    "DateTime",
    "Debug",
    "Default",
    "Deserialize",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Hash",
    "IntOrString",
    "Into",
    "IntoIterator",
    "Iterator",
    "JsonSchema",
    "Metadata",
    "None",
    "Number",
    "ObjectMeta",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Resource",
    "Result",
    "Schema",
    "SchemaGenerator",
    "Self",
    "Send",
    "Serialize",
    "Serializer",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Value",
    "Vec",
];

/// The names of all types but that of the kind, which is `root`.
pub(super) fn names(declared: &[Declared<'_>], root: &str) -> BTreeMap<Key, String> {
    let mut taken: BTreeSet<String> = TAKEN.iter().map(|name| (*name).to_owned()).collect();
    taken.extend(Known::names().map(str::to_owned));
    taken.insert(root.to_owned());
    let mut names = BTreeMap::new();
    let mut unnamed: Vec<&Declared<'_>> = declared.iter().collect();
    let deepest = unnamed.iter().map(|one| one.around.len()).max();
    for level in 0..=deepest.unwrap_or_default() {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for one in &unnamed {
            *counts.entry(candidate(one, level)).or_default() += 1;
        }
        unnamed.retain(|one| {
            let name = candidate(one, level);
            let is_free = counts[&name] == 1 && !taken.contains(&name);
            if is_free {
                taken.insert(name.clone());
                names.insert(one.key.clone(), name);
            }
            !is_free
        });
    }
    for one in unnamed {
        let name = candidate(one, one.around.len());
        let numbered = (2..).map(|number| format!("{name}{number}"));
        let name = std::iter::once(name.clone()).chain(numbered);
        let name = name
            .into_iter()
            .find(|name| !taken.contains(name))
            .unwrap_or_default();
        taken.insert(name.clone());
        names.insert(one.key.clone(), name);
    }
    names
}

/// The name with those of so many types around it.
fn candidate(declared: &Declared<'_>, level: usize) -> String {
    let around = &declared.around;
    let start = around.len().saturating_sub(level);
    let name = around[start..].concat() + &declared.key.name;
    identifier(name, "Value")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(TAKEN.is_sorted());
    }
}

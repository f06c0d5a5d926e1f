//! The names of types: that of the field where there is one of it, else with those of the types around it.

use std::collections::BTreeMap;

use crate::reserved;

use super::source::{Identifier, Taken};
use super::tree::{Declared, Key};

/// The names of all types but that of the kind, which is `root`.
pub(super) fn names(declared: &[Declared<'_>], root: &Identifier) -> BTreeMap<Key, Identifier> {
    let mut taken = Taken::default();
    for name in reserved::of_external_types() {
        taken.take(&Identifier::of(name, "Value"));
    }
    taken.take(root);
    let mut names = BTreeMap::new();
    let mut unnamed: Vec<&Declared<'_>> = declared.iter().collect();
    let deepest = unnamed.iter().map(|type_| type_.around.len()).max();
    for level in 0..=deepest.unwrap_or_default() {
        let mut counts: BTreeMap<Identifier, usize> = BTreeMap::new();
        for type_ in &unnamed {
            *counts.entry(candidate(type_, level)).or_default() += 1;
        }
        unnamed.retain(|type_| {
            let name = candidate(type_, level);
            let is_free = counts[&name] == 1 && taken.take(&name);
            if is_free {
                names.insert(type_.key.clone(), name);
            }
            !is_free
        });
    }
    for type_ in unnamed {
        let name = taken.unique(candidate(type_, type_.around.len()), "");
        names.insert(type_.key.clone(), name);
    }
    names
}

/// The name with those of so many types around it.
fn candidate(declared: &Declared<'_>, level: usize) -> Identifier {
    let around = &declared.around;
    let start = around.len().saturating_sub(level);
    let name = around[start..].concat() + &declared.key.name;
    Identifier::of(&name, "Value")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use syn::Item;

    use super::super::source::identifiers;
    use super::super::{Definition, types};

    /// What is reached by the name of a trait, a type or a module, and so never hidden.
    const BEHIND_A_PATH: &[&str] = &[
        "API_VERSION",
        "ClusterResourceScope",
        "Error",
        "GROUP",
        "KIND",
        "NamespaceResourceScope",
        "S",
        "Scope",
        "Self",
        "Ty",
        "URL_PATH_SEGMENT",
        "VERSION",
    ];

    /// No type that a source uses can be hidden by one that is called after a field.
    #[test]
    fn what_a_source_uses_is_reserved() {
        let mut used = BTreeSet::new();
        for text in [
            include_str!("../../tests/it/whole/external/every.yaml"),
            include_str!("../../tests/it/whole/external/values.yaml"),
        ] {
            let crd = crate::yaml::from_str(text).expect("YAML");
            let definition = Definition::of(&crd, "every.yaml", None).expect("a CRD");
            let source = types(&definition, "Everything").expect("types").text;
            let mut names = identifiers(&source);
            for item in syn::parse_file(&source).expect("Rust").items {
                match item {
                    Item::Struct(item) => drop(names.remove(&item.ident.to_string())),
                    Item::Enum(item) => {
                        names.remove(&item.ident.to_string());
                        for variant in item.variants {
                            names.remove(&variant.ident.to_string());
                        }
                    }
                    _ => {}
                }
            }
            used.extend(names);
        }
        used.retain(|name| name.starts_with(char::is_uppercase));
        assert!(used.len() > 30, "{used:?}");
        let reserved: BTreeSet<&str> = super::reserved::of_external_types().collect();
        used.retain(|name| !reserved.contains(&**name) && !BEHIND_A_PATH.contains(&&**name));
        assert_eq!(used, BTreeSet::new());
    }
}

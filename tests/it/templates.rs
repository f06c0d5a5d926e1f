//! The templates themselves: what their paths declare, and what their texts use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;

/// The text of each template by its path below `templates/`.
fn templates() -> BTreeMap<String, String> {
    crate::support::world::tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("templates"))
}

#[test]
fn paths() {
    let path = Regex::new(r"^[a-z-]+/[^ ]+\.(owned|seeded|shared)(\.tera)?$").expect("a pattern");
    let variable = Regex::new(r"\{(\w+)\}").expect("a pattern");
    let known = [
        "group",
        "api_group",
        "version",
        "kind",
        "plural",
        "policy",
        "controller",
        "conversion",
        "role",
        "webhook",
    ];
    for name in templates().keys() {
        assert!(path.is_match(name), "{name}");
        for found in variable.captures_iter(name) {
            assert!(known.contains(&&found[1]), "{name}");
        }
    }
    let list: Vec<String> = templates().into_keys().collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("templates", list.join("\n")));
}

#[test]
fn no_destination_occurs_twice_where_two_sets_meet() {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let templates = templates();
    for name in templates.keys() {
        // A kind has one template: these sets never meet.
        let name = match name.strip_prefix("kind/") {
            Some(of_kind) => of_kind.split_once('/').expect("a part").1,
            None => name,
        };
        let (set, destination) = name.split_once('/').expect("a set");
        let destination = destination
            .trim_end_matches(".tera")
            .rsplit_once('.')
            .expect("a class")
            .0;
        let other = seen.insert(destination, set);
        assert!(
            other.is_none_or(|other| other == set),
            "{destination}: {other:?} and {set}"
        );
    }
}

/// A name in a registry that nobody has published belongs to whoever takes it, and what a workflow
/// installs runs in the CI of every project.
#[test]
fn nothing_is_installed_by_its_name_alone() {
    let installs = Regex::new(r"cargo (?:b?install)\b[^`\n]*").expect("a pattern");
    for (name, text) in templates() {
        for found in installs.find_iter(&text) {
            let has_source =
                found.as_str().contains(" --git ") && found.as_str().contains(" --rev ");
            assert!(has_source, "{name}: {}", found.as_str());
        }
    }
}

/// Only what is rendered is marked as rendered.
#[test]
fn rendered_templates_have_something_to_render() {
    for (name, text) in templates() {
        let has_tags = text.contains("{=") || text.contains("{%");
        assert_eq!(name.ends_with(".tera"), has_tags, "{name}");
    }
}

/// Every type that a template of a kind names is one that a kind may not be called.
#[test]
fn kinds_cannot_hide_a_type_in_use() {
    let texts = Regex::new(r#"//.*|"(?:[^"\\]|\\.)*""#).expect("a pattern");
    // What a template puts in, what is reached through a path, and names.
    let word = Regex::new(r"(=\}|::)?\b([A-Z][a-z][A-Za-z0-9]*)\b").expect("a pattern");
    // Variants that are declared in a template: no type is called so.
    let variants = ["Complete", "Failed", "Progressing", "Ready", "Waiting"];
    let mut names = BTreeSet::new();
    for (name, text) in templates() {
        if !name.ends_with(".rs.seeded.tera")
            || name.starts_with("project/")
            || name.starts_with("cluster/")
            || name.starts_with("simulation/")
            || name.starts_with("end-to-end/")
            // Kinds are named by their modules there.
            || name.starts_with("conversion/")
            || name.starts_with("versions/")
        {
            continue;
        }
        for line in texts.replace_all(&text, "").lines() {
            let imports = line.starts_with("use ") || line.starts_with("    use ");
            for found in word.captures_iter(line) {
                let before = found.get(1).map_or("", |m| m.as_str());
                if before.is_empty() || (before == "::" && imports) {
                    names.insert(found[2].to_owned());
                }
            }
        }
    }
    names.retain(|name| !variants.contains(&&**name));
    assert!(names.len() > 30, "{names:?}");
    let free: Vec<&String> = names
        .iter()
        .filter(|name| {
            let kind: rop::project::name::Kind = name.parse().expect("a kind");
            kind.type_name() == **name
        })
        .collect();
    assert!(
        free.is_empty(),
        "kinds of these names would hide a type in use: {free:?}"
    );
}

//! Markers in comments of sources.

use fastrand::Rng;
use rop::disk::View;
use rop::manifest::{self, Sources};
use rop::plan::{File, Ownership, Tree};
use rop::project::Project;

use super::shape::shape;
use super::{hostile, pick, try_all};
use crate::support::{World, seeds};

#[test]
fn hostile_markers_are_refused_with_their_line_or_become_rules() {
    let project = Project::new(
        "app-operator".parse().expect("a name"),
        "example.com".parse().expect("a domain"),
    );
    let world = World::new();
    let view = View::of(&world.path()).expect("a view");
    for seed in seeds(1) {
        let mut rng = Rng::with_seed(seed);
        let inputs: Vec<_> = (0..3000).map(|_| marker(&mut rng)).collect();
        try_all(&inputs, |text| {
            let mut after = Tree::default();
            after.insert(File::new("src/x.rs", Ownership::Owned, (*text).clone()));
            let sources = Sources::read(&view, &Tree::default(), &after);
            match manifest::role(&sources.expect("sources"), &project) {
                Ok(roles) => roles
                    .files()
                    .try_for_each(|role| shape(role.path(), role.text()).map(drop)),
                Err(error) => {
                    let message = error.chain().collect::<Vec<_>>().join(": ");
                    if message.contains("src/x.rs:") {
                        Ok(())
                    } else {
                        Err(format!("does not name its line: {message}"))
                    }
                }
            }
        });
    }
}

/// A source with some markers, right and wrong.
fn marker(rng: &mut Rng) -> String {
    const STARTS: &[&str] = &[
        "// ",
        "/// ",
        "//! ",
        "//",
        "/* ",
        "   // ",
        "let x = \"",
        "r#\"",
        "#[doc = \"",
    ];
    const SORTS: &[&str] = &[
        "+kubebuilder:rbac:",
        "+rop:rbac:",
        "+kubebuilder:webhook:",
        "+kubebuilder:rbac",
        "+kubebuilder:",
        "+rop:",
        "+",
    ];
    const KEYS: &[&str] = &[
        "groups",
        "resources",
        "verbs",
        "urls",
        "resourceNames",
        "namespace",
        "path",
        "mutating",
        "failurePolicy",
        "sideEffects",
        "versions",
        "name",
        "admissionReviewVersions",
        "x",
        "",
    ];
    const VALUES: &[&str] = &[
        "apps",
        "core",
        "\"\"",
        "pods",
        "get;list",
        "*",
        "{get,list}",
        "true",
        "v1",
        ";",
        "=",
        ",",
    ];
    let mut text = String::new();
    for _ in 0..rng.usize(1..4) {
        text += pick(rng, STARTS);
        text += pick(rng, SORTS);
        for _ in 0..rng.usize(..5) {
            text += pick(rng, KEYS);
            text += pick(rng, &["=", "=", "=", "", "=="]);
            if rng.bool() {
                text += pick(rng, VALUES);
            } else {
                text += &hostile(rng);
            }
            text += pick(rng, &[",", ",", "", ";", " "]);
        }
        text += pick(
            rng,
            &["\n", "\n", "\r\n", "\r", "", "\u{2028}", " */\n", "\"\n"],
        );
    }
    text
}

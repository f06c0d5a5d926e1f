//! The README and AGENTS.md of a project name the files that it has, whatever its kinds and controllers are.

use regex::Regex;

use crate::support::World;

/// Commands after `rop init`, each of another shape.
const SHAPES: [&[&str]; 7] = [
    &[],
    &["create api --group app --kind App"],
    &["create api --group app --kind App --template minimal"],
    &["create api --group app --kind App --template job"],
    &["create api --group app --kind App --controller=false"],
    &["create api --group apps --kind Deployment --resource=false"],
    &[
        "create api --group app --kind App --controller=false",
        "create api --group apps --kind Deployment --resource=false",
    ],
];

/// Files and folders of a project, and those of one controller.
const PATHS: &str = r"(?:api|config|src|tests)/[\w./-]*\w|\b(?:reconcile|resources|status)\.rs";

#[test]
fn names_what_exists() {
    let path = Regex::new(PATHS).expect("a pattern");
    for commands in SHAPES {
        let world = World::with_project();
        for command in commands {
            world.rop(command).ok();
        }
        let tree = world.tree();
        let controller = tree
            .keys()
            .filter(|file| file.starts_with("src/controller/"));
        let files: Vec<_> = controller.collect();
        for document in ["README.md", "AGENTS.md"] {
            let text = world.read(document);
            for found in path.find_iter(&text) {
                let name = found.as_str();
                let exists = if name.contains('/') {
                    world.path().join(name).exists()
                } else {
                    files.iter().any(|file| file.ends_with(&format!("/{name}")))
                };
                assert!(exists, "{document} names `{name}`: {commands:?}");
            }
        }
    }
}

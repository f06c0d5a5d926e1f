//! The tutorials that operator authors know, walked through with rop: each chapter of the book is
//! run against a real API server, and leads to one of the `examples/`.

mod app_operator;
mod appservice;
mod chapter;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::support::world::tree;

/// How long anything may take, on a busy machine.
const SOON: Duration = Duration::from_mins(5);

/// A chapter leads to the example of this name. `INSTA_UPDATE=always` in the environment makes the
/// example of what the chapter made.
#[track_caller]
fn leads_to(name: &str, made: &BTreeMap<String, String>) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let example = examples.join(name);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        let _ = fs::remove_dir_all(&example);
        for (path, text) in made {
            let path = example.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
    }
    let finished = tree(&example);
    let differs = |path: &&String| made.get(*path) != finished.get(*path);
    let mut paths: Vec<_> = made.keys().chain(finished.keys()).filter(differs).collect();
    paths.sort_unstable();
    paths.dedup();
    assert!(paths.is_empty(), "not as in examples/{name}: {paths:?}");
}

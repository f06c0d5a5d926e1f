use std::path::Path;

use crate::control_plane::PROGRAMS;
use crate::control_plane::programs::{ASSETS, Release};
use crate::versions::VERSIONS;

use super::finding::{Finding, State};

/// The programs of a control plane for tests, where tests and `rop dev` look for them.
pub(super) fn check(_: &Path) -> Vec<Finding> {
    let state = match Release::local(VERSIONS.envtest) {
        None => State::Missing(format!("no {ASSETS}, and none were downloaded")),
        Some(folder) => {
            let missing = PROGRAMS.iter().find(|name| !folder.join(name).is_file());
            let place = folder.display().to_string();
            match missing {
                None => State::found(PROGRAMS.join(", "), place),
                Some(name) => State::Unusable(format!("no `{name}` in `{place}`")),
            }
        }
    };
    let needed_for = "`rop dev`, and tests on an API server";
    let remedy = format!(
        "run `make test-cluster` or `rop dev`, which download them, or set {ASSETS} to a directory with {}",
        PROGRAMS.join(", ")
    );
    vec![Finding::optional("control plane", needed_for, state).remedy(remedy)]
}

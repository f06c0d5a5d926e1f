use std::path::Path;

use crate::image::{LoginFile, login_files};
use crate::listed::listed;
use crate::on_path::on_path;

use super::finding::{Finding, State};
use super::program::first_line;

/// How many registries are named.
const NAMED: usize = 5;

/// Logins for registries. No credential helper is started: it could ask for a password.
pub(super) fn check(_: &Path) -> Vec<Finding> {
    let state = state(&login_files());
    let needed_for = "pushing images: `rop build --push`, `rop bundle build`, `rop catalog build`";
    let remedy = "log in: `docker login REGISTRY` or `podman login REGISTRY`";
    vec![Finding::optional("registry login", needed_for, state).remedy(remedy)]
}

fn state(files: &[LoginFile]) -> State {
    let mut found = Vec::new();
    for file in files {
        let place = file.path.display();
        let Some(logins) = &file.logins else {
            return State::Unusable(format!("`{place}` is not a docker configuration"));
        };
        let missing = logins
            .helpers
            .iter()
            .map(|helper| format!("docker-credential-{helper}"))
            .find(|program| on_path(program).is_none());
        if let Some(program) = missing {
            return State::Unusable(first_line(&format!(
                "`{place}` names the credential helper `{program}`, which is not on PATH"
            )));
        }
        let helpers = logins
            .store
            .iter()
            .map(|helper| format!("all that docker-credential-{helper} knows"));
        let registries: Vec<_> = logins.registries.iter().cloned().chain(helpers).collect();
        if !registries.is_empty() {
            found.push((listed(&registries, NAMED), place.to_string()));
        }
    }
    let Some((registries, places)) = found.into_iter().reduce(|(names, places), (name, place)| {
        (format!("{names}, {name}"), format!("{places}, {place}"))
    }) else {
        return State::Missing("neither docker nor podman has a login".to_owned());
    };
    State::found(first_line(&registries), places)
}

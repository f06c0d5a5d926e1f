use std::path::Path;

use crate::image::Engine;
use crate::on_path::on_path;

use super::finding::{Finding, State};
use super::program::first_line;

/// Container engines: one is enough, and `rop build` does without.
pub(super) fn check(_: &Path) -> Vec<Finding> {
    let installed = Engine::ALL
        .into_iter()
        .filter_map(|engine| Some((engine, on_path(engine.program())?)));
    let mut silent = Vec::new();
    for (engine, path) in installed {
        match engine.answer() {
            Ok(()) => {
                let state = State::found(engine.program(), path.display().to_string());
                return vec![finding(state)];
            }
            Err(reason) => silent.push(format!("{}: {}", engine.program(), first_line(&reason))),
        }
    }
    vec![finding(if silent.is_empty() {
        State::Missing("neither docker nor podman nor buildah is on PATH".to_owned())
    } else {
        State::Unusable(silent.join("; "))
    })]
}

fn finding(state: State) -> Finding {
    let needed_for = "`rop build --engine docker`, and images with a Dockerfile";
    let remedy = "none is needed: `rop build --engine none` builds an image with cargo";
    Finding::optional("container engine", needed_for, state).remedy(remedy)
}

//! What kubectl says when it fails, with the way out where it is known.

mod hint;
mod text;

#[cfg(test)]
mod tests;

use crate::error::{Code, Error};

use hint::WayOut;

/// An error of what kubectl said, with a hint for each sort of failure in it, and the code of the first.
pub(super) fn explain(stderr: &str) -> Error {
    let lines = text::lines(stderr);
    if lines.is_empty() {
        return Error::new(Code::KubectlFailed, "kubectl failed without output");
    }
    let mut ways_out = Vec::new();
    for way_out in lines.iter().filter_map(|line| hint::of(line)) {
        if !ways_out.contains(&way_out) {
            ways_out.push(way_out);
        }
    }
    let code = ways_out
        .first()
        .map_or(Code::KubectlFailed, |WayOut(code, _)| *code);
    let error = Error::new(code, lines.join("\n"));
    let hints = ways_out.into_iter().map(|WayOut(_, hint)| hint);
    hints.fold(error, Error::hint)
}

/// An error of a kubeconfig without a cluster.
pub(crate) fn no_cluster(message: &str) -> Error {
    let WayOut(code, hint) = hint::CONTEXTS;
    Error::new(code, message).hint(hint)
}

/// The error of a kubeconfig in words of its own, if kubectl only says that there is no such context.
pub(crate) fn of_context(error: Error) -> Error {
    let said: Vec<_> = error.chain().collect();
    let missing = match &*said.join("\n") {
        "current-context must exist in order to minify" => {
            Some("the kubeconfig has no current context".to_owned())
        }
        said => {
            let name = said.strip_prefix("cannot locate context ");
            name.map(|name| format!("the kubeconfig has no context `{name}`"))
        }
    };
    match missing {
        Some(message) => {
            let new = Error::new(error.code(), message);
            error.hints().iter().fold(new, Error::hint)
        }
        None => error.context("failed to select a cluster from the kubeconfig"),
    }
}

/// What kubectl had said until it was stopped.
pub(super) fn so_far(stderr: &str) -> Error {
    match &*text::lines(stderr).join("\n") {
        "" => Error::new(Code::KubectlTimeout, "it said nothing"),
        said => Error::new(Code::KubectlTimeout, said),
    }
}

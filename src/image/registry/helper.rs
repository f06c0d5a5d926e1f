//! Docker's credential helpers: programs that know logins.

use std::time::Duration;

use docker_credential::DockerCredential;
use serde::Deserialize;

use crate::bounded::{self, How, Limits};
use crate::error::{Code, Context, Error, Result};
use crate::on_path::command;

/// What a helper may print. A login has a few kilobytes.
const MOST: usize = 1024 * 1024;

/// What helpers say of a registry that they know no login for.
const UNKNOWN: &str = "credentials not found";

const NOT_STARTED: &str =
    "put the `docker-credential-…` program of `credsStore` or `credHelpers` on PATH";

/// What a helper prints.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HelperOutput {
    username: String,
    secret: String,
}

/// What the helper of a name has for a server, if anything. It may take as long as `patience`.
///
/// # Errors
/// It cannot be run, fails, does not end, or prints something else.
pub(super) fn credential(
    name: &str,
    server: &str,
    patience: Duration,
) -> Result<Option<DockerCredential>> {
    let program = format!("docker-credential-{name}");
    let limits = Limits {
        time: patience,
        bytes: MOST,
    };
    let ended = bounded::run(command(&program).arg("get"), server, limits)
        .context(Code::CredentialHelperFailed, || {
            format!("failed to start the credential helper `{program}`")
        })
        .map_err(|error| error.hint(NOT_STARTED))?;
    let status = match ended.how {
        How::Exited(status) => status,
        How::Late => {
            let seconds = patience.as_secs();
            let error = format!("`{program}` did not finish within {seconds} s");
            return Err(Error::new(Code::CredentialHelperFailed, error)
                .hint("wait longer with `--timeout`"));
        }
        How::Flooding => {
            return Err(Error::new(
                Code::CredentialHelperFailed,
                format!("`{program}` printed more than {MOST} bytes"),
            ));
        }
    };
    if status.success() {
        let answer: HelperOutput = serde_json::from_slice(&ended.stdout).map_err(|_| {
            Error::new(
                Code::CredentialHelperFailed,
                format!("`{program}` did not print credentials as JSON"),
            )
        })?;
        let HelperOutput { username, secret } = answer;
        return Ok(Some(match &*username {
            "<token>" => DockerCredential::IdentityToken(secret),
            _ => DockerCredential::UsernamePassword(username, secret),
        }));
    }
    let stdout = String::from_utf8_lossy(&ended.stdout);
    if stdout.contains(UNKNOWN) {
        return Ok(None);
    }
    let reported: String = [stdout.trim(), ended.stderr.trim()]
        .join(" ")
        .trim()
        .chars()
        .take(500)
        .collect();
    Err(Error::new(
        Code::CredentialHelperFailed,
        format!("`{program}` says: {reported}"),
    ))
}

//! What a registry's failures mean, and the way out of each.

use std::time::Duration;

use oci_client::errors::{OciDistributionError, OciEnvelope};
use oci_client::secrets::RegistryAuth;

use crate::error::Error;

const NO_REGISTRY: &str = "without a network, build over nothing and write a file: `--base scratch --output oci-archive:FILE`";

const NO_TRUST: &str = "if its certificate is from an authority of your own, make this machine trust it, or on Linux set `SSL_CERT_FILE` to a file of all trusted authorities";

/// Something that went wrong with a registry.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    /// Whether the same may go well a moment later.
    pub(super) may_pass: bool,
}

impl Failure {
    /// Says what an error of the client means for a user.
    pub(super) fn new(
        error: OciDistributionError,
        host: &str,
        auth: &RegistryAuth,
        patience: Duration,
    ) -> Self {
        match error {
            OciDistributionError::RequestError(error) => {
                let cause = root_cause(&error);
                let is_timeout = error.is_timeout();
                // What nobody listens to now, nobody listens to in a second.
                let may_pass = is_timeout || !error.is_connect();
                let error = match (is_timeout, error.is_connect()) {
                    (true, _) => silent(host, patience),
                    (_, true) => unreachable(host, &cause),
                    (_, false) => Error::new(cause)
                        .context(format!("the registry `{host}` broke off in the middle"))
                        .hint("run the command again: what the registry has is not sent twice"),
                };
                Self { error, may_pass }
            }
            OciDistributionError::UnauthorizedError { .. } => Self::refusal(host, auth, ""),
            OciDistributionError::AuthenticationFailure(reason) => {
                Self::refusal(host, auth, &message(&reason))
            }
            OciDistributionError::ServerError {
                code,
                message: text,
                ..
            } => Self::answer(code, &message(&text), host, auth),
            OciDistributionError::RegistryError { envelope, .. } => {
                let error = Error::new(said(&envelope));
                Self {
                    error: error.context(format!("the registry `{host}` refuses")),
                    may_pass: false,
                }
            }
            other => Self {
                error: Error::new(other).context(format!("the registry `{host}` misbehaves")),
                may_pass: true,
            },
        }
    }

    fn answer(code: u16, message: &str, host: &str, auth: &RegistryAuth) -> Self {
        if matches!(code, 401 | 403) {
            return Self::refusal(host, auth, message);
        }
        let may_pass = code >= 500 || matches!(code, 408 | 429);
        let error = Error::new(format!("the registry `{host}` answers {code}: {message}"));
        Self {
            error: match may_pass {
                true => error.hint("try again later: what the registry has is not sent twice"),
                false => error,
            },
            may_pass,
        }
    }

    /// Who pushes is not who may.
    fn refusal(host: &str, auth: &RegistryAuth, message: &str) -> Self {
        let refuses = match auth {
            RegistryAuth::Basic(user, _) => format!("refuses the user `{user}`"),
            RegistryAuth::Bearer(_) => "refuses the token".to_owned(),
            RegistryAuth::Anonymous => "wants a login".to_owned(),
        };
        let message = match message {
            "" => String::new(),
            message => format!(": {message}"),
        };
        let error = Error::new(format!("the registry `{host}` {refuses}{message}"));
        Self {
            error: error.hint(format!(
                "log in with `docker login {host}` or `podman login {host}`: rop reads what they write"
            )),
            may_pass: false,
        }
    }
}

fn silent(host: &str, patience: Duration) -> Error {
    let seconds = patience.as_secs();
    Error::new(format!(
        "the registry `{host}` said nothing for {seconds} s"
    ))
    .hint("wait longer with `--timeout`")
    .hint(NO_REGISTRY)
}

fn unreachable(host: &str, cause: &str) -> Error {
    let hint = if cause.contains("UnknownIssuer") {
        NO_TRUST
    } else if cause.contains("InvalidContentType") {
        "if it has no TLS, use `--insecure`"
    } else if cause.contains("certificate") {
        "fix the certificate of the registry, or use the host name that it is for"
    } else {
        NO_REGISTRY
    };
    let error = Error::new(cause).context(format!("the registry `{host}` cannot be reached"));
    error.hint(hint)
}

/// The innermost error, which is the one that says something.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// What a registry says in the form of the specification, or in its own.
fn message(text: &str) -> String {
    match serde_json::from_str::<OciEnvelope>(text) {
        Ok(envelope) => said(&envelope),
        Err(_) => text.trim().chars().take(500).collect(),
    }
}

fn said(envelope: &OciEnvelope) -> String {
    let messages = envelope.errors.iter().map(|error| match &*error.message {
        "" => format!("{:?}", error.code).to_lowercase(),
        message => message.to_owned(),
    });
    messages.collect::<Vec<_>>().join("; ")
}

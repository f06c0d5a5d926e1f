//! What a registry's failures mean, and the way out of each.

use std::time::Duration;

use reqwest::Url;
use reqwest::header::LOCATION;
use serde::Deserialize;

use crate::error::{Code, Error};
use crate::http::{self, Answer};

use super::authorization::Purpose;
use super::exchange::is_denial;
use super::login::Login;
use super::{Registry, limits};

/// The hint if there may be no network.
pub(crate) const NO_REGISTRY: &str = "check the network, and the name of the registry";

const LONGER: &str = "wait longer with `--timeout`";

const NO_TRUST: &str = "if a private CA signed the certificate, add the CA to this machine's \
    trust store, or on Linux set `SSL_CERT_FILE` to a file with all trusted CAs";

/// Why a registry did not do what was asked.
#[derive(Debug)]
pub(super) enum Fault {
    /// There is no answer, or not a whole one.
    Http(http::Failure),
    /// The answer is an error.
    Status { code: u16, text: String },
    /// A server that the registry redirects to denies access.
    Elsewhere {
        server: String,
        code: u16,
        text: String,
    },
    /// There is no such image.
    Missing(String),
    /// There is no token for the user.
    NoToken(String),
    /// The answer is not what it has to be.
    Broken(Error),
}

impl Fault {
    /// What an answer that is an error says.
    pub(super) async fn of(answer: Answer) -> Self {
        let code = answer.status().as_u16();
        if answer.status().is_redirection() {
            let text = redirect(&answer);
            return Self::Status { code, text };
        }
        let text = answer.beginning(limits::COMPLAINT).await;
        Self::Status { code, text }
    }

    /// The same, of a server that gives no token.
    pub(super) async fn of_token(answer: Answer) -> Self {
        match Self::of(answer).await {
            Self::Status { code, text } if code < 500 => Self::NoToken(text),
            fault => fault,
        }
    }
}

/// What is wrong with a redirect that was not followed: it says nowhere, or what is sent cannot be sent again.
fn redirect(answer: &Answer) -> String {
    let location = answer
        .headers()
        .get(LOCATION)
        .and_then(|location| location.to_str().ok());
    let url = location.and_then(|location| answer.url().join(location).ok());
    match url.as_ref().and_then(Url::host_str) {
        Some(host) => format!("it redirects uploads to `{host}`, which rop does not follow"),
        None => "it redirects without a `Location`".to_owned(),
    }
}

impl From<http::Failure> for Fault {
    fn from(failure: http::Failure) -> Self {
        Self::Http(failure)
    }
}

/// Something that went wrong with a registry.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: Error,
    /// Whether the same may go well a moment later.
    pub(super) may_pass: bool,
}

impl Failure {
    /// Says what a fault means for a user.
    pub(super) fn new(fault: Fault, registry: &Registry) -> Self {
        let host = &*registry.endpoint.host;
        match fault {
            Fault::Http(failure) => Self::connection(failure, registry),
            Fault::Missing(text) => {
                let reported = message(&text);
                let error = Error::new(
                    Code::ImageNotFound,
                    format!("image not found in the registry `{host}`: {reported}"),
                );
                Self::lasting(error.hint("check the image's name, tag and platform"))
            }
            Fault::NoToken(text) => Self::refusal(registry, &message(&text)),
            Fault::Status { code, text } => Self::answer(code, &message(&text), registry),
            Fault::Elsewhere { server, code, text } => {
                let text = message(&text);
                let message = format!(
                    "`{server}`, to which the registry `{host}` redirects, responded {code}: {text}"
                );
                let error = Error::new(Code::RegistryFailed, message);
                Self::lasting(
                    error
                        .hint("ask the registry's administrator: the registry sends clients there"),
                )
            }
            Fault::Broken(error) => {
                Self::lasting(error.context(format!("invalid response from the registry `{host}`")))
            }
        }
    }

    /// What a registry did not do within a time.
    pub(super) fn late(registry: &Registry, time: Duration) -> Self {
        let (host, seconds) = (&registry.endpoint.host, time.as_secs());
        let message = format!("the registry `{host}` did not send everything within {seconds} s");
        Self::lasting(
            Error::new(Code::RegistryTimeout, message)
                .hint(LONGER)
                .hint(NO_REGISTRY),
        )
    }

    /// What does not pass.
    fn lasting(error: Error) -> Self {
        Self {
            error,
            may_pass: false,
        }
    }

    fn connection(failure: http::Failure, registry: &Registry) -> Self {
        let host = &*registry.endpoint.host;
        let cause = failure.cause();
        let misbehaves = |message: String| (Error::new(Code::RegistryFailed, message), false);
        let (error, may_pass) = match failure {
            // A user who waited so long need not wait again.
            http::Failure::Silent(patience) => (silent(host, patience), false),
            http::Failure::Slow(patience) => {
                let timeout = registry.deadline.as_ref().map_or(patience, |it| it.time);
                (slow(host, &cause, timeout), true)
            }
            http::Failure::TooLarge(limit) => misbehaves(format!(
                "the registry `{host}` sent more than the allowed {limit} bytes"
            )),
            http::Failure::LeavesTls(url) => misbehaves(format!(
                "the registry `{host}` redirects from https to `{url}`, which is not allowed"
            )),
            http::Failure::Redirects(most) => misbehaves(format!(
                "the registry `{host}` redirects more than {most} times"
            )),
            // What nobody listens to now, nobody listens to in a second.
            http::Failure::Connection(error) if error.is_connect() => {
                (unreachable(host, &cause), false)
            }
            http::Failure::Connection(_) | http::Failure::Disk(_) => {
                let error = Error::new(Code::RegistryUnreachable, cause)
                    .context(format!("the registry `{host}` closed the connection"))
                    .hint(again(registry, "run the command again"));
                (error, true)
            }
        };
        Self { error, may_pass }
    }

    fn answer(code: u16, message: &str, registry: &Registry) -> Self {
        if is_denial(code) {
            return Self::refusal(registry, message);
        }
        let host = &registry.endpoint.host;
        let may_pass = code >= 500 || matches!(code, 408 | 429);
        let error = Error::new(
            Code::RegistryFailed,
            format!("the registry `{host}` responded {code}: {message}"),
        );
        let error = match code {
            _ if may_pass => error.hint(again(registry, "run the command again later")),
            300..400 => error.hint("use the registry that it redirects to, if you trust it"),
            404 => error.hint("create the repository in the registry first, or check its name"),
            _ => error,
        };
        Self { error, may_pass }
    }

    /// Who pushes is not who may.
    fn refusal(registry: &Registry, message: &str) -> Self {
        let host = &registry.endpoint.host;
        let refuses = match &registry.login {
            Login::Basic { user, .. } => format!("rejected the user `{user}`"),
            Login::Anonymous => "requires a login".to_owned(),
        };
        let message = match message {
            "" => String::new(),
            message => format!(": {message}"),
        };
        let error = Error::new(
            Code::RegistryDenied,
            format!("the registry `{host}` {refuses}{message}"),
        );
        Self::lasting(error.hint(format!(
            "log in with `docker login {host}` or `podman login {host}`: rop uses their credentials"
        )))
    }
}

/// What to do about what passes: nothing is sent twice.
fn again(registry: &Registry, what: &str) -> String {
    match registry.authorization.purpose() {
        Purpose::Push => format!("{what}: uploaded layers are skipped"),
        Purpose::Pull => what.to_owned(),
    }
}

fn silent(host: &str, patience: Duration) -> Error {
    let seconds = patience.as_secs();
    let error = Error::new(
        Code::RegistryTimeout,
        format!("no response from the registry `{host}` for {seconds} s"),
    );
    error.hint(LONGER).hint(NO_REGISTRY)
}

fn slow(host: &str, cause: &str, timeout: Duration) -> Error {
    let error = Error::new(Code::RegistryTimeout, cause)
        .context(format!("the registry `{host}` is too slow"));
    error.hint(format!(
        "on a slow link, wait longer than {} s with `--timeout`",
        timeout.as_secs()
    ))
}

fn unreachable(host: &str, cause: &str) -> Error {
    let hint = if cause.contains("UnknownIssuer") {
        NO_TRUST
    } else if cause.contains("InvalidContentType") {
        "if it has no TLS, use `--insecure`"
    } else if cause.contains("certificate") {
        "fix the registry's certificate, or use the host name in it"
    } else {
        NO_REGISTRY
    };
    let error = Error::new(Code::RegistryUnreachable, cause)
        .context(format!("cannot reach the registry `{host}`"));
    error.hint(hint)
}

/// What a registry says in the form of the specification.
#[derive(Deserialize)]
struct Envelope {
    errors: Vec<Complaint>,
}

#[derive(Deserialize)]
struct Complaint {
    #[serde(default)]
    code: String,
    #[serde(default)]
    message: String,
}

/// What a registry says, in that form or in its own.
fn message(text: &str) -> String {
    let reported = match serde_json::from_str::<Envelope>(text) {
        Ok(envelope) => {
            let complaints = envelope.errors.into_iter();
            let messages = complaints.map(|complaint| match &*complaint.message {
                "" => complaint.code.to_lowercase(),
                _ => complaint.message,
            });
            messages.collect::<Vec<_>>().join("; ")
        }
        Err(_) => text.trim().to_owned(),
    };
    // One line: it is a part of a message.
    let words: Vec<&str> = reported.split_whitespace().collect();
    words.join(" ").chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn what_a_registry_says_is_one_line() {
        for text in [
            r#"{"errors": [{"message": "no\nhint: run"}, {"code": "OTHER"}]}"#,
            "no\n\nhint: run; other\n",
        ] {
            assert_eq!(message(text), "no hint: run; other");
        }
    }
}

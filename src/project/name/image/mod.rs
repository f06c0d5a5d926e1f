mod grammar;

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name};
use grammar::SyntaxError;

/// The registry of an image that names none.
const DEFAULT_REGISTRY: &str = "docker.io";

/// The reference of a container image, such as `nginx:1.29`.
///
/// The grammar is that of the OCI distribution specification, as container engines and kubelets
/// read it; whether there is such an image, nobody asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Image(String);
name!(Image);

impl Image {
    /// The registry, with its port: `docker.io` where the reference names none.
    pub fn registry(&self) -> &str {
        grammar::split(&self.0).registry.unwrap_or(DEFAULT_REGISTRY)
    }

    /// The repository in its registry: `library/nginx` for `nginx`.
    pub fn repository(&self) -> String {
        let parts = grammar::split(&self.0);
        match parts.registry {
            None if !parts.path.contains('/') => format!("library/{}", parts.path),
            _ => parts.path.to_owned(),
        }
    }

    /// The registry and the repository as they were written, without tag and digest.
    pub fn name(&self) -> &str {
        let parts = grammar::split(&self.0);
        let start = parts.registry.map_or(0, |registry| registry.len() + 1);
        &self.0[..start + parts.path.len()]
    }

    /// The tag, where there is one.
    pub fn tag(&self) -> Option<&str> {
        grammar::split(&self.0).tag
    }

    /// The digest, where there is one: `sha256:…`.
    pub fn digest(&self) -> Option<&str> {
        grammar::split(&self.0).digest
    }

    /// The same image under another tag, without a digest.
    #[must_use]
    pub fn with_tag(&self, tag: &Tag) -> Self {
        Self(format!("{}:{}", self.name(), tag.0))
    }
}

impl FromStr for Image {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        match grammar::check(value) {
            Ok(()) => Ok(Self(value.to_owned())),
            Err(fault) => {
                let lower = value.trim().to_ascii_lowercase();
                let error = fault.of("image", value).suggest::<Self>(&lower);
                Err(match without_login(value) {
                    Some(shown) => {
                        NameError::new("image", &shown, "unexpected user or password").hint(LOGIN)
                    }
                    None => error,
                })
            }
        }
    }
}

const LOGIN: &str =
    "leave out the user and the password: log in with `docker login` or `podman login`";

/// A reference without the user and the password that somebody put before its registry, to print. None if it has none.
fn without_login(value: &str) -> Option<String> {
    let is_digest = |digest: &str| {
        ["sha256:", "sha512:"]
            .iter()
            .any(|it| digest.starts_with(it))
    };
    let last = |text: &str| text.rfind('@');
    let digest = last(value).filter(|at| is_digest(&value[at + 1..]));
    let end = digest.unwrap_or(value.len());
    let at = last(&value[..end])?;
    let (before, after) = (&value[..at], &value[at + 1..end]);
    // Else it is a tag or a digest in the wrong place.
    let is_login = after.contains('/') || before.contains(':') && !before.contains('/');
    is_login.then(|| format!("***@{}", &value[at + 1..]))
}

/// The tag of an image, such as `v0.1.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag(String);
name!(Tag);

impl Default for Tag {
    /// What engines take where no tag is named.
    fn default() -> Self {
        Self("latest".into())
    }
}

impl FromStr for Tag {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        match grammar::tag(value, 0) {
            Ok(()) => Ok(Self(value.to_owned())),
            Err(_) if value.is_empty() => Err(NameError::new("tag", value, "must not be empty")),
            Err(mut fault) => {
                fault.rule = fault.rule.replace(" in the tag", "");
                Err(fault.of("tag", value))
            }
        }
    }
}

impl SyntaxError {
    fn of(self, what: &'static str, value: &str) -> NameError {
        let Self { at, rule } = self;
        if value.is_empty() {
            return NameError::new(what, value, rule);
        }
        // What comes before is ASCII, or the fault would be there.
        NameError::new(what, value, format!("{rule} at character {}", at + 1))
    }
}

#[cfg(test)]
mod tests;

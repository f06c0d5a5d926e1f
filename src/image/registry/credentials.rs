//! What `docker login` and `podman login` left: names and passwords, or programs that know them.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use docker_credential::{CredentialRetrievalError as Missing, DockerCredential};
use serde_json::{Map, Value};

use crate::error::{Code, Context, Error, Result};

use super::helper;
use super::login::Login;

/// What such a file may have.
const MOST: u64 = 16 * 1024 * 1024;

/// The names that a registry has in the files of docker and podman.
fn names(host: &str) -> [&str; 2] {
    match host {
        "docker.io" => ["https://index.docker.io/v1/", "docker.io"],
        host => [host, host],
    }
}

/// The user's credentials for a registry: those of docker, or else of podman, or none. A helper may take as long as
/// `patience`.
///
/// # Errors
/// There are some that cannot be read.
pub(super) fn of(host: &str, patience: Duration) -> Result<Login> {
    let files = [docker_file(), podman_file()];
    for (file, server) in files.into_iter().zip(names(host)) {
        let found = file
            .map_or(Ok(None), |file| in_file(file, server, patience))
            .map_err(|e| e.context(format!("failed to read the login for `{host}`")))?;
        match found {
            Some(DockerCredential::IdentityToken(_)) => {
                return Err(Error::new(
                    Code::UnusableLogin,
                    format!(
                        "the login for `{host}` is an identity token, which rop does not support"
                    ),
                )
                .hint(format!(
                    "log in with a user name and password: `docker login --username \
                    NAME {host}`"
                )));
            }
            Some(DockerCredential::UsernamePassword(user, password)) => {
                return Ok(Login::Basic { user, password });
            }
            None => {}
        }
    }
    Ok(Login::Anonymous)
}

/// What a file has for a server: what the helper for it says, or the file itself, or the helper for all.
fn in_file(path: PathBuf, server: &str, patience: Duration) -> Result<Option<DockerCredential>> {
    let Ok(file) = File::open(&path) else {
        return Ok(None);
    };
    let wrong = || format!("`{}` is not a docker configuration", path.display());
    let read = serde_json::from_reader(file.take(MOST));
    let mut config: Map<String, Value> =
        read.map_err(|_| Error::new(Code::UnusableLogin, wrong()))?;
    let name = |value: Option<Value>| value?.as_str().map(str::to_owned);
    let helpers = config.remove("credHelpers");
    let own = name(helpers.and_then(|mut helpers| Some(helpers.get_mut(server)?.take())));
    let store = name(config.remove("credsStore"));
    let ask = |name: String| helper::credential(&name, server, patience);
    if let Some(own) = own.filter(|own| !own.is_empty()) {
        return ask(own);
    }
    let rest = serde_json::to_vec(&config).context(Code::UnusableLogin, wrong)?;
    match docker_credential::get_credential_from_reader(&*rest, server) {
        Ok(credential) => Ok(Some(credential)),
        Err(Missing::NoCredentialConfigured) => store.map_or(Ok(None), ask),
        Err(Missing::ConfigReadError) => Err(Error::new(Code::UnusableLogin, wrong())),
        Err(other) => Err(Error::new(Code::UnusableLogin, other)),
    }
}

fn docker_folder() -> Option<PathBuf> {
    let named = std::env::var_os("DOCKER_CONFIG").map(PathBuf::from);
    named.or_else(|| Some(std::env::home_dir()?.join(".docker")))
}

fn docker_file() -> Option<PathBuf> {
    Some(docker_folder()?.join("config.json"))
}

/// Where `podman login` writes, by containers-auth.json(5).
fn podman_file() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let own = || {
        let (folder, path) = if cfg!(target_os = "linux") {
            (variable("XDG_RUNTIME_DIR"), "containers/auth.json")
        } else {
            (std::env::home_dir(), ".config/containers/auth.json")
        };
        folder
            .map(|folder| folder.join(path))
            .filter(|path| path.is_file())
    };
    variable("REGISTRY_AUTH_FILE")
        .or_else(own)
        .or_else(|| Some(docker_folder()?.join("containers/auth.json")))
}

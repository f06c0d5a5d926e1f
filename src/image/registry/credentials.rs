//! What `docker login` and `podman login` left: names and passwords, or programs that know them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
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

/// A file with logins.
pub(crate) struct LoginFile {
    pub(crate) path: PathBuf,
    /// What is in it; nothing if it is no docker configuration.
    pub(crate) logins: Option<Logins>,
}

/// What a file says of logins, without secrets.
#[derive(Default)]
pub(crate) struct Logins {
    /// The registries that it names.
    pub(crate) registries: Vec<String>,
    /// The credential helpers that it names, by the ends of their names.
    pub(crate) helpers: Vec<String>,
    /// The one for all registries.
    pub(crate) store: Option<String>,
}

/// The files with logins that exist. No helper is asked.
pub(crate) fn login_files() -> Vec<LoginFile> {
    let files = [docker_file(), podman_file()]
        .into_iter()
        .flatten()
        .filter(|path| path.is_file());
    files
        .map(|path| LoginFile {
            logins: config(&path).ok().as_ref().map(Logins::of),
            path,
        })
        .collect()
}

impl Logins {
    fn of(config: &Map<String, Value>) -> Self {
        let table = |name: &str| config.get(name).and_then(Value::as_object);
        let keys = |name: &str| table(name).into_iter().flat_map(Map::keys).cloned();
        let text = |value: &Value| {
            value
                .as_str()
                .filter(|it| !it.is_empty())
                .map(str::to_owned)
        };
        let store = config.get("credsStore").and_then(text);
        let own = table("credHelpers").into_iter().flat_map(Map::values);
        Self {
            registries: keys("auths").chain(keys("credHelpers")).collect(),
            helpers: own.filter_map(text).chain(store.clone()).collect(),
            store,
        }
    }
}

/// Reads a file with logins.
fn config(path: &Path) -> Result<Map<String, Value>> {
    let file = File::open(path).unreadable(path.display())?;
    serde_json::from_reader(file.take(MOST)).map_err(|_| not_a_config(path))
}

fn not_a_config(path: &Path) -> Error {
    let message = format!("`{}` is not a docker configuration", path.display());
    Error::new(Code::UnusableLogin, message)
}

/// What a file has for a server: what the helper for it says, or the file itself, or the helper for all.
fn in_file(path: PathBuf, server: &str, patience: Duration) -> Result<Option<DockerCredential>> {
    let mut config = match config(&path) {
        Err(error) if error.code() == Code::UnreadableFile => return Ok(None),
        config => config?,
    };
    let name = |value: Option<Value>| value?.as_str().map(str::to_owned);
    let helpers = config.remove("credHelpers");
    let own = name(helpers.and_then(|mut helpers| Some(helpers.get_mut(server)?.take())));
    let store = name(config.remove("credsStore"));
    let ask = |name: String| helper::credential(&name, server, patience);
    if let Some(own) = own.filter(|own| !own.is_empty()) {
        return ask(own);
    }
    let rest = serde_json::to_vec(&config).map_err(|_| not_a_config(&path))?;
    match docker_credential::get_credential_from_reader(&*rest, server) {
        Ok(credential) => Ok(Some(credential)),
        Err(Missing::NoCredentialConfigured) => store.map_or(Ok(None), ask),
        Err(Missing::ConfigReadError) => Err(not_a_config(&path)),
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

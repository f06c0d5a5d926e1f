//! What `docker login` and `podman login` left: names and passwords, or programs that know them.

use std::path::PathBuf;

use docker_credential::{CredentialRetrievalError as Missing, DockerCredential};
use oci_client::secrets::RegistryAuth;

use crate::error::{Error, Result};

/// The names that a registry has in the user's files.
fn names(host: &str) -> [&str; 2] {
    match host {
        "docker.io" => ["https://index.docker.io/v1/", "docker.io"],
        host => [host, host],
    }
}

/// The user's credentials for a registry: those of docker, or else of podman, or none.
///
/// # Errors
/// There are some that cannot be read.
pub(super) fn of(host: &str) -> Result<RegistryAuth> {
    let [docker, podman] = names(host);
    let docker =
        docker_credential::get_credential(docker).map_err(|e| unless_missing(e, docker_config));
    let podman =
        || docker_credential::get_podman_credential(podman).map_err(|e| unless_missing(e, || None));
    let found = docker.or_else(|error| error.map_or_else(podman, |error| Err(Some(error))));
    match found {
        Ok(DockerCredential::UsernamePassword(user, password)) => {
            Ok(RegistryAuth::Basic(user, password))
        }
        Ok(DockerCredential::IdentityToken(_)) => Err(Error::new(format!(
            "the login for `{host}` is an identity token, which rop cannot use"
        ))
        .hint(format!("log in with a name and a password or access token: `docker login --username NAME {host}`"))),
        Err(None) => Ok(RegistryAuth::Anonymous),
        Err(Some(error)) => Err(error.context(format!("failed to find the login for `{host}`"))),
    }
}

/// What is wrong with the credentials, unless there are just none.
fn unless_missing(error: Missing, file: impl Fn() -> Option<PathBuf>) -> Option<Error> {
    match error {
        Missing::NoCredentialConfigured | Missing::ConfigNotFound => None,
        Missing::ConfigReadError => {
            let file = file().filter(|file| file.exists())?;
            Some(Error::new(format!("`{}` is not what docker writes", file.display())))
        }
        // A helper that works and knows nothing of the registry.
        Missing::HelperFailure { ref stdout, .. } if stdout.contains("credentials not found") => None,
        Missing::HelperFailure { helper, stdout, stderr } => {
            let said = [stdout.trim(), stderr.trim()].join(" ");
            Some(Error::new(format!("`{helper}` says: {}", said.trim())))
        }
        Missing::HelperCommunicationError => Some(
            Error::new("the credential helper that the login names does not start")
                .hint("put `docker-credential-…` on PATH, as `credsStore` or `credHelpers` in the file names it"),
        ),
        other => Some(Error::new(other)),
    }
}

fn docker_config() -> Option<PathBuf> {
    let named = std::env::var_os("DOCKER_CONFIG").map(PathBuf::from);
    let folder = named.or_else(|| Some(std::env::home_dir()?.join(".docker")))?;
    Some(folder.join("config.json"))
}

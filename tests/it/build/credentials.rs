//! Logins: what `docker login` and `podman login` leave.

use serde_json::json;

use super::Quick;
use crate::support::Outcome;
use crate::support::registry::Double;
use crate::support::tools::install;

/// `user:password` as the header has it.
const LOGIN: &str = "dXNlcjpwYXNzd29yZA==";
const HEADER: &str = "Basic dXNlcjpwYXNzd29yZA==";

/// A helper that knows one login, and says of others what docker's say.
const HELPER: &str = r#"#!/bin/sh
read -r server
if [ "$server" = "$KNOWN" ]; then
    echo '{"ServerURL":"x","Username":"user","Secret":"password"}'
else
    echo 'credentials not found in native keychain'
    exit 1
fi
"#;

impl Quick {
    /// Writes docker's file.
    fn docker_config(&self, text: &str) {
        std::fs::create_dir_all(self.bin.join("docker")).expect("a folder");
        std::fs::write(self.bin.join("docker/config.json"), text).expect("a file");
    }
}

fn push(quick: &Quick, registry: &Double, known: &str) -> Outcome {
    let host = registry.host();
    let mut command = quick.command(&format!("build --engine none --push {host}/a/b:v1 --quiet"));
    let outcome = quick.world.run(command.env("KNOWN", known));
    Outcome {
        stderr: outcome.stderr.replace(&host, "[HOST]"),
        ..outcome
    }
}

#[test]
fn none() {
    let (registry, quick) = (Double::with_login(HEADER), Quick::new());
    insta::assert_snapshot!(push(&quick, &registry, "").exits(1), @"
    exit: 1
    --- stderr
    error[registry-denied]: the registry `[HOST]` requires a login
    hint: log in with `docker login [HOST]` or `podman login [HOST]`: rop uses their credentials
    ");
    assert_eq!(registry.tags(), Vec::<String>::new());
}

#[test]
fn in_a_file() {
    let (registry, quick) = (Double::with_login(HEADER), Quick::new());
    quick.docker_config(&json!({"auths": {registry.host(): {"auth": LOGIN}}}).to_string());
    push(&quick, &registry, "").ok();
    assert_eq!(registry.tags(), ["a/b/v1"]);
}

#[test]
fn the_wrong_one() {
    let (registry, quick) = (Double::with_login("Basic other"), Quick::new());
    quick.docker_config(&json!({"auths": {registry.host(): {"auth": LOGIN}}}).to_string());
    insta::assert_snapshot!(push(&quick, &registry, "").exits(1), @"
    exit: 1
    --- stderr
    error[registry-denied]: the registry `[HOST]` rejected the user `user`
    hint: log in with `docker login [HOST]` or `podman login [HOST]`: rop uses their credentials
    ");
}

/// As registries of many have it: a server of their own knows the logins, and gives tokens for them.
#[test]
fn for_a_token() {
    let (registry, quick) = (Double::with_tokens(HEADER), Quick::new());
    quick.docker_config(&json!({"auths": {registry.host(): {"auth": LOGIN}}}).to_string());
    push(&quick, &registry, "").ok();
    assert_eq!(registry.tags(), ["a/b/v1"]);
    let asked = "GET /token?scope=repository%3Aa%2Fb%3Apull%2Cpush&service=test";
    assert_eq!(registry.count(asked), 1, "a token is used again");
}

#[test]
fn the_wrong_one_for_a_token() {
    let (registry, quick) = (Double::with_tokens("Basic other"), Quick::new());
    quick.docker_config(&json!({"auths": {registry.host(): {"auth": LOGIN}}}).to_string());
    insta::assert_snapshot!(push(&quick, &registry, "").exits(1), @"
    exit: 1
    --- stderr
    error[registry-denied]: the registry `[HOST]` rejected the user `user`: who is there?
    hint: log in with `docker login [HOST]` or `podman login [HOST]`: rop uses their credentials
    ");
    assert_eq!(registry.count("POST "), 0);
    assert_eq!(registry.tags(), Vec::<String>::new());
    assert_eq!(quick.builds(), Vec::<String>::new());
}

#[test]
fn none_for_a_token() {
    let (registry, quick) = (Double::with_tokens(HEADER), Quick::new());
    insta::assert_snapshot!(push(&quick, &registry, "").exits(1), @"
    exit: 1
    --- stderr
    error[registry-denied]: the registry `[HOST]` requires a login: who is there?
    hint: log in with `docker login [HOST]` or `podman login [HOST]`: rop uses their credentials
    ");
    assert_eq!(registry.tags(), Vec::<String>::new());
}

#[test]
fn from_a_helper() {
    for config in [
        json!({"credsStore": "test"}),
        json!({"credHelpers": {"HOST": "test"}}),
    ] {
        let (registry, quick) = (Double::with_login(HEADER), Quick::new());
        let host = registry.host();
        quick.docker_config(&config.to_string().replace("HOST", &host));
        insta::allow_duplicates! {
            insta::assert_snapshot!(push(&quick, &registry, &host).exits(1), @"
            exit: 1
            --- stderr
            error[credential-helper-failed]: failed to read the login for `[HOST]`
              caused by: failed to start the credential helper `docker-credential-test`
              caused by: No such file or directory (os error 2)
            hint: put the `docker-credential-…` program of `credsStore` or `credHelpers` on PATH
            ");
        }
        quick.install("docker-credential-test", HELPER);
        push(&quick, &registry, &host).ok();
        let open = Double::start();
        push(&quick, &open, "somebody else").ok();
    }
}

/// A folder of PATH that is relative leads into the project, and whoever wrote that may have put a helper there.
#[test]
fn from_a_helper_of_the_project() {
    let (registry, quick) = (Double::with_login(HEADER), Quick::new());
    let host = registry.host();
    quick.docker_config(&json!({"credsStore": "test"}).to_string());
    install(&quick.world.path(), "docker-credential-test", HELPER);
    for path in ["", "."] {
        let mut command = quick.command(&format!("build --engine none --push {host}/a/b:v1"));
        let set = command.get_envs().find(|(name, _)| *name == "PATH");
        let mut folders = set.and_then(|(_, value)| value).expect("a PATH").to_owned();
        folders.push(":");
        folders.push(path);
        command.env("PATH", folders).env("KNOWN", &host);
        quick
            .world
            .run(&mut command)
            .exits(1)
            .says("failed to start the credential helper `docker-credential-test`");
    }
}

#[test]
fn of_podman() {
    let (registry, quick) = (Double::with_login(HEADER), Quick::new());
    let file = quick.bin.join("auth.json");
    std::fs::write(
        &file,
        json!({"auths": {registry.host(): {"auth": LOGIN}}}).to_string(),
    )
    .expect("a file");
    let mut command = quick.command(&format!(
        "build --engine none --push {}/a/b:v1",
        registry.host()
    ));
    quick
        .world
        .run(command.env("REGISTRY_AUTH_FILE", file))
        .ok();
}

#[test]
fn that_cannot_be_read() {
    let (registry, quick) = (Double::start(), Quick::new());
    quick.docker_config("not JSON");
    insta::assert_snapshot!(push(&quick, &registry, "").exits(1), @"
    exit: 1
    --- stderr
    error[unusable-login]: failed to read the login for `[HOST]`
      caused by: `[DIR]/bin/docker/config.json` is not a docker configuration
    ");
    quick.docker_config(&json!({"auths": {registry.host(): {"identitytoken": "x"}}}).to_string());
    insta::assert_snapshot!(push(&quick, &registry, "").exits(1), @"
    exit: 1
    --- stderr
    error[unusable-login]: the login for `[HOST]` is an identity token, which rop does not support
    hint: log in with a user name and password: `docker login --username NAME [HOST]`
    ");
}

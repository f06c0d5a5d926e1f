//! Registries with TLS: whose word counts for them.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::Quick;
use crate::support::Outcome;
use crate::support::registry::Real;
use crate::support::tools::tools;

/// An authority that no machine knows, and a certificate that it signed.
struct Authority {
    dir: TempDir,
}

impl Authority {
    /// One that signs for `name`, in the words of OpenSSL. `None` where there is no OpenSSL.
    fn new(name: &str) -> Option<Self> {
        let [openssl] = tools(["openssl"])?;
        let this = Self {
            dir: TempDir::new().expect("a temporary directory"),
        };
        let make = |arguments: &str| {
            let mut command = Command::new(&openssl);
            let arguments =
                format!("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes {arguments}");
            command
                .args(arguments.split(' '))
                .current_dir(this.dir.path());
            let output = command.output().expect("openssl starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
        };
        make("-subj /CN=authority -keyout ca.key -out ca.crt");
        make(&format!(
            "-subj /CN=registry -addext subjectAltName={name} -addext basicConstraints=CA:FALSE -CA ca.crt -CAkey ca.key -keyout registry.key -out registry.crt"
        ));
        Some(this)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

/// A registry that shows a certificate for `name`, and who signed it.
fn registry(name: &str) -> Option<(Real, Authority)> {
    let authority = Authority::new(name)?;
    let [certificate, key] = ["registry.crt", "registry.key"].map(|name| authority.file(name));
    Some((Real::with_tls(&certificate, &key)?, authority))
}

fn push(quick: &Quick, registry: &Real, flags: &str, trusted: Option<&Path>) -> Outcome {
    let host = registry.host();
    let mut command = quick.command(&format!(
        "build --engine none --push {host}/a/b:v1 --quiet {flags}"
    ));
    command.envs(trusted.map(|file| ("SSL_CERT_FILE", file)));
    let outcome = quick.world.run(&mut command);
    Outcome {
        stderr: outcome.stderr.replace(&host, "[HOST]"),
        stdout: outcome.stdout.replace(&host, "[HOST]"),
        ..outcome
    }
}

#[test]
fn an_authority_is_trusted_or_not() {
    let Some((registry, authority)) = registry("IP:127.0.0.1") else {
        return;
    };
    let quick = Quick::new();
    insta::assert_snapshot!(push(&quick, &registry, "", None).exits(1), @"
    exit: 1
    --- stderr
    error[registry-unreachable]: cannot reach the registry `[HOST]`
      caused by: invalid peer certificate: UnknownIssuer
    hint: if a private CA signed the certificate, add the CA to this machine's trust store, or on Linux set `SSL_CERT_FILE` to a file with all trusted CAs
    ");
    assert_eq!(quick.builds(), Vec::<String>::new());
    push(&quick, &registry, "", Some(&authority.file("ca.crt"))).ok();
    insta::assert_snapshot!(push(&quick, &registry, "--insecure", None).exits(1), @"
    exit: 1
    --- stderr
    error[registry-failed]: the registry `[HOST]` responded 400: Client sent an HTTP request to an HTTPS server.
    ");
}

#[test]
fn a_certificate_of_another() {
    let Some((registry, authority)) = registry("DNS:example.com") else {
        return;
    };
    let (quick, trusted) = (Quick::new(), authority.file("ca.crt"));
    insta::assert_snapshot!(push(&quick, &registry, "", Some(&trusted)).exits(1), @r#"
    exit: 1
    --- stderr
    error[registry-unreachable]: cannot reach the registry `[HOST]`
      caused by: invalid peer certificate: certificate not valid for name "127.0.0.1"; certificate is only valid for DnsName("example.com")
    hint: fix the registry's certificate, or use the host name in it
    "#);
}

/// Some containers have no certificates at all.
#[test]
fn a_machine_that_trusts_nobody() {
    let Some((registry, authority)) = registry("IP:127.0.0.1") else {
        return;
    };
    let (quick, nothing) = (Quick::new(), authority.file("none"));
    insta::assert_snapshot!(push(&quick, &registry, "", Some(&nothing)).exits(1), @"
    exit: 1
    --- stderr
    error[tls-failed]: failed to set up TLS
      caused by: builder error
      caused by: unexpected error: No CA certificates were loaded from the system
    hint: on Linux, install the package `ca-certificates`, or set `SSL_CERT_FILE` to a file of CA certificates
    ");
}

//! Registries that want harm: no answer is read without end, secrets go nowhere else, and https is not left.

use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};

use super::Quick;
use crate::support::Outcome;
use crate::support::hostile::{Hostile, Reply};

/// What may have been taken of an endless answer: the limit, and what sockets hold.
const DOCUMENT: u64 = 16 * 1024 * 1024;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

fn pull(quick: &Quick, registry: &Hostile, flags: &str) -> Outcome {
    let host = registry.host();
    let outcome = quick.rop(&format!(
        "build a --engine none --output oci:out --base {host}/base:v1 --quiet {flags}"
    ));
    without(&host, outcome.exits(1))
}

fn push(quick: &Quick, registry: &Hostile, flags: &str) -> Outcome {
    let host = registry.host();
    let outcome = quick.rop(&format!(
        "build --engine none --push {host}/a/b:v1 --quiet {flags}"
    ));
    without(&host, outcome.exits(1))
}

fn without(host: &str, outcome: Outcome) -> Outcome {
    Outcome {
        stderr: outcome.stderr.replace(host, "[HOST]"),
        ..outcome
    }
}

fn digest(data: &[u8]) -> String {
    let digits: String = Sha256::digest(data)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("sha256:{digits}")
}

/// A manifest with one layer, of which it tells a size and a digest, and its configuration.
fn manifest(layer: &str, size: u64) -> (Vec<u8>, Vec<u8>) {
    let architecture = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "amd64",
    };
    let config = json!({
        "architecture": architecture, "os": "linux",
        "rootfs": {"type": "layers", "diff_ids": [layer]},
    });
    let config = config.to_string().into_bytes();
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {
            "mediaType": "application/vnd.oci.image.config.v1+json",
            "digest": digest(&config), "size": config.len(),
        },
        "layers": [{
            "mediaType": "application/vnd.oci.image.layer.v1.tar",
            "digest": layer, "size": size,
        }],
    });
    (manifest.to_string().into_bytes(), config)
}

/// A registry whose manifest leads to one layer, which it hands out as `layer` says.
fn with_layer(of: &[u8], size: u64, layer: Reply) -> Hostile {
    let name = digest(of);
    let (manifest, config) = manifest(&name, size);
    let configuration = digest(&config);
    Hostile::start(move |_, line| match line {
        line if line.contains("/manifests/") => Reply::whole("200 OK", manifest.clone()),
        line if line.contains(&configuration) => Reply::whole("200 OK", config.clone()),
        line if line.contains("/blobs/") => layer.clone(),
        _ => Reply::whole("200 OK", ""),
    })
}

/// A server at `at` that answers as `reply` says, and all else as a registry that takes everything.
fn at(at: &'static str, reply: Reply) -> Hostile {
    Hostile::start(move |_, line| match line {
        line if line.contains(at) => reply.clone(),
        line if line.starts_with("HEAD ") => Reply::whole("404 Not Found", ""),
        line if line.starts_with("POST ") => {
            Reply::whole("202 Accepted\r\nLocation: /v2/a/b/blobs/uploads/1", "")
        }
        line if line.starts_with("PUT ") => Reply::whole("201 Created\r\nLocation: /", ""),
        _ => Reply::whole("200 OK", ""),
    })
}

#[test]
fn endless_manifests_are_not_read_to_their_end() {
    let quick = Quick::new();
    let registry = at("/manifests/", Reply::endless("200 OK"));
    insta::assert_snapshot!(pull(&quick, &registry, ""), @"
    exit: 1
    --- stderr
    error[registry-failed]: failed to pull the base image `[HOST]/base:v1`
      caused by: the registry `[HOST]` sent more than the allowed 4194304 bytes
    ");
    assert!(registry.sent() < DOCUMENT, "{}", registry.sent());
}

#[test]
fn endless_errors_are_not_read_to_their_end() {
    let quick = Quick::new();
    for (place, status) in [("GET /v2/", "500 No"), ("/manifests/", "404 Not Found")] {
        let registry = at(place, Reply::endless(status));
        pull(&quick, &registry, "");
        // Some are asked for four times.
        assert!(registry.sent() < 4 * DOCUMENT, "{}", registry.sent());
    }
    for place in ["POST ", "PUT /v2/a/b/blobs/", "PUT /v2/a/b/manifests/"] {
        let registry = at(place, Reply::endless("403 Forbidden"));
        push(&quick, &registry, "");
        assert!(registry.sent() < DOCUMENT, "{}", registry.sent());
    }
}

#[test]
fn endless_headers_are_not_read_to_their_end() {
    let (quick, registry) = (Quick::new(), at("/manifests/", Reply::headers()));
    pull(&quick, &registry, "");
    assert!(registry.sent() < 4 * DOCUMENT, "{}", registry.sent());
}

#[test]
fn a_layer_has_the_size_that_its_manifest_says() {
    let quick = Quick::new();
    let registry = with_layer(b"layer", 5, Reply::endless("200 OK"));
    insta::assert_snapshot!(pull(&quick, &registry, ""), @"
    exit: 1
    --- stderr
    error[registry-failed]: failed to pull the base image `[HOST]/base:v1`
      caused by: the registry `[HOST]` sent more than the allowed 5 bytes
    ");
    assert!(registry.sent() < DOCUMENT, "{}", registry.sent());
    let registry = with_layer(b"layer", 6, Reply::whole("200 OK", "layer"));
    insta::assert_snapshot!(pull(&quick, &registry, "").stderr, @"
    error[registry-failed]: failed to pull the base image `[HOST]/base:v1`
      caused by: invalid response from the registry `[HOST]`
      caused by: `sha256:dac1d7cfa95021764849fd102524e141488c5e3a90f861dbb5a12d9ac8584f85` has 5 bytes, but the manifest says 6
    ");
    let registry = with_layer(b"layer", 5, Reply::whole("200 OK", "later"));
    insta::assert_snapshot!(pull(&quick, &registry, "").stderr, @"
    error[registry-failed]: failed to pull the base image `[HOST]/base:v1`
      caused by: invalid response from the registry `[HOST]`
      caused by: it sent `sha256:1d9283d848ea941ace1fe0d2378ef8b70056a0d4d1648b95a322d90163e78285` instead of `sha256:dac1d7cfa95021764849fd102524e141488c5e3a90f861dbb5a12d9ac8584f85`
    ");
}

/// What a manifest says of sizes is held against limits before anything of it is asked for.
#[test]
fn a_manifest_cannot_ask_for_all_memory() {
    let quick = Quick::new();
    let registry = with_layer(b"layer", u64::MAX, Reply::endless("200 OK"));
    insta::assert_snapshot!(pull(&quick, &registry, ""), @"
    exit: 1
    --- stderr
    error[unusable-base-image]: failed to pull the base image `[HOST]/base:v1`
      caused by: the base image has layers of 18446744073709.5 MB; the limit is 4294.9 MB
    hint: use a smaller base image, or build with an engine: `--engine docker`
    ");
    assert!(
        registry
            .requests()
            .iter()
            .all(|request| !request.contains("/blobs/"))
    );
}

#[test]
fn digests_are_no_paths() {
    let quick = Quick::new();
    let (manifest, _) = manifest("sha256:../../../../x", 5);
    let registry = at("/manifests/", Reply::whole("200 OK", manifest.clone()));
    pull(&quick, &registry, "");
    assert!(
        registry
            .requests()
            .iter()
            .all(|request| !request.contains("/x "))
    );
    let text = String::from_utf8(manifest).expect("text");
    let short = text.replace("sha256:", "md5:");
    let registry = at("/manifests/", Reply::whole("200 OK", short));
    let outcome = pull(&quick, &registry, "");
    let is_told = outcome.stderr.contains("invalid digest `md5:");
    assert!(is_told, "{outcome}");
}

/// What an index names is asked for by its digest, and compared with it.
#[test]
fn an_index_names_digests() {
    let quick = Quick::new();
    let (manifest, _) = manifest(&digest(b"layer"), 5);
    let sha512 = "sha512:".to_owned() + &"0".repeat(128);
    let cases = [
        (
            "../../../v2/secret/manifests/x",
            "invalid digest `../../../v2/secret/manifests/x`",
        ),
        (
            "nodigest",
            "invalid digest `nodigest`: expected SHA-256 or SHA-512",
        ),
        ("sha256:../../x", "invalid digest `sha256:../../x`"),
        (&*sha512, "it sent `sha512:"),
    ];
    for (named, told) in cases {
        let platform = |architecture| json!({"digest": named, "platform": {"os": "linux", "architecture": architecture}});
        let index = json!({"manifests": [platform("amd64"), platform("arm64")]}).to_string();
        let manifest = manifest.clone();
        let registry = Hostile::start(move |_, line| match line {
            line if line.contains("base/manifests/v1") => Reply::whole("200 OK", index.clone()),
            _ => Reply::whole("200 OK", manifest.clone()),
        });
        let outcome = pull(&quick, &registry, "");
        assert!(outcome.stderr.contains(told), "{outcome}");
        let requests = registry.requests();
        let asked = |place: &str| requests.iter().any(|request| request.contains(place));
        assert!(
            !asked("secret") && !asked("nodigest") && !asked("/x "),
            "{requests:?}"
        );
    }
}

/// A byte now and then is no progress.
#[test]
fn a_byte_now_and_then_does_not_hold_a_command() {
    let quick = Quick::new();
    let pause = Duration::from_millis(50);
    let endless = "200 OK\r\nContent-Length: 4000000\r\n\r\n".to_owned();
    let registry = at("/manifests/", Reply::Drip(endless, pause));
    insta::assert_snapshot!(pull(&quick, &registry, "--timeout 1"), @"
    exit: 1
    --- stderr
    error[registry-timeout]: failed to pull the base image `[HOST]/base:v1`
      caused by: the registry `[HOST]` is too slow
      caused by: less than 1024 bytes a second for 1 s
    hint: on a slow link, wait longer than 1 s with `--timeout`
    ");
    let in_head = at(
        "/manifests/",
        Reply::Drip("200 OK\r\nX: ".to_owned(), pause),
    );
    pull(&quick, &in_head, "--timeout 1");
    assert!(in_head.sent() < 1000, "{}", in_head.sent());
}

#[test]
fn redirects_end() {
    let quick = Quick::new();
    let registry = Hostile::start(|port, _| {
        let location = format!("302 Found\r\nLocation: http://127.0.0.1:{port}/again");
        Reply::whole(location, "")
    });
    insta::assert_snapshot!(pull(&quick, &registry, "").stderr, @"
    error[registry-failed]: failed to pull the base image `[HOST]/base:v1`
      caused by: the registry `[HOST]` redirects more than 10 times
    ");
    assert!(registry.requests().len() < 50);
}

/// Leaves a login for a registry, as docker does.
fn log_in(quick: &Quick, registry: &Hostile) {
    let login = json!({"auths": {registry.host(): {"auth": "dXNlcjpwYXNzd29yZA=="}}});
    std::fs::create_dir_all(quick.bin.join("docker")).expect("a folder");
    let file = quick.bin.join("docker/config.json");
    std::fs::write(file, login.to_string()).expect("a file");
}

/// A registry that sends logins to `realm`, and what was asked for there.
fn with_realm(quick: &Quick, realm: &str) -> (Outcome, Hostile) {
    let realm = realm.to_owned();
    let registry = Hostile::start(move |_, _| {
        let challenge = format!("WWW-Authenticate: Bearer realm=\"{realm}\",service=\"x\"");
        Reply::whole(format!("401 Unauthorized\r\n{challenge}"), "")
    });
    log_in(quick, &registry);
    (push(quick, &registry, ""), registry)
}

#[test]
fn logins_are_not_sent_without_tls() {
    let quick = Quick::new();
    let (outcome, _) = with_realm(&quick, "http://tokens.invalid/token");
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[registry-failed]: invalid response from the registry `[HOST]`
      caused by: its token server `http://tokens.invalid/token` has no TLS
    hint: ask the registry's administrator for a token server with https
    ");
    let (outcome, _) = with_realm(&quick, "file:///etc/passwd");
    assert!(
        outcome.stderr.contains("`file:///etc/passwd` has no TLS"),
        "{outcome}"
    );
}

#[test]
fn answers_with_tokens_are_not_read_to_their_end() {
    let quick = Quick::new();
    let tokens = at("/token", Reply::endless("200 OK"));
    let (outcome, _) = with_realm(&quick, &format!("http://{}/token", tokens.host()));
    assert!(outcome.stderr.contains("sent more than"), "{outcome}");
    assert!(tokens.sent() < DOCUMENT, "{}", tokens.sent());
    let token = format!("{{\"token\": \"{}\\n\"}}", "a".repeat(100));
    let tokens = at("/token", Reply::whole("200 OK", token));
    let (outcome, _) = with_realm(&quick, &format!("http://{}/token", tokens.host()));
    assert!(outcome.stderr.contains("returned no token"), "{outcome}");
}

/// Where a redirect or the place of an upload is on another server, the login stays behind.
#[test]
fn logins_stay_with_the_registry() {
    let quick = Quick::new();
    let other = at("GET ", Reply::whole("404 Not Found", ""));
    let place = format!("302 Found\r\nLocation: http://{}/manifest", other.host());
    let registry = Hostile::start(move |_, line| {
        if line.contains("/manifests/") {
            Reply::whole(&*place, "")
        } else {
            Reply::whole(
                "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"",
                "",
            )
        }
    });
    log_in(&quick, &registry);
    pull(&quick, &registry, "");
    let has_login = |request: &String| request.to_lowercase().contains("authorization:");
    assert!(registry.requests().iter().any(has_login));
    assert!(!other.requests().is_empty());
    assert!(
        !other.requests().iter().any(has_login),
        "{:?}",
        other.requests()
    );

    let other = at("PUT ", Reply::whole("201 Created", ""));
    let place = format!("202 Accepted\r\nLocation: http://{}/upload", other.host());
    let registry = Hostile::start(move |_, line| match line {
        line if line.starts_with("POST ") => Reply::whole(&*place, ""),
        line if line.starts_with("PUT ") => Reply::whole("403 Forbidden", ""),
        line if line.starts_with("GET ") => Reply::whole(
            "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"",
            "",
        ),
        _ => Reply::whole("404 Not Found", ""),
    });
    log_in(&quick, &registry);
    push(&quick, &registry, "");
    assert!(registry.requests().iter().any(has_login));
    assert!(!other.requests().is_empty());
    assert!(
        !other.requests().iter().any(has_login),
        "{:?}",
        other.requests()
    );
}

/// A registry with TLS that answers a request with a place without TLS, and what came there.
#[test]
fn https_is_not_left() {
    let quick = Quick::new();
    let file = quick.bin.join("authority.pem");
    let run = |arguments: &str| {
        let mut command = quick.command(arguments);
        quick
            .world
            .run(command.env("SSL_CERT_FILE", &file))
            .exits(1)
    };
    let other = at("/", Reply::whole("200 OK", ""));
    let place = format!("Location: http://{}/place", other.host());
    let redirect = format!("302 Found\r\n{place}");
    let (registry, authority) = Hostile::with_tls(move |_, line| match line {
        line if line.contains("/manifests/") => Reply::whole(&*redirect, ""),
        _ => Reply::whole("200 OK", ""),
    });
    std::fs::write(&file, authority).expect("a file");
    let host = registry.host();
    let pulled = run(&format!(
        "build a --engine none --output oci:out --base {host}/base:v1"
    ));
    assert!(
        pulled.stderr.contains("redirects from https to"),
        "{pulled}"
    );
    let accepted = format!("202 Accepted\r\n{place}");
    let (registry, authority) = Hostile::with_tls(move |_, line| match line {
        line if line.starts_with("POST ") => Reply::whole(&*accepted, ""),
        line if line.starts_with("HEAD ") => Reply::whole("404 Not Found", ""),
        _ => Reply::whole("200 OK", ""),
    });
    std::fs::write(&file, authority).expect("a file");
    let pushed = run(&format!(
        "build --engine none --push {}/a:v1",
        registry.host()
    ));
    assert!(pushed.stderr.contains("has no TLS"), "{pushed}");
    assert_eq!(other.requests(), Vec::<String>::new());
}

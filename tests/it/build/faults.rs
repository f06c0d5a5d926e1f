//! Registries that fail: what passes is tried again, what does not is told, and no tag leads to half
//! an image.

use std::net::TcpListener;

use super::Quick;
use crate::support::Outcome;
use crate::support::registry::{Double, Mischief};

fn push(quick: &Quick, host: &str, flags: &str) -> Outcome {
    quick.rop(&format!(
        "build --engine none --push {host}/a/b:v1 --quiet {flags}"
    ))
}

fn without(host: &str, outcome: &Outcome) -> String {
    outcome.to_string().replace(host, "[HOST]")
}

/// Nobody listens: known before anything is compiled.
#[test]
fn a_registry_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let host = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let quick = Quick::new();
    insta::assert_snapshot!(without(&host, &push(&quick, &host, "").exits(1)), @"
    exit: 1
    --- stderr
    error[registry-unreachable]: cannot reach the registry `[HOST]`
      caused by: Connection refused (os error 111)
    hint: check the network, and the name of the registry
    hint: without a network, build a file without a base image: `--base scratch --output oci-archive:FILE`
    ");
    assert_eq!(quick.builds(), Vec::<String>::new());
}

/// Somebody listens and says nothing.
#[test]
fn a_registry_that_is_silent() {
    let (registry, quick) = (Double::start(), Quick::new());
    let host = registry.host();
    registry.disturb("GET /v2/", Mischief::Silence, 9);
    insta::assert_snapshot!(without(&host, &push(&quick, &host, "--timeout 1").exits(1)), @"
    exit: 1
    --- stderr
    error[registry-timeout]: no response from the registry `[HOST]` for 1 s
    hint: wait longer with `--timeout`
    hint: check the network, and the name of the registry
    hint: without a network, build a file without a base image: `--base scratch --output oci-archive:FILE`
    ");
    assert_eq!(registry.count("GET /v2/"), 1);
    assert_eq!(quick.builds(), Vec::<String>::new());
}

#[test]
fn no_network() {
    let quick = Quick::new();
    let outcome = push(&quick, "registry.invalid", "").exits(1);
    assert_eq!(quick.builds(), Vec::<String>::new());
    let text = outcome.to_string();
    // What the resolver says is the machine's.
    let (head, rest) = text.split_once("caused by: ").expect("a cause");
    let (_, hints) = rest.split_once('\n').expect("a hint");
    insta::assert_snapshot!(format!("{head}caused by: [CAUSE]\n{hints}"), @"
    exit: 1
    --- stderr
    error[registry-unreachable]: cannot reach the registry `registry.invalid`
      caused by: [CAUSE]
    hint: check the network, and the name of the registry
    hint: without a network, build a file without a base image: `--base scratch --output oci-archive:FILE`
    ");
}

/// Each of these happens twice, at each sort of request, and the image is there in the end.
#[test]
fn what_passes_is_tried_again() {
    let quick = Quick::new();
    let all = [
        Mischief::Drop,
        Mischief::Answer(500),
        Mischief::Answer(503),
        Mischief::Answer(429),
    ];
    std::thread::scope(|scope| {
        for mischief in all {
            for start in [
                "GET /v2/",
                "HEAD /v2/a/b/blobs/",
                "POST /v2/",
                "PUT /v2/a/b/blobs/",
                "PUT /v2/a/b/manifests/",
            ] {
                let quick = &quick;
                scope.spawn(move || {
                    let registry = Double::start();
                    registry.disturb(start, mischief, 2);
                    let outcome = push(quick, &registry.host(), "");
                    assert_eq!(outcome.code, 0, "{mischief:?} at {start}: {outcome}");
                    assert_eq!(registry.tags(), ["a/b/v1"], "{mischief:?} at {start}");
                });
            }
        }
    });
}

/// The same without an end: an error, and no tag.
#[test]
fn what_does_not_pass_leaves_no_tag() {
    for (start, mischief) in [
        ("PUT /v2/a/b/blobs/", Mischief::Drop),
        ("PUT /v2/a/b/manifests/", Mischief::Drop),
    ] {
        let (registry, quick) = (Double::start(), Quick::new());
        registry.disturb(start, mischief, 99);
        let outcome = push(&quick, &registry.host(), "").exits(1);
        insta::allow_duplicates! {
            insta::assert_snapshot!(without(&registry.host(), &outcome), @"
            exit: 1
            --- stderr
            error[registry-unreachable]: the registry `[HOST]` closed the connection
              caused by: Connection reset by peer (os error 104)
            hint: run the command again: uploaded layers are skipped
            ");
        }
        assert_eq!(registry.tags(), Vec::<String>::new());
        assert_eq!(registry.count(start), 4);
    }
}

#[test]
fn a_registry_that_breaks_down() {
    let (registry, quick) = (Double::start(), Quick::new());
    registry.disturb("PUT /v2/a/b/manifests/", Mischief::Answer(503), 99);
    let outcome = push(&quick, &registry.host(), "--tag v2").exits(1);
    insta::assert_snapshot!(without(&registry.host(), &outcome), @"
    exit: 1
    --- stderr
    error[registry-failed]: the registry `[HOST]` responded 503: on purpose
    hint: run the command again later: uploaded layers are skipped
    ");
    assert_eq!(registry.tags(), Vec::<String>::new());
}

/// What will be the same the next time is not tried again.
#[test]
fn a_registry_that_refuses() {
    for (start, code) in [
        ("POST /v2/", 403),
        ("PUT /v2/a/b/manifests/", 403),
        ("POST /v2/", 401),
    ] {
        let (registry, quick) = (Double::start(), Quick::new());
        registry.disturb(start, Mischief::Answer(code), 99);
        let outcome = push(&quick, &registry.host(), "").exits(1);
        insta::allow_duplicates! {
            insta::assert_snapshot!(without(&registry.host(), &outcome), @"
            exit: 1
            --- stderr
            error[registry-denied]: the registry `[HOST]` requires a login: on purpose
            hint: log in with `docker login [HOST]` or `podman login [HOST]`: rop uses their credentials
            ");
        }
        assert_eq!(registry.count(start), 1);
        assert_eq!(registry.tags(), Vec::<String>::new());
    }
    let (registry, quick) = (Double::start(), Quick::new());
    registry.disturb("POST /v2/", Mischief::Answer(404), 99);
    let outcome = push(&quick, &registry.host(), "").exits(1);
    insta::assert_snapshot!(without(&registry.host(), &outcome), @"
    exit: 1
    --- stderr
    error[registry-failed]: the registry `[HOST]` responded 404: on purpose
    hint: create the repository in the registry first, or check its name
    ");
}

/// A redirect of what is pushed is no success: some servers answer with a page for a login.
#[test]
fn a_registry_that_redirects() {
    for (start, code, location, message) in [
        (
            "GET /v2/",
            302,
            "",
            "302: it redirects without a `Location`",
        ),
        (
            "POST /v2/",
            307,
            "",
            "307: it redirects without a `Location`",
        ),
        (
            "PUT /v2/a/b/blobs/",
            307,
            "http://127.0.0.1:1/x",
            "307: it redirects uploads to `127.0.0.1`, which rop does not follow",
        ),
        (
            "PUT /v2/a/b/blobs/",
            302,
            "/v2/",
            "it redirects uploads to `127.0.0.1`, which rop does not follow",
        ),
        (
            "PUT /v2/a/b/manifests/",
            302,
            "/v2/",
            "it redirects uploads to `127.0.0.1`, which took nothing",
        ),
    ] {
        let (registry, quick) = (Double::start(), Quick::new());
        registry.disturb(start, Mischief::Redirect(code, location), 99);
        let outcome = push(&quick, &registry.host(), "").exits(1);
        outcome.says(message);
        assert_eq!(registry.tags(), Vec::<String>::new());
    }
}

//! Downloads of the control plane, from a site that may be broken.

use super::site::{Fault, RELEASE, Site, platform, store};
use crate::support::hostile::{Hostile, Reply};
use crate::support::{Outcome, World};

/// Programs that are there, and do nothing.
fn programs() -> Vec<(&'static str, Vec<u8>)> {
    let program = b"#!/bin/sh\necho this is no server\nexit 1\n";
    ["etcd", "kube-apiserver", "kubectl"]
        .map(|name| (name, program.to_vec()))
        .into()
}

/// What `rop dev` says with a site, whose port is taken out.
fn dev(world: &World, site: &Site) -> Outcome {
    let index = site.index();
    let arguments = ["dev", "--kubernetes", RELEASE, "--index", &index];
    let mut outcome = world.rop_in(".", &arguments).exits(1);
    let origin = index.trim_end_matches("/envtest-releases.yaml");
    outcome.stderr = outcome.stderr.replace(origin, "[SITE]");
    outcome
}

/// A failed download leaves nothing: neither in the store nor beside it.
#[track_caller]
fn assert_nothing_is_kept(world: &World) {
    let parent = store(world);
    let parent = parent.parent().expect("a folder");
    let left = parent.read_dir().into_iter().flatten().count();
    assert_eq!(left, 0, "in {}", parent.display());
}

#[test]
fn a_sum_that_is_not_that_of_the_list() {
    let world = World::with_api();
    let outcome = dev(&world, &Site::new(&programs(), Fault::Sum));
    let is_told = outcome.stderr.contains("checksum mismatch for");
    assert!(is_told, "{outcome}");
    assert_nothing_is_kept(&world);
}

#[test]
fn an_archive_that_ends_early() {
    let world = World::with_api();
    let outcome = dev(&world, &Site::new(&programs(), Fault::Truncated));
    let is_told = outcome.stderr.contains("was interrupted");
    assert!(is_told, "{outcome}");
    assert_nothing_is_kept(&world);
}

#[test]
fn an_archive_that_is_not_there() {
    let world = World::with_api();
    let outcome = dev(&world, &Site::new(&programs(), Fault::Missing));
    insta::assert_snapshot!(outcome.stderr, @"
    error[download-failed]: no control plane for Kubernetes 1.37.0 on this machine
      caused by: `[SITE]/archive.tar.gz` answers 404 Not Found
    hint: without network access, set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver and kubectl
    ");
    assert_nothing_is_kept(&world);
}

#[test]
fn a_list_that_is_not_there() {
    let world = World::with_api();
    let outcome = dev(&world, &Site::new(&programs(), Fault::NoIndex));
    insta::assert_snapshot!(outcome.stderr, @"
    error[download-failed]: no control plane for Kubernetes 1.37.0 on this machine
      caused by: `[SITE]/envtest-releases.yaml` answers 404 Not Found
    hint: without network access, set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver and kubectl
    ");
}

#[test]
fn an_archive_without_a_program() {
    let world = World::with_api();
    let outcome = dev(&world, &Site::new(&programs()[1..], Fault::Nothing));
    insta::assert_snapshot!(outcome.stderr, @"
     download Kubernetes 1.37.0 for tests
    error[download-corrupt]: no control plane for Kubernetes 1.37.0 on this machine
      caused by: `[SITE]/archive.tar.gz` does not contain `etcd`
    hint: without network access, set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver and kubectl
    ");
    assert_nothing_is_kept(&world);
}

#[test]
fn a_release_that_is_not_listed() {
    let world = World::with_api();
    let site = Site::new(&programs(), Fault::Nothing);
    let index = site.index();
    let arguments = ["dev", "--kubernetes", "1.99", "--index", &index];
    let outcome = world.rop_in(".", &arguments).exits(1);
    let is_told = outcome
        .stderr
        .contains("lists no archive of Kubernetes 1.99");
    assert!(is_told, "{outcome}");
}

#[test]
fn a_site_that_cannot_be_reached() {
    let world = World::with_api();
    // Nobody listens on this one.
    let arguments = ["dev", "--index", "http://127.0.0.1:1/envtest-releases.yaml"];
    let outcome = world.rop_in(".", &arguments).exits(1);
    let is_told =
        outcome.stderr.contains("cannot reach") && outcome.stderr.contains("KUBEBUILDER_ASSETS");
    assert!(is_told, "{outcome}");
}

/// What `rop dev` says with a hostile site.
fn dev_with(world: &World, site: &Hostile) -> String {
    let index = format!("http://{}/list", site.host());
    let arguments = ["dev", "--kubernetes", RELEASE, "--index", &index];
    let outcome = world.rop_in(".", &arguments).exits(1);
    outcome.stderr.replace(&site.host(), "[SITE]")
}

#[test]
fn an_endless_list() {
    let world = World::with_api();
    let site = Hostile::start(|_, _| Reply::endless("200 OK"));
    insta::assert_snapshot!(dev_with(&world, &site), @"
    error[download-failed]: no control plane for Kubernetes 1.37.0 on this machine
      caused by: the download of `http://[SITE]/list` was interrupted
      caused by: the response has more than 4194304 bytes
    hint: without network access, set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver and kubectl
    ");
    assert!(site.sent() < 16 * 1024 * 1024, "{}", site.sent());
}

/// Nothing of it is written.
#[test]
fn an_archive_that_fills_the_disk() {
    let world = World::with_api();
    let site = Hostile::start(|port, line| {
        if line.contains("/list") {
            let file = format!("envtest-v{RELEASE}-{}.tar.gz", platform());
            let archive = format!("{{hash: '00', selfLink: 'http://127.0.0.1:{port}/archive'}}");
            Reply::whole(
                "200 OK",
                format!("releases: {{v{RELEASE}: {{{file}: {archive}}}}}"),
            )
        } else {
            let head = "200 OK\r\nContent-Length: 100000000000\r\n\r\n".to_owned();
            Reply::Endless(head, vec![0; 64 * 1024])
        }
    });
    insta::assert_snapshot!(dev_with(&world, &site), @"
     download Kubernetes 1.37.0 for tests
    error[download-failed]: no control plane for Kubernetes 1.37.0 on this machine
      caused by: the download of `http://[SITE]/archive` was interrupted
      caused by: the response has more than 536870912 bytes
    hint: without network access, set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver and kubectl
    ");
    assert!(site.sent() < 16 * 1024 * 1024, "{}", site.sent());
    assert_nothing_is_kept(&world);
}

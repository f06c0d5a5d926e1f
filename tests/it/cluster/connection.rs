//! How an operator comes to its API server.

use super::case::{Case, soon};

/// kube takes the proxy of the environment for every API server. One on this machine is reached without, and
/// so is one that `NO_PROXY` names.
#[test]
fn a_proxy_that_is_not_for_the_api_server_is_no_hindrance() {
    let Some(case) = Case::prepare("connection-proxy") else {
        return;
    };
    let proxy = ("HTTPS_PROXY", "http://user:secret@proxy.example.com:3128");
    let mut operator = case.launch_with(&[proxy], &[]);
    soon("its start", || operator.log().contains("starting"));
    assert!(operator.is_running());
    assert!(!operator.log().contains("secret"), "{}", operator.log());
}

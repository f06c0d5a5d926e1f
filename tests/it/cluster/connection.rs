//! How an operator comes to its API server.

use super::case::{Case, soon};

/// kube finds proxies by itself: not every one of them is one that the user knows of.
#[test]
fn a_proxy_is_refused_by_name() {
    let Some(case) = Case::prepare("connection-proxy") else {
        return;
    };
    let proxy = ("HTTPS_PROXY", "http://user:secret@proxy.example.com:3128");
    let mut operator = case.launch_with(&[proxy], &[]);
    soon("its end", || operator.ended().is_some());
    let log = operator.log();
    assert_eq!(operator.ended().and_then(|status| status.code()), Some(1));
    for word in ["proxy.example.com", "HTTPS_PROXY", "proxy-url"] {
        assert!(log.contains(word), "no {word} in {log}");
    }
    assert!(!log.contains("secret"), "{log}");
}

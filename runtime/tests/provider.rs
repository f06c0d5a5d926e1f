//! The cryptography provider is global to the process, so this test is separate.

use rop_runtime::{Identity, Manager, Options};
use tokio_rustls::rustls::crypto::CryptoProvider;

#[tokio::test]
async fn a_manager_installs_a_provider() {
    assert!(CryptoProvider::get_default().is_none());
    let options = Options {
        health_probe_bind_address: "127.0.0.1:0".parse().unwrap(),
        ..Options::default()
    };
    // There may be no cluster.
    let _ = Manager::new(Identity::new("app", "1.0.0"), options, ()).await;
    assert!(CryptoProvider::get_default().is_some());
}

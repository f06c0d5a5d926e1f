//! The cryptography provider of rustls.

use tokio_rustls::rustls::crypto::ring;

/// Installs *ring* as the cryptography provider of rustls, unless the program has installed one.
/// [`Manager`](crate::Manager) calls it on creation, because rustls panics if several providers are
/// compiled in, for example *ring* here and another one for your HTTP client. Call it yourself
/// before you use TLS without a manager, for example in a test.
///
/// ```
/// rop_runtime::install_crypto_provider();
/// // A second time changes nothing.
/// rop_runtime::install_crypto_provider();
/// ```
pub fn install_crypto_provider() {
    let _ = ring::default_provider().install_default();
}

//! The cryptography of TLS, which rustls leaves to the program.

use tokio_rustls::rustls::crypto::ring;

/// Installs *ring* as the cryptography of rustls, unless the program has installed another provider. A
/// [`Manager`](crate::Manager) does this when it is created: without it rustls panics as soon as two providers
/// are compiled in, for example *ring* here and another one for an HTTP client of yours. Call it before you use
/// TLS without a manager, in a test for example.
///
/// ```
/// rop_runtime::install_crypto_provider();
/// // A second time changes nothing.
/// rop_runtime::install_crypto_provider();
/// ```
pub fn install_crypto_provider() {
    let _ = ring::default_provider().install_default();
}

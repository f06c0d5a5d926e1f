//! TLS, as downloads and registries have it.

/// Gives rustls its arithmetic, which it leaves to the program. Done twice, it is the same.
pub(crate) fn set_up() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

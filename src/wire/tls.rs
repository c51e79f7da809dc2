//! The cryptography that every encrypted connection uses.

/// Chooses it; call once at the start of the process. Calling again changes nothing.
pub fn install() {
    // An error only says that it was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

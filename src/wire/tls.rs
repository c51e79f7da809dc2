//! Encryption of every connection: the one cryptography, whom to trust, and its refusals in words.

use std::sync::Arc;

use rustls::{
    CertificateError, ClientConfig, ConfigBuilder, Error, RootCertStore,
    client::WantsClientCert,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};

use super::transport::settings::{bad_file, bad_settings};
use crate::model::{call::CallError, connection::Connection, error_kind::ErrorKind};

/// Chooses it; call once at the start of the process. Calling again changes nothing.
pub fn install_provider() {
    // An error only says that it was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// How a connection is encrypted; none where it is not to be.
pub(crate) async fn config_if_required(
    connection: &Connection,
) -> Result<Option<Arc<ClientConfig>>, CallError> {
    if connection.tls.required { client_config(connection).await.map(Some) } else { Ok(None) }
}

/// What a connection's settings say of encryption, ready for use. Without a file of authorities the
/// system's are trusted.
pub(crate) async fn client_config(connection: &Connection) -> Result<Arc<ClientConfig>, CallError> {
    let mut roots = RootCertStore::empty();
    match &connection.tls.ca_file {
        Some(path) => {
            for certificate in read_certificates(path).await? {
                roots.add(certificate).map_err(|error| bad_file(path, &error.to_string()))?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let unfit = |error: Error| {
        bad_settings(
            connection,
            &format!("has no usable encryption: {error}"),
            "check its certificates",
        )
    };
    let builder = builder.map_err(unfit)?.with_root_certificates(roots);
    with_client_cert(connection, builder).await.map(Arc::new)
}

/// With our own certificate, where the settings name one.
async fn with_client_cert(
    connection: &Connection,
    builder: ConfigBuilder<ClientConfig, WantsClientCert>,
) -> Result<ClientConfig, CallError> {
    match (&connection.tls.cert_file, &connection.tls.key_file) {
        (None, None) => Ok(builder.with_no_client_auth()),
        (Some(certificate), Some(key_file)) => {
            let chain = read_certificates(certificate).await?;
            let key = PrivateKeyDer::from_pem_slice(&read_file(key_file).await?);
            let key = key.map_err(|error| {
                bad_file(key_file, &format!("it holds no private key ({error})"))
            })?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| bad_file(certificate, &error.to_string()))
        }
        _ => Err(bad_settings(
            connection,
            "has only one of certificate and key",
            "set both files, or neither",
        )),
    }
}

async fn read_certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, CallError> {
    let text = read_file(path).await?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(bad_file(path, "it holds no certificate")),
        Err(error) => Err(bad_file(path, &format!("it is not PEM ({error})"))),
    }
}

async fn read_file(path: &str) -> Result<Vec<u8>, CallError> {
    tokio::fs::read(path).await.map_err(|error| bad_file(path, &error.to_string()))
}

/// What to do where the cause says no more.
const CHECK: &str = "check the connection's certificates, and whether the server uses TLS";

/// Why there is no encrypted connection to `host` at `place`.
#[must_use]
pub(crate) fn handshake_failed(place: &str, host: &str, error: &std::io::Error) -> CallError {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(fault) => handshake_refused(place, host, fault),
        None => no_encryption(place, &error.to_string(), CHECK),
    }
}

/// The same, where the encryption itself says why.
#[must_use]
pub(crate) fn handshake_refused(place: &str, host: &str, fault: &Error) -> CallError {
    let (cause, remedy) = match fault {
        Error::InvalidCertificate(fault) => fault_of(fault, host),
        Error::InvalidMessage(_) => {
            ("it doesn't use TLS".into(), "connect without TLS, or use the encrypted port")
        }
        Error::AlertReceived(alert) => (
            format!("it rejected the connection ({alert:?})"),
            "set the certificate and key that the server requires (cert-file, key-file)",
        ),
        other => (other.to_string(), CHECK),
    };
    no_encryption(place, &cause, remedy)
}

fn no_encryption(place: &str, cause: &str, remedy: &str) -> CallError {
    CallError {
        kind: ErrorKind::Tls,
        message: format!("couldn't make an encrypted connection to {place}: {cause}"),
        remedy: remedy.into(),
    }
}

fn fault_of(fault: &CertificateError, host: &str) -> (String, &'static str) {
    match fault {
        CertificateError::NotValidForName => {
            (format!("its certificate is not for {host}"), "use the server name in its certificate")
        }
        CertificateError::NotValidForNameContext { presented, .. } => (
            format!("its certificate is not for {host}, but for {}", presented_names(presented)),
            "use a server name in its certificate",
        ),
        // A bad signature: an authority of the same name, but with another key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => (
            "its certificate is from an authority that this connection doesn't trust".into(),
            "set ca-file to the authority that signed the server's certificate",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
            "its certificate has expired".into(),
            "renew the server's certificate, and check this machine's clock",
        ),
        other => (other.to_string(), "check the server's certificate"),
    }
}

/// `DnsName("localhost")` as people write it.
fn presented_names(presented: &[String]) -> String {
    let bare = |name: &String| name.split('"').nth(1).unwrap_or(name).to_owned();
    if presented.is_empty() {
        "nobody".into()
    } else {
        presented.iter().map(bare).collect::<Vec<_>>().join(", ")
    }
}

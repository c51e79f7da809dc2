//! Encryption before a real server that has none of its own: takes TLS connections and hands their
//! bytes on.

use std::sync::{Arc, Mutex};

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy, split},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

use super::certificates::Certificates;

/// A relay on a free loopback port; ended on drop, with all that goes through it.
pub struct Relay {
    pub port: u16,
    heard: Arc<Mutex<Vec<u8>>>,
    accepting: JoinHandle<()>,
}

impl Relay {
    /// One before that port of this machine, with the server's certificate.
    pub async fn before(port: u16, files: &Certificates) -> Self {
        let chain = CertificateDer::pem_file_iter(files.file("server.pem"))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let key = PrivateKeyDer::from_pem_file(files.file("server.key")).unwrap();
        let config =
            ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(chain, key)
                .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heard);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(relay(stream, acceptor.clone(), port, Arc::clone(&kept)));
            }
        });
        Self { port: own, heard, accepting }
    }

    /// All that clients sent, as it was before it was encrypted.
    pub fn heard(&self) -> Vec<u8> {
        self.heard.lock().unwrap().clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn relay(stream: TcpStream, acceptor: TlsAcceptor, port: u16, heard: Arc<Mutex<Vec<u8>>>) {
    // Who does not speak TLS, or does not trust us, is let go.
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
    let ((mut from, mut to), (mut answers, mut requests)) = (split(stream), server.into_split());
    let sending = async {
        let mut piece = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = from.read(&mut piece).await {
            heard.lock().unwrap().extend_from_slice(&piece[..length]);
            if requests.write_all(&piece[..length]).await.is_err() {
                break;
            }
        }
    };
    tokio::select! {
        () = sending => {}
        _ = copy(&mut answers, &mut to) => {}
    }
}

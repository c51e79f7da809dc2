//! What stands before a Kafka broker that can neither encrypt nor ask for a password: a gate that
//! does both.

use std::{fs::File, io::BufReader, sync::Arc};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use super::{certificates::Certificates, kafka::KafkaBroker};

/// User and password as `PLAIN` shows them.
const SHOWN: &[u8] = b"\0alice\0s3cret";

/// A broker behind a gate. It ends with the test's runtime.
pub struct Gated {
    _broker: KafkaBroker,
    port: u16,
}

impl Gated {
    /// Encrypted; it says that it is at `localhost`.
    pub async fn encrypted(files: &Certificates) -> Self {
        let mut pem = BufReader::new(File::open(files.file("server.pem")).unwrap());
        let chain = CertificateDer::pem_reader_iter(&mut pem).map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_file(files.file("server.key")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let config = builder.with_no_client_auth().with_single_cert(chain, key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Self::open(move |stream, broker| {
            let accepting = acceptor.accept(stream);
            async move {
                // Who does not trust us breaks off.
                if let Ok(mut stream) = accepting.await {
                    let _ = copy_bidirectional(&mut stream, &mut to(&broker).await).await;
                }
            }
        })
        .await
    }

    /// It wants a password, of alice, and knows `PLAIN` alone.
    pub async fn guarded() -> Self {
        Self::open(|mut stream, broker| async move {
            let mut broker = to(&broker).await;
            if admitted(&mut stream, &mut broker).await.is_some() {
                let _ = copy_bidirectional(&mut stream, &mut broker).await;
            }
        })
        .await
    }

    async fn open<F>(serve: impl Fn(TcpStream, String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let broker = KafkaBroker::advertising(&format!("localhost:{port}"));
        let address = broker.address().to_owned();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, address.clone()));
            }
        });
        Self { _broker: broker, port }
    }

    pub fn url(&self, scheme: &str, host: &str) -> String {
        format!("{scheme}://{host}:{}", self.port)
    }
}

async fn to(broker: &str) -> TcpStream {
    TcpStream::connect(broker).await.unwrap()
}

/// Passes questions about versions on, until a password is shown. `None`: it was the wrong one, or
/// none.
async fn admitted(
    client: &mut (impl AsyncRead + AsyncWrite + Unpin),
    broker: &mut TcpStream,
) -> Option<()> {
    loop {
        let asked = frame(client).await?;
        let number = |at: usize| i16::from_be_bytes([asked[at], asked[at + 1]]);
        let answer = |body: &[u8]| [&asked[4..8], body].concat();
        match (number(0), number(2)) {
            // ApiVersions
            (18, _) => {
                tell(broker, &asked).await?;
                tell(client, &frame(broker).await?).await?;
            }
            // SaslHandshake: no error, or UnsupportedSaslMechanism; and one mechanism.
            (17, _) => {
                let fault: i16 = if asked.ends_with(b"PLAIN") { 0 } else { 33 };
                let body = [&fault.to_be_bytes()[..], b"\0\0\0\x01\0\x05PLAIN"].concat();
                tell(client, &answer(&body)).await?;
            }
            // SaslAuthenticate: no error, or SaslAuthenticationFailed; no words, no bytes, and no
            // end of it.
            (36, version) => {
                let good = asked.windows(SHOWN.len()).any(|part| part == SHOWN);
                let fault = (if good { 0_i16 } else { 58 }).to_be_bytes();
                let body = match version {
                    0 => [&fault[..], b"\xff\xff\0\0\0\0"].concat(),
                    1 => [&fault[..], b"\xff\xff\0\0\0\0", &[0; 8]].concat(),
                    _ => [b"\0", &fault[..], b"\0\x01", &[0; 8], b"\0"].concat(),
                };
                tell(client, &answer(&body)).await?;
                return good.then_some(());
            }
            _ => return None,
        }
    }
}

async fn frame(stream: &mut (impl AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let mut frame = vec![0; stream.read_u32().await.ok()? as usize];
    stream.read_exact(&mut frame).await.ok()?;
    Some(frame)
}

async fn tell(stream: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> Option<()> {
    stream.write_u32(frame.len() as u32).await.ok()?;
    stream.write_all(frame).await.ok()
}

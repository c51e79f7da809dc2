//! Takes connections at an address, and serves HTTP on them, until it is stopped.

use std::{convert::Infallible, error::Error, net::SocketAddr, sync::Arc, time::Duration};

use hyper::{
    Request, Response,
    body::{Body, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    guard::{self, Admission, ServerReach},
    transport::settings::{self, Server},
};
use crate::{
    model::{call::CallError, connection::Connection, error_kind::ErrorKind},
    wire::spawning::boxed,
};

/// How many connections are open at once; more wait.
const AT_ONCE: usize = 256;
/// How long the answers under way may take once it is stopped.
const DRAINING: Duration = Duration::from_secs(5);
/// How long it waits when the system gives no more connections.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a request may take to come.
pub(crate) const READING: Duration = Duration::from_secs(30);

/// An address that is listened at in the place of a connection's server.
pub(crate) struct BoundAddress {
    pub listener: TcpListener,
    pub at: SocketAddr,
    /// What is before every path, without a slash at the end.
    pub base_path: String,
    pub admission: Admission,
}

impl BoundAddress {
    /// Listens where the connection leads to, or at another address (`HOST:PORT`); port 0 is a free
    /// one.
    ///
    /// # Errors
    /// When the connection wants encryption, or the address is not ours to listen at.
    pub async fn bind(connection: &Connection, listen: Option<&str>) -> Result<Self, CallError> {
        let servers = settings::parse_servers(connection)?;
        let Some(Server { scheme, host, port, path }) = servers.into_iter().next() else {
            return Err(settings::bad_address(connection, "it has no server"));
        };
        if listen.is_none() && (scheme.ends_with('s') && scheme != "ws" || connection.tls.required)
        {
            let remedy = "use an address without encryption: --connection http://127.0.0.1:0, or --listen \
                127.0.0.1:0";
            return Err(settings::bad_settings(
                connection,
                "is encrypted, but stubs answer without encryption",
                remedy,
            ));
        }
        // Behind another address, callers may still name the connection's.
        let names = [Some(host.as_str()), listen.map(guard::host_name)];
        let hosts = names.into_iter().flatten().map(str::to_owned).collect();
        let wanted = match listen {
            Some(address) => address.to_owned(),
            None if host.contains(':') => format!("[{host}]:{port}"),
            None => format!("{host}:{port}"),
        };
        let unheard = |error: std::io::Error| CallError {
            kind: ErrorKind::NoListener,
            message: format!("cannot listen at {wanted}: {error}"),
            remedy: "choose an address of this machine and a free port: --listen 127.0.0.1:0"
                .into(),
        };
        let listener = TcpListener::bind(&wanted).await.map_err(unheard)?;
        let at = listener.local_addr().map_err(unheard)?;
        let admission = Admission { reach: ServerReach::of_address(at), hosts };
        Ok(Self { listener, at, base_path: path.trim_end_matches('/').to_owned(), admission })
    }
}

/// Hands each connection to `attend` until `stop`, then waits for those under way, which are
/// dropped when they take too long. Dropping it ends them all.
pub(crate) async fn accept_until<F>(
    listener: TcpListener,
    tasks: &TaskTracker,
    stop: &CancellationToken,
    attend: impl Fn(TcpStream) -> F,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(AT_ONCE));
    // Ends every connection when this ends, however it does.
    let gone = CancellationToken::new();
    let _end = gone.clone().drop_guard();
    loop {
        let taken = tokio::select! {
            () = stop.cancelled() => break,
            taken = async { (Arc::clone(&room).acquire_owned().await, listener.accept().await) } => taken,
        };
        let (Ok(room), Ok((stream, _))) = taken else {
            sleep(PAUSE).await;
            continue;
        };
        // Only slower without it.
        let _ = stream.set_nodelay(true);
        let (attending, gone) = (attend(stream), gone.clone());
        tasks.spawn(boxed(async move {
            gone.run_until_cancelled(attending).await;
            drop(room);
        }));
    }
    drop(listener);
    tasks.close();
    // What is not done by then is dropped.
    let _ = timeout(DRAINING, tasks.wait()).await;
}

/// Answers the requests of one connection until it ends; once stopped, the one under way is the
/// last.
pub(crate) async fn serve_http<F, B>(
    stream: TcpStream,
    stop: CancellationToken,
    answer: impl Fn(Request<Incoming>) -> F,
) where
    F: Future<Output = Response<B>>,
    B: Body + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let service = service_fn(move |request| {
        let answered = answer(request);
        async move { Ok::<_, Infallible>(answered.await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(READING)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // How a connection ended is the caller's affair.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

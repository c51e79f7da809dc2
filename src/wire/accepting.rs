//! Takes connections at an address, and serves HTTP on them, until it is stopped.

use std::{convert::Infallible, error::Error, sync::Arc, time::Duration};

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

/// How many connections are open at once; more wait.
const AT_ONCE: usize = 256;
/// How long the answers under way may take once it is stopped.
const DRAINING: Duration = Duration::from_secs(5);
/// How long it waits when the system gives no more connections.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a request may take to come.
pub(crate) const READING: Duration = Duration::from_secs(30);

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
        tasks.spawn(async move {
            gone.run_until_cancelled(attending).await;
            drop(room);
        });
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

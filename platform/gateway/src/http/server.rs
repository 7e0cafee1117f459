//! Accepts connections, and on SIGTERM lets those under way finish.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::{admin, route};
use crate::Gateway;
use gristmill_native::patient::Patient;

/// Longest a request's head may take to arrive, and a kept connection may stay quiet.
const HEAD_ARRIVAL: Duration = Duration::from_secs(75);

/// How long the queries of requests that were cut off may take to be cancelled.
const LAST_CANCELS: Duration = Duration::from_secs(3);

/// Where a listener can be reached, the port chosen if 0 was asked for.
pub(crate) fn address(listener: &TcpListener) -> String {
    let local = listener.local_addr();
    local.map_or_else(
        |error| error.to_string(),
        |address| format!("http://{address}"),
    )
}

/// Serves both addresses until asked to stop.
pub(crate) async fn serve(gateway: Arc<Gateway>, public: TcpListener, admin: Option<TcpListener>) {
    let connections = GracefulShutdown::new();
    let (cut, cut_off) = watch::channel(());
    let stop = gristmill_native::shutdown::requested();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            accepted = public.accept() => match accepted {
                Ok((stream, peer)) => {
                    serve_public(&gateway, &connections, cut_off.clone(), stream, peer);
                }
                Err(error) => pause_after(&error).await,
            },
            accepted = accept(admin.as_ref()) => match accepted {
                Ok(stream) => serve_admin(&gateway, stream),
                Err(error) => pause_after(&error).await,
            },
            () = &mut stop => break,
        }
    }
    // Closed before draining: a balancer's next connection is refused and goes elsewhere.
    drop(public);
    let drain = gateway.settings.drain;
    tracing::info!(
        seconds = drain.as_secs(),
        "stopping; requests under way may finish"
    );
    if tokio::time::timeout(drain, connections.shutdown())
        .await
        .is_err()
    {
        tracing::warn!("some requests did not finish in time and were cut off");
        // Like a client's hang-up: their queries are cancelled before we go.
        drop(cut);
        let idle = async {
            while gateway.pool.gauge().busy > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let _ = tokio::time::timeout(LAST_CANCELS, idle).await;
    }
}

/// The next admin connection; never resolves where there is no admin address.
async fn accept(listener: Option<&TcpListener>) -> std::io::Result<TcpStream> {
    match listener {
        Some(listener) => listener.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// Out of file descriptors, most likely: accepting at once again would only spin.
async fn pause_after(error: &std::io::Error) {
    tracing::warn!(%error, "a connection could not be accepted");
    tokio::time::sleep(Duration::from_millis(50)).await;
}

fn serve_public(
    gateway: &Arc<Gateway>,
    connections: &GracefulShutdown,
    mut cut_off: watch::Receiver<()>,
    stream: TcpStream,
    peer: SocketAddr,
) {
    // Answers are written whole; waiting to fill a packet only adds latency.
    let _ = stream.set_nodelay(true);
    let stream = Patient::new(stream, gateway.settings.limits.client_timeout);
    let gateway = gateway.clone();
    let service = service_fn(move |request| {
        let gateway = gateway.clone();
        async move { Ok::<_, Infallible>(route::answer(gateway, request, peer).await) }
    });
    // No `pipeline_flush`: with it hyper takes a whole answer into memory, however slowly it is read.
    // The builder that can choose a version, told to take HTTP/1: its connections can be both watched and upgraded to websockets.
    let mut builder = auto::Builder::new(TokioExecutor::new()).http1_only();
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_ARRIVAL);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    let connection = connections.watch(connection.into_owned());
    tokio::spawn(async move {
        tokio::select! {
            // An error here is the client's connection ending; nobody is left to tell.
            ended = connection => if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended");
            },
            // Nothing is ever sent: the channel only closes.
            _ = cut_off.changed() => {}
        }
    });
}

fn serve_admin(gateway: &Arc<Gateway>, stream: TcpStream) {
    let gateway = gateway.clone();
    let service = service_fn(move |request| {
        let answer = admin::answer(&gateway, &request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_ARRIVAL)
        .serve_connection(TokioIo::new(stream), service);
    tokio::spawn(connection);
}

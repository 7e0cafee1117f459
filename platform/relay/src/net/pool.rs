//! Connections to targets, and which addresses they may be made to.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use tower_service::Service;

use super::timing::{Step, Timing};

/// Idle connections are dropped before common servers (Node: 5 s) drop them, so that a request rarely
/// meets a connection that is just being closed.
const IDLE: Duration = Duration::from_secs(3);

/// A client whose connections know how long they took to make.
pub(super) type Pool = Client<Timed<HttpsConnector<HttpConnector<Resolver>>>, Full<Bytes>>;

/// Says which addresses are private; tests, which have loopback only, take a part of it for public.
pub(super) type Privacy = fn(IpAddr) -> bool;

/// Where connections of a pool may go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach {
    Anywhere,
    NotTo(Privacy),
}

impl Reach {
    pub(super) fn includes(self, address: IpAddr) -> bool {
        match self {
            Self::Anywhere => true,
            Self::NotTo(is_private) => !is_private(address),
        }
    }
}

/// TLS that trusts the system's certificate authorities.
pub(super) fn tls() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        // Not fatal: a development stack calls functions over plain HTTP only.
        tracing::warn!("no certificate authority was found; https requests will fail");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// A pool of connections to wherever `reach` lets them go.
pub(super) fn new(tls: &ClientConfig, reach: Reach) -> Pool {
    let mut http = HttpConnector::new_with_resolver(Resolver { reach });
    http.enforce_http(false);
    http.set_nodelay(true);
    let https = HttpsConnectorBuilder::new()
        .with_tls_config(tls.clone())
        .https_or_http()
        .enable_http1()
        .wrap_connector(http);
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .build(Timed(https))
}

/// Why a name did not become an address.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("the name has no address")]
    Unknown,
    #[error("the name has private addresses only")]
    Private,
}

/// Looks names up, and leaves out what may not be connected to: the address that was checked is the one
/// that is used, so a name cannot change its mind in between.
#[derive(Clone)]
pub(super) struct Resolver {
    reach: Reach,
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let reach = self.reach;
        let lookup = async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0))
                .await
                .map_err(|_| io::Error::other(Refused::Unknown))?
                .collect();
            let any = !found.is_empty();
            let usable: Vec<SocketAddr> = found
                .into_iter()
                .filter(|address| reach.includes(address.ip()))
                .collect();
            match (usable.is_empty(), any) {
                (false, _) => Ok(usable.into_iter()),
                (true, true) => Err(io::Error::other(Refused::Private)),
                (true, false) => Err(io::Error::other(Refused::Unknown)),
            }
        };
        Box::pin(Timing::measure(Timing::current(), Step::Lookup, lookup))
    }
}

/// Tells the request that waits for a connection how long that took.
#[derive(Clone)]
pub(super) struct Timed<C>(C);

impl<C> Service<http::Uri> for Timed<C>
where
    C: Service<http::Uri>,
    C::Future: Send + 'static,
    C::Response: Send + 'static,
    C::Error: Send + 'static,
{
    type Response = C::Response;
    type Error = C::Error;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, C::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, uri: http::Uri) -> Self::Future {
        let record = Timing::current();
        Box::pin(Timing::measure(record, Step::Connect, self.0.call(uri)))
    }
}

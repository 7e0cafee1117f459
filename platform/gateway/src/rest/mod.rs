//! PostgREST's dialect: what a request asks, and the shape of its answer.

mod answer;
mod arguments;
mod media;
mod openapi;
mod overload;
mod payload;
mod relation;
mod request;
mod rpc;
mod session;

use std::net::IpAddr;
use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use hyper::http::request::Parts;

use super::Gateway;
use super::auth;
use super::http::{Answer, body};
use gristmill_dialect::catalog::Catalog;
use gristmill_dialect::refusal::Refusal;
use gristmill_pool::limits;
use request::{ApiRequest, Resource};

/// Answers a request of the REST part; `path` is what follows `/rest/v1`.
pub(crate) async fn serve(
    gateway: &Gateway,
    path: &str,
    request: Request<Incoming>,
    peer: IpAddr,
) -> Result<Answer, Refusal> {
    let (head, incoming) = request.into_parts();
    let (catalog, request) = match understand(gateway, path, head, peer) {
        Ok(understood) => understood,
        Err(refusal) => {
            body::discard(incoming).await;
            return Err(refusal);
        }
    };
    // Whole, before a connection is taken: a body that trickles in holds memory alone.
    let share = gateway.bodies.share(&request.visit);
    let most = gateway.settings.max_body;
    let patience = gateway.settings.limits.body_timeout;
    let received = body::read(incoming, most, patience, share).await?;
    let body = received.bytes.clone();
    match &request.resource {
        Resource::Function(name) => rpc::serve(gateway, &catalog, &request, name, body).await,
        Resource::Relation(name) => relation::serve(gateway, &catalog, &request, name, body).await,
        Resource::Root => openapi::serve(gateway, &catalog, &request).await,
    }
}

/// Everything that can be refused without the body. The token comes first: without a good one
/// nothing else is looked at, nor anything told.
fn understand(
    gateway: &Gateway,
    path: &str,
    head: Parts,
    peer: IpAddr,
) -> Result<(Arc<Catalog>, ApiRequest), Refusal> {
    let catalog = gateway.catalog()?;
    let identity = auth::identify(&head.headers, &gateway.settings, peer)?;
    let visit = gateway.callers.enter(identity.caller.as_deref());
    let visit = visit.map_err(|limits::Busy| Refusal::CallerBusy)?;
    let request = ApiRequest::parse(&gateway.settings, identity, visit, path, head)?;
    Ok((catalog, request))
}

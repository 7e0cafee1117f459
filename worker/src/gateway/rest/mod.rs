//! PostgREST's dialect: what a request asks, and the shape of its answer.

mod answer;
mod arguments;
mod media;
mod openapi;
mod overload;
mod payload;
mod preferences;
mod range;
mod relation;
mod request;
mod rpc;
mod session;

use hyper::Request;
use hyper::body::Incoming;

use super::Gateway;
use super::auth;
use super::http::{Answer, body};
use super::refusal::Refusal;
use request::{ApiRequest, Resource};

/// Answers a request of the REST part; `path` is what follows `/rest/v1`.
pub(crate) async fn serve(
    gateway: &Gateway,
    path: &str,
    request: Request<Incoming>,
) -> Result<Answer, Refusal> {
    let catalog = gateway.catalog()?;
    let (head, incoming) = request.into_parts();
    // The token comes first: without a good one nothing else is read, nor anything told.
    let identity = auth::identify(&head.headers, &gateway.settings)?;
    let request = ApiRequest::parse(&gateway.settings, identity, path, head)?;
    let body = body::read(incoming, gateway.settings.max_body).await?;
    match &request.resource {
        Resource::Function(name) => rpc::serve(gateway, &catalog, &request, name, body).await,
        Resource::Relation(name) => relation::serve(gateway, &catalog, &request, name, body).await,
        Resource::Root => openapi::serve(gateway, &catalog, &request).await,
    }
}

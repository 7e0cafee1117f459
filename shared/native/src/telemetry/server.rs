//! The span of one request: whose child it is, by which name it is exported, and what those behind the gateway are told.
//!
//! Nothing of a request is exported but its method, its route and its status: no query, no body, no token, no address.

use std::time::SystemTime;

use gristmill_core::{Traceparent, trace};
use hyper::Method;
use hyper::header::HeaderValue;
use hyper::{Request, StatusCode};
use uuid::Uuid;

use super::export;
use super::span::{Attribute, Kind, Span};

/// A request that is being answered, and whose span will be exported.
pub struct Answering {
    own: Traceparent,
    parent: Option<[u8; 8]>,
    begun: SystemTime,
    method: Method,
    path: String,
}

impl Answering {
    /// None where spans are not exported, or not those of this trace: then the caller's `traceparent` goes on as it came. Otherwise whoever is behind the
    /// gateway sees the gateway's span as its parent.
    pub fn begin<Body>(request: &mut Request<Body>) -> Option<Self> {
        if !export::is_on() {
            return None;
        }
        let given = request.headers().get(trace::HEADER);
        let given = given.and_then(|value| value.to_str().ok()?.parse::<Traceparent>().ok());
        let own = match given {
            Some(parent) => Traceparent {
                span: random_span(),
                ..parent
            },
            None => Traceparent {
                trace: Uuid::now_v7().into_bytes(),
                span: random_span(),
                flags: 1,
            },
        };
        if !export::takes(&own.trace, given.map(|parent| parent.is_sampled())) {
            return None;
        }
        let headers = request.headers_mut();
        headers.insert(trace::HEADER, HeaderValue::try_from(own.to_string()).ok()?);
        Some(Self {
            own,
            parent: given.map(|parent| parent.span),
            begun: SystemTime::now(),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
        })
    }

    /// The head of the answer is there. A stream may go on.
    pub fn end(self, status: StatusCode) {
        let method = match &self.method {
            known if is_known(known) => known.as_str(),
            _ => "_OTHER",
        };
        let route = template(&self.path, status != StatusCode::NOT_FOUND);
        let mut attributes = vec![
            ("http.request.method", Attribute::from(method)),
            ("http.route", Attribute::from(route.as_str())),
            (
                "http.response.status_code",
                Attribute::from(i64::from(status.as_u16())),
            ),
        ];
        if status.is_server_error() {
            attributes.push(("error.type", Attribute::from(status.as_str())));
        }
        export::export(Span {
            trace: self.own.trace,
            id: self.own.span,
            parent: self.parent,
            link: None,
            name: format!("{method} {route}"),
            kind: Kind::Server,
            begun: self.begun,
            ended: SystemTime::now(),
            attributes,
            is_error: status.is_server_error(),
        });
    }
}

// The end of such an id is random, and never zero.
fn random_span() -> [u8; 8] {
    let id = Uuid::now_v7().into_bytes();
    let mut span = [0; 8];
    span.copy_from_slice(&id[8..]);
    span
}

fn is_known(method: &Method) -> bool {
    const KNOWN: [Method; 7] = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ];
    KNOWN.contains(method)
}

/// A route with few different values. The name of a function, a relation or an RPC is kept where it exists; what lies below it, ids among it, is not.
fn template(path: &str, exists: bool) -> String {
    let bare = path.strip_prefix("/rest/v1");
    let bare = bare.filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let named = |prefix: &str, name: &str, placeholder: &str| {
        let is_name = (1..=63).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        match exists && is_name {
            true => format!("{prefix}{name}"),
            false => format!("{prefix}{{{placeholder}}}"),
        }
    };
    if let Some(below) = path.strip_prefix("/functions/v1/") {
        return match below.split_once('/') {
            Some((name, "")) => named("/functions/v1/", name, "function"),
            Some((name, _)) => format!("{}/{{path}}", named("/functions/v1/", name, "function")),
            None => named("/functions/v1/", below, "function"),
        };
    }
    for (prefix, whole) in [
        ("/storage/v1/", "/storage/v1/{path}"),
        ("/realtime/v1/", "/realtime/v1/{path}"),
        ("/api/", "/api/{path}"),
    ] {
        if path.starts_with(prefix) {
            return whole.to_owned();
        }
    }
    let rest = bare.unwrap_or(path).trim_start_matches('/');
    match rest.strip_prefix("rpc/") {
        Some(name) => named("/rest/v1/rpc/", name, "function"),
        None if rest.is_empty() => "/rest/v1/".to_owned(),
        None => named("/rest/v1/", rest, "relation"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_keeps_names_and_drops_ids() {
        for (path, route) in [
            ("/functions/v1/enqueue", "/functions/v1/enqueue"),
            ("/functions/v1/enqueue/", "/functions/v1/enqueue"),
            (
                "/functions/v1/enqueue/01a1e273-88a8",
                "/functions/v1/enqueue/{path}",
            ),
            ("/rest/v1/rpc/claim_jobs", "/rest/v1/rpc/claim_jobs"),
            ("/rpc/claim_jobs", "/rest/v1/rpc/claim_jobs"),
            ("/rest/v1/documents", "/rest/v1/documents"),
            ("/rest/v1", "/rest/v1/"),
            ("/storage/v1/object/sign/a/b", "/storage/v1/{path}"),
            ("/realtime/v1/websocket", "/realtime/v1/{path}"),
            ("/api/jobs/start", "/api/{path}"),
            ("/rest/v1/eyJhbGciOi.J9", "/rest/v1/{relation}"),
        ] {
            assert_eq!(template(path, true), route, "{path}");
        }
    }

    #[test]
    fn names_that_do_not_exist_are_not_exported() {
        assert_eq!(
            template("/functions/v1/a-b/c", false),
            "/functions/v1/{function}/{path}"
        );
        assert_eq!(template("/rest/v1/rpc/x", false), "/rest/v1/rpc/{function}");
        assert_eq!(template("/x", false), "/rest/v1/{relation}");
    }
}

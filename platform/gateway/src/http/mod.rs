//! The HTTP side: connections, routes, cross-origin rules, the proxy, the console and the admin address.

pub(crate) mod admin;
pub(crate) mod body;
mod console;
pub(crate) mod cors;
mod forward;
pub(crate) mod proxy;
pub(crate) mod route;
pub(crate) mod server;

use hyper::Response;

pub(crate) use body::Body;

/// The answer to any request.
pub(crate) type Answer = Response<Body>;

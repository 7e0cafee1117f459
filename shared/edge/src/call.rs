//! One request, taken apart.

use std::str::FromStr;

use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use uuid::Uuid;
use worker::{AbortSignal, ByteStream, Method, Request};

use super::route::Params;
use gristmill_core::{Code, Problem, Traceparent, json, trace};

/// The largest body any JSON route reads.
pub const MAX_BODY: usize = 1024 * 1024;

/// What is read of a refused body, so that the caller sees why it was refused.
const MAX_DISCARDED: usize = 16 * 1024 * 1024;

/// A request on its way to a handler.
pub struct Call {
    /// GET, POST, … and GET for what the runtime's bindings do not know; see `verb`.
    pub method: Method,
    verb: String,
    /// From the caller's `x-correlation-id`, or new; carried into jobs and logs.
    pub correlation_id: String,
    /// The trace that the caller names, if it is a valid one.
    pub traceparent: Option<Traceparent>,
    name: &'static str,
    segments: Vec<String>,
    is_ours: bool,
    params: Params,
    kept_body: Option<Vec<u8>>,
    request: Request,
}

impl Call {
    /// `names` are those that the function may be called by; the first is its own. `deployed_as` is the name of a deployment on a
    /// host of its own, where the path has none.
    pub(super) fn new(names: &[&'static str], deployed_as: Option<&str>, request: Request) -> Self {
        let correlation_id = header(&request, "x-correlation-id")
            .filter(|id| is_plain(id))
            .unwrap_or_else(|| Uuid::now_v7().to_string());
        let (name, segments) = match split(names, &request.path()) {
            Some((named, below)) => (named.or_else(|| called(names, deployed_as?)), Some(below)),
            None => (None, None),
        };
        Self {
            method: request.method(),
            verb: request.inner().method(),
            correlation_id,
            traceparent: header(&request, trace::HEADER).and_then(|text| text.parse().ok()),
            name: name.or(names.first().copied()).unwrap_or_default(),
            is_ours: segments.is_some(),
            segments: segments.unwrap_or_default(),
            params: Vec::new(),
            kept_body: None,
            request,
        }
    }

    /// The name that the function was called by: its own, or one that it is also known as.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The path below the function's own name, in segments.
    pub fn path(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }

    /// The method as it was sent: the bindings take an unknown one for GET.
    pub(super) fn verb(&self) -> &str {
        &self.verb
    }

    /// Whether the path names this function, and not one that does not exist.
    pub(super) fn is_ours(&self) -> bool {
        self.is_ours
    }

    pub(super) fn segments(&self) -> &[String] {
        &self.segments
    }

    pub(super) fn set_params(&mut self, params: Params) {
        self.params = params;
    }

    /// A parameter of the path. What cannot be one names nothing that exists.
    pub fn param<T: FromStr>(&self, name: &str) -> Result<T, Problem> {
        self.params
            .iter()
            .find(|(known, _)| *known == name)
            .and_then(|(_, value)| value.parse().ok())
            .ok_or_else(|| {
                Problem::new(
                    Code::NotFound,
                    "There is nothing with this id, or it is not yours.",
                )
            })
    }

    /// The whole query string. Unknown fields are refused by the type (`deny_unknown_fields`).
    pub fn read_query<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        json::parse_query(&self.query_string())
    }

    pub(super) fn query_string(&self) -> String {
        let url = self.request.url().ok();
        let query = url.as_ref().and_then(|url| url.query());
        query.unwrap_or_default().to_owned()
    }

    /// The body, read as JSON.
    pub async fn json<T: DeserializeOwned>(&mut self) -> Result<T, Problem> {
        json::parse(&self.body(MAX_BODY).await?)
    }

    /// One header.
    pub fn header(&self, name: &str) -> Option<String> {
        header(&self.request, name)
    }

    /// One parameter of the query.
    pub fn query(&self, name: &str) -> Option<String> {
        let url = self.request.url().ok()?;
        url.query_pairs()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.into_owned())
    }

    /// Tells, for as long as anybody keeps it, whether the caller is still there.
    pub(super) fn presence(&self) -> AbortSignal {
        self.request.inner().signal().into()
    }

    /// The caller's own token.
    pub fn token(&self) -> Result<String, Problem> {
        self.header("authorization")
            .and_then(|value| {
                let (scheme, token) = value.split_once(' ')?;
                scheme
                    .eq_ignore_ascii_case("bearer")
                    .then(|| token.trim().to_owned())
            })
            .filter(|token| !token.is_empty())
            .ok_or_else(|| {
                Problem::new(
                    Code::TokenMissing,
                    "Send a token as 'Authorization: Bearer …'.",
                )
            })
    }

    /// The body as it arrives.
    pub fn stream(&mut self) -> Result<ByteStream, Problem> {
        let stream = self.request.stream();
        stream.map_err(|error| {
            Problem::new(Code::EmptyBody, "The request has no body.").because(error)
        })
    }

    /// The whole body, which stays to be read again.
    pub(super) async fn keep_body(&mut self, limit: usize) -> Result<Vec<u8>, Problem> {
        let body = self.body(limit).await?;
        self.kept_body = Some(body.clone());
        Ok(body)
    }

    /// The whole body, refused as soon as it is known to be larger than `limit`.
    pub async fn body(&mut self, limit: usize) -> Result<Vec<u8>, Problem> {
        if let Some(body) = self.kept_body.take() {
            return Ok(body);
        }
        let mut body = Vec::new();
        // A request without a body has no stream to read.
        let Ok(mut stream) = self.request.stream() else {
            return Ok(body);
        };
        let announced = self
            .header("content-length")
            .and_then(|length| length.parse().ok());
        let mut fits = announced.is_none_or(|length: usize| length <= limit);
        while fits {
            let Some(chunk) = stream.next().await else {
                return Ok(body);
            };
            let chunk = chunk.map_err(|error| {
                Problem::new(Code::NotJson, "The body ended before it was complete.").because(error)
            })?;
            fits = body.len() + chunk.len() <= limit;
            body.extend_from_slice(&chunk);
        }
        discard(stream).await;
        Err(Problem::new(
            Code::TooLarge,
            format!("The body may have at most {limit} bytes."),
        ))
    }

    pub(super) fn is_preflight(&self) -> bool {
        self.method == Method::Options
    }
}

// An answer to a body that was not read can be lost with the connection: some servers reset it.
async fn discard(mut stream: ByteStream) {
    let mut seen = 0;
    while let Some(Ok(chunk)) = stream.next().await {
        seen += chunk.len();
        if seen > MAX_DISCARDED {
            break;
        }
    }
}

fn header(request: &Request, name: &str) -> Option<String> {
    request.headers().get(name).ok().flatten()
}

// It is reflected in a header and written to logs: nothing but what cannot break either.
fn is_plain(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
}

// Supabase serves a function below /functions/v1/NAME or /NAME, Cloudflare at the root of its own host, where the path has no name. None for
// a path below /functions/v1 that names another function: a front that forwards it here has made a mistake, and must not be answered as if it had not.
fn split(names: &[&'static str], path: &str) -> Option<(Option<&'static str>, Vec<String>)> {
    let all: Vec<_> = path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    let (name, below) = match all.as_slice() {
        ["functions", "v1", name, below @ ..] => (Some(called(names, name)?), below),
        ["functions", "v1"] => return None,
        [first, below @ ..] => match called(names, first) {
            Some(name) => (Some(name), below),
            None => (None, all.as_slice()),
        },
        [] => (None, all.as_slice()),
    };
    let below = below.iter().map(|segment| (*segment).to_owned()).collect();
    Some((name, below))
}

// A shard is the same function deployed under its name, a hyphen and something more. Of two names that fit, the longer is meant:
// health-check is no shard of health.
fn called(names: &[&'static str], first: &str) -> Option<&'static str> {
    let fits = |name: &&'static str| {
        let rest = first.strip_prefix(*name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let fitting = names.iter().copied().filter(fits);
    fitting.max_by_key(|name| name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_is_the_same_wherever_the_function_is_mounted() {
        for path in [
            "/functions/v1/enqueue/abc",
            "/enqueue/abc",
            "/functions/v1/enqueue-eu/abc",
            "/abc",
            "//enqueue//abc/",
        ] {
            let (_, found) = split(&["enqueue"], path).unwrap();
            assert_eq!(found, ["abc"], "{path}");
        }
        let (name, below) = split(&["enqueue"], "/functions/v1/enqueue").unwrap();
        assert_eq!((name, below.len()), (Some("enqueue"), 0));
    }

    #[test]
    fn a_function_knows_by_which_of_its_names_it_was_called() {
        let names = ["health", "health-check"];
        for (path, name) in [
            ("/functions/v1/health", Some("health")),
            ("/functions/v1/health-eu", Some("health")),
            ("/functions/v1/health-check/abc", Some("health-check")),
            ("/health-check", Some("health-check")),
            ("/functions/v1/health-check-eu", Some("health-check")),
            ("/abc", None),
            ("/", None),
        ] {
            assert_eq!(split(&names, path).unwrap().0, name, "{path}");
        }
    }

    #[test]
    fn a_path_below_functions_that_names_another_function_is_not_ours() {
        for path in [
            "/functions/v1/nonexistent",
            "/functions/v1/nonexistent/abc",
            "/functions/v1/enqueue2",
            "/functions/v1/Enqueue",
            "/functions/v1/%65nqueue",
            "/functions/v1/enqueu",
            "/functions/v1/",
            "/functions/v1",
        ] {
            assert_eq!(split(&["enqueue"], path), None, "{path}");
        }
    }

    #[test]
    fn a_correlation_id_that_could_split_a_header_is_not_taken() {
        assert!(is_plain("trace-1.a:b_c"));
        for id in ["", "a b", "a\r\nset-cookie: x", "é", &"x".repeat(129)] {
            assert!(!is_plain(id));
        }
    }
}

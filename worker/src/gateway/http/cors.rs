//! Cross-origin rules, as PostgREST has them: any origin, since the token decides and not a cookie.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN,
};
use hyper::{Method, Response, StatusCode};

use super::{Answer, body};

const METHODS: HeaderValue =
    HeaderValue::from_static("GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD");
const HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, Accept, Accept-Language, Content-Language, Prefer, Range, \
     Accept-Profile, Content-Profile, apikey, x-client-info",
);
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, \
     Transfer-Encoding, Range-Unit, Preference-Applied, Content-Profile, Proxy-Status, Retry-After",
);

/// The answer to a browser's preflight; None for any other request.
pub(crate) fn preflight(method: &Method, headers: &HeaderMap) -> Option<Answer> {
    let asks = headers.contains_key(ORIGIN) && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if method != Method::OPTIONS || !asks {
        return None;
    }
    // Echoing what was asked for lets a client add its own headers, as `*` does not cover
    // Authorization.
    let asked = headers.get(ACCESS_CONTROL_REQUEST_HEADERS);
    let mut answer = Response::new(body::empty());
    *answer.status_mut() = StatusCode::OK;
    let out = answer.headers_mut();
    out.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    out.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    out.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        asked.cloned().unwrap_or(HEADERS),
    );
    out.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    Some(answer)
}

/// Lets a page of any origin read the answer and the headers that clients look at.
pub(crate) fn open(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preflight_allows_the_headers_it_asks_for() {
        let mut headers = HeaderMap::new();
        headers.insert(ORIGIN, HeaderValue::from_static("http://page"));
        headers.insert(
            ACCESS_CONTROL_REQUEST_METHOD,
            HeaderValue::from_static("POST"),
        );
        headers.insert(
            ACCESS_CONTROL_REQUEST_HEADERS,
            HeaderValue::from_static("x-mine"),
        );
        let answer = preflight(&Method::OPTIONS, &headers).unwrap();
        assert_eq!(answer.headers()[ACCESS_CONTROL_ALLOW_HEADERS], "x-mine");
    }

    #[test]
    fn a_plain_options_request_is_no_preflight() {
        assert!(preflight(&Method::OPTIONS, &HeaderMap::new()).is_none());
        assert!(preflight(&Method::GET, &HeaderMap::new()).is_none());
    }
}

//! Cross-origin rules of the one address: REST, storage and functions alike.
//!
//! A function answers its own preflights, as on Supabase, and what it says is left alone. Whatever it does not say, because it is not there
//! or does not know about origins, is said here.

use gristmill_core::cors::{MAX_AGE, METHODS, Origins, READ, allowed_headers};
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use hyper::{Method, Response, StatusCode};

use super::{Answer, body};

/// What a page of another origin is told about one request.
pub(crate) struct Cors {
    allowed: Option<HeaderValue>,
    /// The headers that it asks for, where it is a preflight.
    preflight: Option<String>,
}

impl Cors {
    pub(crate) fn of(origins: &Origins, method: &Method, headers: &HeaderMap) -> Self {
        let origin = headers.get(ORIGIN).and_then(|value| value.to_str().ok());
        let allowed = origin.and_then(|origin| origins.allowed(origin));
        let asks = origin.is_some() && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        let asked = headers.get(ACCESS_CONTROL_REQUEST_HEADERS);
        let asked = asked.and_then(|value| value.to_str().ok());
        Self {
            allowed: allowed.and_then(|origin| HeaderValue::try_from(origin).ok()),
            preflight: (method == Method::OPTIONS && asks).then(|| allowed_headers(asked)),
        }
    }

    /// The answer to a browser's preflight; None for any other request. A page that is not allowed is told nothing, and the browser
    /// then sends nothing.
    pub(crate) fn preflight(&self) -> Option<Answer> {
        let asked = self.preflight.as_deref()?;
        let mut answer = Response::new(body::empty());
        *answer.status_mut() = StatusCode::NO_CONTENT;
        if self.allowed.is_some()
            && let Ok(headers) = HeaderValue::try_from(asked)
        {
            let out = answer.headers_mut();
            out.insert(
                ACCESS_CONTROL_ALLOW_METHODS,
                HeaderValue::from_static(METHODS),
            );
            out.insert(ACCESS_CONTROL_ALLOW_HEADERS, headers);
            out.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
        }
        Some(answer)
    }

    /// The answer of a function, or in its place our own to a preflight that it has not understood.
    pub(crate) fn answered(&self, answer: Answer) -> Answer {
        if answer.headers().contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) || self.allowed.is_none() {
            return answer;
        }
        self.preflight().unwrap_or(answer)
    }

    /// Lets the page read the answer, and the headers that clients look at. What is said already stays.
    pub(crate) fn open(&self, headers: &mut HeaderMap) {
        if headers.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN) {
            return;
        }
        // Also where nothing is allowed: a cache must not give that answer to a page that is.
        headers.append(VARY, HeaderValue::from_static("Origin"));
        let Some(allowed) = &self.allowed else {
            return;
        };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed.clone());
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(READ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preflight_of(origin: &'static str) -> Cors {
        let headers = HeaderMap::from_iter([
            (ORIGIN, HeaderValue::from_static(origin)),
            (
                ACCESS_CONTROL_REQUEST_METHOD,
                HeaderValue::from_static("POST"),
            ),
            (
                ACCESS_CONTROL_REQUEST_HEADERS,
                HeaderValue::from_static("x-mine"),
            ),
        ]);
        Cors::of(&Origins::parse("http://page"), &Method::OPTIONS, &headers)
    }

    #[test]
    fn a_preflight_of_an_allowed_origin_gets_the_headers_it_asks_for_and_another_gets_none() {
        let answer = preflight_of("http://page").preflight().unwrap();
        let allowed = answer.headers()[ACCESS_CONTROL_ALLOW_HEADERS]
            .to_str()
            .unwrap();
        assert!(allowed.contains("x-mine") && allowed.contains("idempotency-key"));
        let answer = preflight_of("http://other").preflight().unwrap();
        assert!(answer.headers().is_empty());
    }

    #[test]
    fn what_a_function_says_about_origins_is_left_alone() {
        let cors = preflight_of("http://page");
        let mut answer = Response::new(body::empty());
        answer.headers_mut().insert(
            ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("http://other"),
        );
        let mut answer = cors.answered(answer);
        cors.open(answer.headers_mut());
        assert_eq!(
            answer.headers()[ACCESS_CONTROL_ALLOW_ORIGIN],
            "http://other"
        );
        let unknown = cors.answered(Response::new(body::empty()));
        assert_eq!(unknown.status(), StatusCode::NO_CONTENT);
    }

    #[test]
    fn a_plain_options_request_is_no_preflight() {
        let origins = Origins::parse("*");
        let plain = Cors::of(&origins, &Method::OPTIONS, &HeaderMap::new());
        assert!(plain.preflight().is_none());
    }
}

//! What is served under `/console`: the page, its configuration, and the headers that keep both safe.

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    HeaderValue, IF_NONE_MATCH, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Response, StatusCode};
use serde::Serialize;

use crate::files::{File, Files, tag};

/// The page's own scripts and styles, requests to its own host, and images that it has fetched itself. A document's PDF is shown in a frame.
/// Trusted Types make every way to write markup from text throw, so a job named `<img onerror>` can only ever be text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
    frame-src blob:; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// The policy of a page whose deployment has another address than itself.
pub(crate) fn policy(api: &str) -> String {
    POLICY.replace("connect-src 'self';", &format!("connect-src 'self' {api};"))
}

/// Headers of every answer, beside the policy.
pub(crate) const GUARDS: [(HeaderName, &str); 6] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (HeaderName::from_static("x-frame-options"), "DENY"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];

/// What the page reads before anything else.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Config {
    /// Where the deployment answers; empty for the page's own host.
    pub(crate) api: String,
    /// The public key that Supabase wants beside a token.
    pub(crate) api_key: Option<String>,
    /// Ways to sign in: link, password, token.
    pub(crate) sign_in: Vec<&'static str>,
    /// Shown as the deployment's name.
    pub(crate) name: Option<String>,
    pub(crate) version: &'static str,
}

impl Config {
    pub(crate) fn here(sign_in: Vec<&'static str>, name: Option<String>) -> Self {
        Self {
            api: String::new(),
            api_key: None,
            sign_in,
            name,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

impl Config {
    /// A host of static files beside a deployment.
    pub(crate) fn of(url: &str, api_key: Option<String>) -> Self {
        let api = url.trim_end_matches('/').to_owned();
        let name = api.split_once("://").map(|(_, host)| host.to_owned());
        Self {
            api,
            api_key,
            sign_in: vec!["password", "token"],
            name,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The page as one host serves it.
#[derive(Debug)]
pub(crate) struct Page {
    files: Files,
    config: Bytes,
}

impl Page {
    pub(crate) fn new(files: Files, config: &Config) -> Self {
        // Strings and an option of one: there is nothing that JSON could not say.
        let config = serde_json::to_vec(config).unwrap_or_default();
        Self {
            files,
            config: config.into(),
        }
    }

    /// Answers a request for what follows `/console`: nothing, or a slash and the name of a file.
    pub(crate) fn answer(
        &self,
        method: &Method,
        rest: &str,
        headers: &HeaderMap,
    ) -> Response<Bytes> {
        if method != Method::GET && method != Method::HEAD {
            let mut answer = said(
                StatusCode::METHOD_NOT_ALLOWED,
                "console_method",
                "Ask for it with GET.",
            );
            let allowed = HeaderValue::from_static("GET, HEAD");
            answer.headers_mut().insert(ALLOW, allowed);
            return answer;
        }
        // With the slash, so that `./app.js` is found.
        let Some(name) = rest.strip_prefix('/') else {
            let mut answer = empty(StatusCode::PERMANENT_REDIRECT);
            let place = HeaderValue::from_static("/console/");
            answer.headers_mut().insert(LOCATION, place);
            return answer;
        };
        let file = match name {
            "" => self.files.find("index.html"),
            "config.json" => Some(File {
                bytes: self.config.clone(),
                content_type: "application/json; charset=utf-8",
                tag: tag(&self.config),
            }),
            name => self.files.find(name),
        };
        let Some(file) = file else {
            return said(
                StatusCode::NOT_FOUND,
                "console_file",
                "The console has no such file. Open /console/ itself.",
            );
        };
        send(file, headers.get(IF_NONE_MATCH))
    }
}

/// A file under its tag. Names stay the same from version to version, so a browser asks each time, and is told that nothing has changed.
fn send(file: File, known: Option<&HeaderValue>) -> Response<Bytes> {
    let is_known = known
        .and_then(|value| value.to_str().ok())
        .is_some_and(|known| known.split(", ").any(|one| one == file.tag));
    let mut answer = empty(if is_known {
        StatusCode::NOT_MODIFIED
    } else {
        StatusCode::OK
    });
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    if let Ok(tag) = HeaderValue::try_from(file.tag) {
        headers.insert(ETAG, tag);
    }
    if !is_known {
        *answer.body_mut() = file.bytes;
    }
    answer
}

pub(crate) fn empty(status: StatusCode) -> Response<Bytes> {
    let mut answer = Response::new(Bytes::new());
    *answer.status_mut() = status;
    guard(answer.headers_mut(), "no-cache");
    answer
}

/// JSON that no cache may keep.
pub(crate) fn json(status: StatusCode, value: &serde_json::Value) -> Response<Bytes> {
    let mut answer = empty(status);
    *answer.body_mut() = value.to_string().into();
    let headers = answer.headers_mut();
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    headers.insert(CONTENT_TYPE, json);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// A refusal, in the shape of PostgREST's errors, which the page shows.
pub(crate) fn said(status: StatusCode, code: &str, message: &str) -> Response<Bytes> {
    json(
        status,
        &serde_json::json!({ "code": code, "message": message }),
    )
}

pub(crate) fn guard(headers: &mut HeaderMap, cache: &'static str) {
    for (name, value) in GUARDS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let policy = HeaderValue::from_static(POLICY);
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page::new(
            Files::default(),
            &Config::here(vec!["link"], Some("local".to_owned())),
        )
    }

    #[test]
    fn every_answer_under_console_has_the_policy() {
        for (method, rest) in [
            (Method::GET, "/"),
            (Method::GET, ""),
            (Method::GET, "/config.json"),
            (Method::GET, "/none.js"),
            (Method::PUT, "/"),
        ] {
            let answer = page().answer(&method, rest, &HeaderMap::new());
            let policy = answer.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap();
            assert!(policy.starts_with("default-src 'none'; "), "{rest}");
            assert!(!policy.contains("unsafe"), "{rest}");
            assert_eq!(answer.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
        }
    }

    #[test]
    fn a_browser_that_has_the_file_is_told_that_nothing_has_changed() {
        let first = page().answer(&Method::GET, "/", &HeaderMap::new());
        assert_eq!(first.status(), StatusCode::OK);
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, first.headers()[ETAG].clone());
        let second = page().answer(&Method::GET, "/", &headers);
        assert_eq!(second.status(), StatusCode::NOT_MODIFIED);
        assert!(second.body().is_empty());
    }

    #[test]
    fn the_address_without_a_slash_leads_to_the_one_with_it() {
        let answer = page().answer(&Method::GET, "", &HeaderMap::new());
        assert_eq!(answer.headers()[LOCATION], "/console/");
    }

    #[test]
    fn the_configuration_names_the_ways_to_sign_in() {
        let answer = page().answer(&Method::GET, "/config.json", &HeaderMap::new());
        let config: serde_json::Value = serde_json::from_slice(answer.body()).unwrap();
        assert_eq!(config["signIn"], serde_json::json!(["link"]));
        assert_eq!(config["api"], "");
        assert_eq!(config["name"], "local");
    }
}

//! The key of a printed link, and the sessions that it is exchanged for.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Method, Response, StatusCode};
use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac};
use serde::Deserialize;

use crate::{origin, page};

/// How long a session lasts; the page renews it before that.
pub(crate) const LASTS: Duration = Duration::from_secs(3600);

/// More tabs than that, and the oldest session ends.
const SESSIONS: usize = 64;

/// A body is a key and nothing else.
pub(crate) const LARGEST_BODY: usize = 4096;

/// No randomness, so no secrets.
#[derive(Debug, thiserror::Error)]
#[error("the system gives no random numbers")]
pub(crate) struct NoRandomness;

/// 256 random bits, as text that fits into a URL.
pub(crate) fn random() -> Result<String, NoRandomness> {
    let mut bytes = [0; 32];
    let random = SystemRandom::new();
    random.fill(&mut bytes).map_err(|_| NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The key, as a code that says whether another text is the same. Comparing takes as long for a wrong text as for the right one.
pub(crate) struct Key {
    seal: hmac::Key,
    tag: hmac::Tag,
}

impl Key {
    pub(crate) fn new(key: &str) -> Self {
        let seal = hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes());
        let tag = hmac::sign(&seal, key.as_bytes());
        Self { seal, tag }
    }

    fn is(&self, text: &str) -> bool {
        hmac::verify(&self.seal, text.as_bytes(), self.tag.as_ref()).is_ok()
    }

    /// The answer that refuses a request for a session; none where it comes from the console's own page and names the key.
    pub(crate) fn refusal(
        &self,
        method: &Method,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<Response<Bytes>> {
        #[derive(Deserialize)]
        struct Asked {
            key: String,
        }
        if method != Method::POST {
            return Some(page::said(
                StatusCode::METHOD_NOT_ALLOWED,
                "console_method",
                "Ask for a session with POST.",
            ));
        }
        let is_json = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.starts_with("application/json"));
        if !origin::is_loopback_host(headers) || !origin::is_own(headers) || !is_json {
            return Some(page::said(
                StatusCode::FORBIDDEN,
                "console_origin",
                "Only the console's own page can ask for a session. Open the link that was printed, as it was printed.",
            ));
        }
        let asked: Option<Asked> = serde_json::from_slice(body).ok();
        if asked.is_some_and(|asked| self.is(&asked.key)) {
            return None;
        }
        Some(page::said(
            StatusCode::UNAUTHORIZED,
            "console_key",
            "This link belongs to an earlier start. Copy the new one from the terminal.",
        ))
    }
}

/// The answer that gives a session.
pub(crate) fn given(token: &str, role: &str, actor: &str) -> Response<Bytes> {
    page::json(
        StatusCode::OK,
        &serde_json::json!({ "token": token, "expiresIn": LASTS.as_secs(), "role": role, "actor": actor }),
    )
}

/// The sessions of one process. A token is kept as its digest: looking one up tells nothing about how much of it was right.
#[derive(Default)]
pub(crate) struct Sessions {
    ends: Mutex<HashMap<Vec<u8>, Instant>>,
}

impl Sessions {
    pub(crate) fn begin(&self, now: Instant) -> Result<String, NoRandomness> {
        let token = random()?;
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.retain(|_, end| *end > now);
        while ends.len() >= SESSIONS {
            let oldest = ends.iter().min_by_key(|(_, end)| **end);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else {
                break;
            };
            ends.remove(&oldest);
        }
        ends.insert(name(&token), now + LASTS);
        Ok(token)
    }

    pub(crate) fn has(&self, token: &str, now: Instant) -> bool {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.get(&name(token)).is_some_and(|end| *end > now)
    }
}

fn name(token: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes())
        .as_ref()
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use http::header::{HOST, ORIGIN};

    fn headers(host: &'static str, origin: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static(host));
        headers.insert(ORIGIN, HeaderValue::from_static(origin));
        let json = HeaderValue::from_static("application/json");
        headers.insert(CONTENT_TYPE, json);
        headers
    }

    #[test]
    fn a_session_ends_after_an_hour() {
        let sessions = Sessions::default();
        let now = Instant::now();
        let token = sessions.begin(now).unwrap();
        assert!(sessions.has(&token, now + LASTS - Duration::from_secs(1)));
        assert!(!sessions.has(&token, now + LASTS));
        assert!(!sessions.has("", now));
    }

    #[test]
    fn the_oldest_session_makes_way_for_a_new_one() {
        let sessions = Sessions::default();
        let now = Instant::now();
        let first = sessions.begin(now).unwrap();
        for second in 1..=SESSIONS as u64 {
            sessions.begin(now + Duration::from_secs(second)).unwrap();
        }
        assert!(!sessions.has(&first, now));
    }

    #[test]
    fn the_key_admits_only_the_consoles_own_page() {
        let key = Key::new("the-key");
        let body = br#"{"key":"the-key"}"#;
        let own = headers("127.0.0.1:1", "http://127.0.0.1:1");
        assert!(key.refusal(&Method::POST, &own, body).is_none());
        for (headers, body, status) in [
            (&own, &br#"{"key":"the-kez"}"#[..], StatusCode::UNAUTHORIZED),
            (&own, &br#"{"key":""}"#[..], StatusCode::UNAUTHORIZED),
            (&own, &b"the-key"[..], StatusCode::UNAUTHORIZED),
            (
                &headers("127.0.0.1:1", "http://127.0.0.1:2"),
                body,
                StatusCode::FORBIDDEN,
            ),
            (
                &headers("evil.test:1", "http://evil.test:1"),
                body,
                StatusCode::FORBIDDEN,
            ),
        ] {
            let refused = key.refusal(&Method::POST, headers, body).unwrap();
            assert_eq!(refused.status(), status);
        }
        let refused = key.refusal(&Method::GET, &own, body).unwrap();
        assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED);
    }
}

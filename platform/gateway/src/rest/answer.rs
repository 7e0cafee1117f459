//! From Postgres' outcome to an HTTP answer.

use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::{Map, Value};

use super::media::content_type;
use super::request::ApiRequest;
use crate::http::{Answer, body};
use gristmill_dialect::Verb;
use gristmill_dialect::refusal::{Refusal, final_status};
use gristmill_dialect::sql::Format;
use gristmill_pool::Outcome;

/// An answer being put together.
pub(super) struct Draft {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
}

impl Draft {
    pub(super) fn new(status: StatusCode) -> Self {
        let headers = HeaderMap::new();
        Self { status, headers }
    }

    /// Adds a header, unless its value cannot be one.
    pub(super) fn header(&mut self, name: &'static str, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.append(HeaderName::from_static(name), value);
        }
    }

    /// Says which preferences were followed.
    pub(super) fn applied(&mut self, preferences: Vec<String>) {
        if !preferences.is_empty() {
            self.header("preference-applied", &preferences.join(", "));
        }
    }

    /// The answer to OPTIONS.
    pub(super) fn allow(mut self, methods: &[&str]) -> Answer {
        self.header("allow", &methods.join(","));
        self.finish(body::empty())
    }

    /// A document that the gateway itself wrote.
    pub(super) fn with_document(
        mut self,
        request: &ApiRequest,
        content_type: &'static str,
        text: String,
    ) -> Answer {
        let content_type = HeaderValue::from_static(content_type);
        self.headers.insert(CONTENT_TYPE, content_type);
        self.name_profile(request);
        self.finish(body::whole(text))
    }

    /// The answer with the rows as its body.
    pub(super) fn with_rows(
        mut self,
        request: &ApiRequest,
        format: Format,
        outcome: Outcome,
    ) -> Result<Answer, Refusal> {
        self.headers.insert(CONTENT_TYPE, content_type(format));
        self.name_profile(request);
        self.obey(&outcome)?;
        // HEAD: rows are counted and not written, so the length of a body is not known.
        let sent = match request.verb {
            Verb::Head => body::empty(),
            _ => body::collected(outcome.body, &request.visit),
        };
        Ok(self.finish(sent))
    }

    /// The answer without a body.
    pub(super) fn without_body(mut self, outcome: &Outcome) -> Result<Answer, Refusal> {
        self.obey(outcome)?;
        Ok(self.finish(body::empty()))
    }

    fn name_profile(&mut self, request: &ApiRequest) {
        if request.names_profile {
            self.header("content-profile", &request.schema);
        }
    }

    /// Takes over what the database set as `response.status` and `response.headers`.
    fn obey(&mut self, outcome: &Outcome) -> Result<(), Refusal> {
        if let Some(status) = &outcome.status {
            let number = status.parse().map_err(|_| Refusal::StatusGuc)?;
            self.status = final_status(number).ok_or(Refusal::StatusGuc)?;
        }
        if let Some(json) = &outcome.headers {
            let asked = parse_headers(json)?;
            for (name, _) in &asked {
                self.headers.remove(name);
            }
            for (name, value) in asked {
                self.headers.append(name, value);
            }
        }
        Ok(())
    }

    fn finish(self, body: body::Body) -> Answer {
        let mut answer = Response::new(body);
        *answer.status_mut() = self.status;
        *answer.headers_mut() = self.headers;
        answer
    }
}

/// `[{"X-A": "b"}, ...]`. What frames the message is not the database's to set.
fn parse_headers(json: &str) -> Result<Vec<(HeaderName, HeaderValue)>, Refusal> {
    let list: Vec<Map<String, Value>> =
        serde_json::from_str(json).map_err(|_| Refusal::HeadersGuc)?;
    let mut headers = Vec::new();
    for object in list {
        let mut entries = object.into_iter();
        let (Some((name, Value::String(value))), None) = (entries.next(), entries.next()) else {
            return Err(Refusal::HeadersGuc);
        };
        let name: HeaderName = name.parse().map_err(|_| Refusal::HeadersGuc)?;
        let value = HeaderValue::try_from(value).map_err(|_| Refusal::HeadersGuc)?;
        let frames = [
            "content-length",
            "transfer-encoding",
            "connection",
            "upgrade",
        ];
        if !frames.contains(&name.as_str()) {
            headers.push((name, value));
        }
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_name_may_repeat() {
        let headers = parse_headers(r#"[{"Set-Cookie":"a"},{"Set-Cookie":"b"}]"#).unwrap();
        assert_eq!(headers.len(), 2);
    }

    #[test]
    fn headers_in_another_form_are_refused() {
        for json in [
            "{}",
            "[1]",
            r#"[{"a":1}]"#,
            r#"[{"a":"b","c":"d"}]"#,
            "[{}]",
        ] {
            assert!(parse_headers(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_header_cannot_split_the_answer() {
        assert!(parse_headers(r#"[{"X-A":"b\r\nX-C: d"}]"#).is_err());
        assert!(parse_headers(r#"[{"X-A\r\nB":"c"}]"#).is_err());
        assert!(
            parse_headers(r#"[{"Content-Length":"5"}]"#)
                .unwrap()
                .is_empty()
        );
    }
}

//! `Idempotency-Key`: a request that is sent again under the same key gets the first answer and creates nothing.
//!
//! Postgres keeps keys and answers (`public.call_once`); here the header is read, and what the request was is told in a digest.

use std::fmt::Write as _;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use sha2::{Digest, Sha256};

use super::{Call, MAX_BODY};
use gristmill_core::{Code, Problem};
use gristmill_rpc::Once;

/// The header that carries a key.
pub(super) const HEADER: &str = "idempotency-key";
/// The header of an answer that was given before.
pub(super) const REPLAYED: &str = "idempotent-replayed";

/// A key that a caller chose for a request: 1 to 255 printable ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Reads the header's value. The IETF draft has it in quotes; most clients send it without.
    pub fn parse(value: &str) -> Result<Self, Problem> {
        let key = if value.starts_with('"') {
            unquoted(value)
        } else {
            Some(value.to_owned())
        };
        key.filter(|key| (1..=255).contains(&key.len()))
            .filter(|key| key.bytes().all(|byte| (b' '..=b'~').contains(&byte)))
            .map(Self)
            .ok_or_else(|| {
                let detail = "An Idempotency-Key has 1 to 255 printable ASCII characters.";
                Problem::new(Code::InvalidField, detail).at(HEADER)
            })
    }

    /// The key without quotes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<IdempotencyKey> for String {
    fn from(key: IdempotencyKey) -> Self {
        key.0
    }
}

impl JsonSchema for IdempotencyKey {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "IdempotencyKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": 255 })
    }
}

// A string of RFC 8941: in quotes, with a backslash before a quote or a backslash.
fn unquoted(value: &str) -> Option<String> {
    let mut letters = value.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut key = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => key.push(letters.next().filter(|next| "\"\\".contains(*next))?),
            '"' => return None,
            _ => key.push(letter),
        }
    }
    Some(key)
}

impl Call {
    /// The request's Idempotency-Key, where it has one.
    pub fn idempotency_key(&self) -> Result<Option<IdempotencyKey>, Problem> {
        self.header(HEADER)
            .map(|value| IdempotencyKey::parse(&value))
            .transpose()
    }

    /// What makes a retry of this request the same request: its key, and a digest of method, route and body.
    pub(super) async fn once(&mut self, function: &str) -> Result<Option<Once>, Problem> {
        let Some(key) = self.idempotency_key()? else {
            return Ok(None);
        };
        let body = self.keep_body(MAX_BODY).await?;
        let digest = digest(
            self.verb(),
            function,
            self.segments(),
            &self.query_string(),
            &body,
        );
        Ok(Some(Once::new(key.into(), digest)))
    }
}

// The function's own name, not the path it was called by: a retry may come in by another address.
fn digest(verb: &str, function: &str, segments: &[String], query: &str, body: &[u8]) -> String {
    let route = segments.join("/");
    let mut digest = Sha256::new();
    digest.update(format!("{verb} {function}/{route}?{query}\n"));
    digest.update(body);
    let mut hex = String::with_capacity(64);
    for byte in digest.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(value: &str) -> Option<String> {
        IdempotencyKey::parse(value).ok().map(String::from)
    }

    #[test]
    fn a_key_is_the_same_with_and_without_quotes() {
        assert_eq!(key("8e03978e"), Some("8e03978e".into()));
        assert_eq!(key("\"8e03978e\""), Some("8e03978e".into()));
        assert_eq!(key(r#""a\"b\\c""#), Some(r#"a"b\c"#.into()));
        assert_eq!(key("order 7"), Some("order 7".into()));
    }

    #[test]
    fn a_key_that_is_empty_too_long_or_not_printable_is_refused_by_the_header_s_name() {
        let long = "x".repeat(256);
        for value in [
            "", "\"\"", "\"", "\"a", "\"a\"b\"", r#""a\n""#, "a\tb", "a\u{1}", "\u{7f}", "é", &long,
        ] {
            let refused = IdempotencyKey::parse(value).unwrap_err();
            assert_eq!(
                (refused.code, refused.field.as_deref()),
                (Code::InvalidField, Some(HEADER)),
                "{value:?}"
            );
        }
        assert!(key(&"x".repeat(255)).is_some());
    }

    #[test]
    fn another_method_route_query_or_body_is_another_request() {
        let of = |verb: &str, function: &str, path: &[&str], query: &str, body: &str| {
            let segments: Vec<_> = path.iter().map(|part| (*part).to_owned()).collect();
            digest(verb, function, &segments, query, body.as_bytes())
        };
        let first = of("POST", "export", &["v1", "exports"], "", "{}");
        assert_eq!(first, of("POST", "export", &["v1", "exports"], "", "{}"));
        for other in [
            of("PUT", "export", &["v1", "exports"], "", "{}"),
            of("POST", "jobs", &["v1", "exports"], "", "{}"),
            of("POST", "export", &["v1", "exports", "batch"], "", "{}"),
            of("POST", "export", &["v1", "exports"], "a=1", "{}"),
            of("POST", "export", &["v1", "exports"], "", "{ }"),
        ] {
            assert_ne!(first, other);
        }
    }
}

//! A finished span, and how OTLP writes it as JSON.

use std::time::{SystemTime, UNIX_EPOCH};

use gristmill_core::trace::hex;
use serde_json::{Value, json};

/// What a span stands for, by the numbers of OTLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A request that was answered.
    Server = 2,
    /// An attempt of a job that somebody else had enqueued.
    Consumer = 5,
}

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// Words.
    Text(String),
    /// A number.
    Integer(i64),
    /// Yes or no.
    Flag(bool),
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Attribute {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

/// One span, from its begin to its end.
#[derive(Debug, Clone)]
pub struct Span {
    /// Names the trace.
    pub trace: [u8; 16],
    /// Names the span.
    pub id: [u8; 8],
    /// The span that caused it.
    pub parent: Option<[u8; 8]>,
    /// A span of the same trace that it belongs with, and that did not cause it.
    pub link: Option<[u8; 8]>,
    /// Few different ones: a route, a kind.
    pub name: String,
    /// What it stands for.
    pub kind: Kind,
    /// When it began.
    pub begun: SystemTime,
    /// When it ended.
    pub ended: SystemTime,
    /// What else is known of it.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// Whether it stands for a failure.
    pub is_error: bool,
}

/// The body of one request to a collector.
pub(super) fn body(resource: &[(String, String)], spans: &[Span]) -> Value {
    let resource: Vec<_> = resource
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": { "stringValue": value } }))
        .collect();
    let spans: Vec<_> = spans.iter().map(written).collect();
    let scope = json!({ "name": "gristmill", "version": env!("CARGO_PKG_VERSION") });
    json!({ "resourceSpans": [{ "resource": { "attributes": resource }, "scopeSpans": [{ "scope": scope, "spans": spans }] }] })
}

fn written(span: &Span) -> Value {
    let attributes: Vec<_> = span
        .attributes
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value_of(value) }))
        .collect();
    let mut written = json!({
        "traceId": hex(&span.trace),
        "spanId": hex(&span.id),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": nanoseconds(span.begun),
        "endTimeUnixNano": nanoseconds(span.ended),
        "attributes": attributes,
    });
    if let Some(parent) = span.parent {
        written["parentSpanId"] = hex(&parent).into();
    }
    if let Some(link) = span.link {
        written["links"] = json!([{ "traceId": hex(&span.trace), "spanId": hex(&link) }]);
    }
    if span.is_error {
        written["status"] = json!({ "code": 2 });
    }
    written
}

// Numbers of 64 bits are strings in the JSON of OTLP.
fn value_of(value: &Attribute) -> Value {
    match value {
        Attribute::Text(text) => json!({ "stringValue": text }),
        Attribute::Integer(number) => json!({ "intValue": number.to_string() }),
        Attribute::Flag(flag) => json!({ "boolValue": flag }),
    }
}

fn nanoseconds(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_span_is_written_as_otlp_has_it() {
        let begun = UNIX_EPOCH + Duration::new(1_795_000_000, 5);
        let span = Span {
            trace: [0x4b; 16],
            id: [1; 8],
            parent: Some([2; 8]),
            link: Some([3; 8]),
            name: "process echo".into(),
            kind: Kind::Consumer,
            begun,
            ended: begun + Duration::from_millis(1),
            attributes: vec![("gristmill.job.attempt", 2.into()), ("a", "b".into())],
            is_error: true,
        };
        let body = body(&[("service.name".into(), "test".into())], &[span]);
        let resource = &body["resourceSpans"][0];
        assert_eq!(
            resource["resource"]["attributes"][0],
            json!({ "key": "service.name", "value": { "stringValue": "test" } })
        );
        assert_eq!(
            resource["scopeSpans"][0]["spans"][0],
            json!({
                "traceId": "4b".repeat(16), "spanId": "01".repeat(8), "parentSpanId": "02".repeat(8),
                "links": [{ "traceId": "4b".repeat(16), "spanId": "03".repeat(8) }],
                "name": "process echo", "kind": 5, "status": { "code": 2 },
                "startTimeUnixNano": "1795000000000000005", "endTimeUnixNano": "1795000000001000005",
                "attributes": [
                    { "key": "gristmill.job.attempt", "value": { "intValue": "2" } },
                    { "key": "a", "value": { "stringValue": "b" } },
                ],
            })
        );
    }
}

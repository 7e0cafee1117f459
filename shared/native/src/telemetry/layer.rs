//! Turns spans of `tracing` that name their ids into spans that are exported: the attempts of jobs.
//!
//! A library says `info_span!("attempt", trace_id, span_id, …)` and knows nothing of exporting. The ids are hexadecimal texts, as docs/protocol.md has them.
//!
//!   trace_id, span_id               needed
//!   parent_span_id, link_span_id    the producer's span, the attempt before
//!   sampled                         what the producer's `traceparent` said
//!   job, kind, queue, attempt       become attributes
//!   outcome                         recorded before the end; `failed` and `dead` are errors
//!   error_type                      recorded with them

use std::fmt::Debug;
use std::time::SystemTime;

use gristmill_core::trace::from_hex;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::export;
use super::span::{Attribute, Kind, Span};

/// The layer.
pub(super) struct Attempts;

/// Whether a span names its ids.
pub(super) fn is_attempt(of: &Metadata<'_>) -> bool {
    of.is_span()
        && ["trace_id", "span_id"]
            .iter()
            .all(|name| of.fields().field(name).is_some())
}

/// What is known of a span that has not ended.
#[derive(Default)]
struct Open {
    begun: Option<SystemTime>,
    trace: Option<[u8; 16]>,
    span: Option<[u8; 8]>,
    parent: Option<[u8; 8]>,
    link: Option<[u8; 8]>,
    sampled: Option<bool>,
    kind: String,
    outcome: String,
    attributes: Vec<(&'static str, Attribute)>,
}

impl Open {
    fn text(&mut self, field: &Field, text: &str) {
        let bytes = text.as_bytes();
        match field.name() {
            "trace_id" => self.trace = from_hex(bytes).ok(),
            "span_id" => self.span = from_hex(bytes).ok(),
            "parent_span_id" => self.parent = from_hex(bytes).ok(),
            "link_span_id" => self.link = from_hex(bytes).ok(),
            "job" => self.keep("messaging.message.id", text.into()),
            "queue" => self.keep("messaging.destination.name", text.into()),
            "error_type" => self.keep("error.type", text.into()),
            "kind" => {
                self.kind = text.to_owned();
                self.keep("gristmill.job.kind", text.into());
            }
            "outcome" => {
                self.outcome = text.to_owned();
                self.keep("gristmill.job.outcome", text.into());
            }
            _ => {}
        }
    }

    fn keep(&mut self, name: &'static str, value: Attribute) {
        self.attributes.retain(|(known, _)| *known != name);
        self.attributes.push((name, value));
    }

    fn ended(mut self, at: SystemTime) -> Option<Span> {
        let (trace, id) = (self.trace?, self.span?);
        if !export::takes(&trace, self.sampled) {
            return None;
        }
        self.keep("messaging.system", "gristmill".into());
        self.keep("messaging.operation.type", "process".into());
        Some(Span {
            trace,
            id,
            parent: self.parent,
            link: self.link,
            name: format!("process {}", self.kind),
            kind: Kind::Consumer,
            begun: self.begun.unwrap_or(at),
            ended: at,
            is_error: matches!(self.outcome.as_str(), "failed" | "dead"),
            attributes: self.attributes,
        })
    }
}

impl Visit for Open {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.text(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        if field.name() == "sampled" {
            self.sampled = Some(value);
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        if field.name() == "attempt" {
            self.keep("gristmill.job.attempt", value.into());
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.text(field, &format!("{value:?}"));
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Attempts {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let mut open = Open {
                begun: Some(SystemTime::now()),
                ..Open::default()
            };
            attributes.record(&mut open);
            span.extensions_mut().insert(open);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<Open>()
        {
            values.record(open);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let open = context
            .span(&id)
            .and_then(|span| span.extensions_mut().remove::<Open>());
        if let Some(span) = open.and_then(|open| open.ended(SystemTime::now())) {
            export::export(span);
        }
    }
}

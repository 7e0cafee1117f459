//! W3C Trace Context of jobs: which span an attempt is, whose child it is, and what it is linked to.

use std::fmt::{self, Write};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::job::JobId;

/// The header `traceparent`, version 00.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traceparent {
    /// 32 hexadecimal digits.
    pub trace_id: String,
    /// 16 hexadecimal digits.
    pub span_id: String,
    /// Whether the producer's trace is recorded.
    pub is_sampled: bool,
}

impl Traceparent {
    /// Reads the header. Nothing when it is malformed, as W3C asks for: a wrong one counts as none.
    pub fn parse(header: &str) -> Option<Self> {
        let mut parts = header.split('-');
        let version = parts.next().filter(|version| is_hex(version, 2))?;
        let trace_id = parts.next().filter(|id| is_hex(id, 32) && !is_zero(id))?;
        let span_id = parts.next().filter(|id| is_hex(id, 16) && !is_zero(id))?;
        let flags = parts.next().filter(|flags| is_hex(flags, 2))?;
        // Later versions may add parts; ff is none.
        if version == "ff" || (version == "00" && parts.next().is_some()) {
            return None;
        }
        Some(Self {
            trace_id: trace_id.to_owned(),
            span_id: span_id.to_owned(),
            is_sampled: u8::from_str_radix(flags, 16).ok()? & 1 == 1,
        })
    }
}

impl fmt::Display for Traceparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = u8::from(self.is_sampled);
        write!(f, "00-{}-{}-{flags:02x}", self.trace_id, self.span_id)
    }
}

fn is_hex(text: &str, length: usize) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == length && text.bytes().all(is_digit)
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'0')
}

/// The span of one attempt. Its id follows from the job and the attempt, so that a retry can name the attempt before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptSpan {
    /// The producer's trace, or one of the job's own.
    pub trace_id: String,
    /// This attempt.
    pub span_id: String,
    /// The producer's span, where there is one.
    pub parent_span_id: Option<String>,
    /// The attempt before, which this one has a link to.
    pub link_span_id: Option<String>,
    is_sampled: bool,
}

impl AttemptSpan {
    /// The span of this attempt, under the `traceparent` that the job was enqueued with.
    pub fn of(job: JobId, attempt: u32, traceparent: Option<&str>) -> Self {
        let parent = traceparent.and_then(Traceparent::parse);
        let (trace_id, parent_span_id, is_sampled) = match parent {
            Some(parent) => (parent.trace_id, Some(parent.span_id), parent.is_sampled),
            None => (Uuid::from(job).simple().to_string(), None, true),
        };
        Self {
            trace_id,
            span_id: span_id(job, attempt),
            parent_span_id,
            link_span_id: (attempt > 1).then(|| span_id(job, attempt - 1)),
            is_sampled,
        }
    }

    /// What calls on behalf of the job carry.
    pub fn traceparent(&self) -> Traceparent {
        Traceparent {
            trace_id: self.trace_id.clone(),
            span_id: self.span_id.clone(),
            is_sampled: self.is_sampled,
        }
    }
}

/// The first 8 bytes of SHA-256 of `{job}:{attempt}`.
fn span_id(job: JobId, attempt: u32) -> String {
    let digest = Sha256::digest(format!("{job}:{attempt}"));
    let mut id = String::with_capacity(16);
    for byte in &digest[..8] {
        let _ = write!(id, "{byte:02x}"); // writing to a String cannot fail
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn job() -> JobId {
        "0190a0a0-0000-7000-8000-000000000001".parse().unwrap()
    }

    #[test]
    fn a_traceparent_survives_and_a_malformed_one_counts_as_none() {
        assert_eq!(Traceparent::parse(PARENT).unwrap().to_string(), PARENT);
        for wrong in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        ] {
            assert_eq!(Traceparent::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_retry_is_a_child_of_the_producer_and_linked_to_the_attempt_before() {
        let first = AttemptSpan::of(job(), 1, Some(PARENT));
        let second = AttemptSpan::of(job(), 2, Some(PARENT));
        assert_eq!(first.link_span_id, None);
        assert_eq!(second.link_span_id, Some(first.span_id));
        assert_eq!(second.parent_span_id.as_deref(), Some("00f067aa0ba902b7"));
        assert_eq!(second.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
    }

    #[test]
    fn a_job_without_a_producer_has_a_trace_of_its_own() {
        let span = AttemptSpan::of(job(), 1, None);
        assert_eq!(span.trace_id, "0190a0a0000070008000000000000001");
        assert_eq!(span.parent_span_id, None);
        // printf '%s' 0190a0a0-0000-7000-8000-000000000001:1 | sha256sum | cut -c1-16
        assert_eq!(span.span_id, SPAN_OF_FIRST_ATTEMPT);
    }

    const SPAN_OF_FIRST_ATTEMPT: &str = "285182a32df51e14";
}

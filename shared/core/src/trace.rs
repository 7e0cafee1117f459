//! W3C Trace Context: which trace a request belongs to, and the ids of the spans of a job's attempts.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The header that carries it.
pub const HEADER: &str = "traceparent";

/// A `traceparent` that holds up: lower-case hexadecimal, neither id zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Traceparent {
    /// Names the trace.
    pub trace: [u8; 16],
    /// The span of whoever made the call.
    pub span: [u8; 8],
    /// The lowest bit: whether the trace is kept by those who record it.
    pub flags: u8,
}

/// The text is no `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a traceparent of W3C Trace Context")]
pub struct NotATraceparent;

impl Traceparent {
    /// Whether spans of this trace are to be exported.
    pub fn is_sampled(&self) -> bool {
        self.flags & 1 == 1
    }

    /// The same trace, from another span on.
    pub fn from_span(self, span: [u8; 8]) -> Self {
        Self { span, ..self }
    }
}

impl FromStr for Traceparent {
    type Err = NotATraceparent;

    // A later version may say more behind a further hyphen. What is known of it is read as that of version 00.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = text.as_bytes();
        let is_version_00 = text.starts_with("00-");
        let ends = match bytes.len() {
            55 => true,
            56.. => !is_version_00 && bytes[55] == b'-',
            _ => false,
        };
        if !ends || [2, 35, 52].iter().any(|at| bytes[*at] != b'-') {
            return Err(NotATraceparent);
        }
        let [version] = from_hex(&bytes[..2])?;
        let trace = from_hex(&bytes[3..35])?;
        let span = from_hex(&bytes[36..52])?;
        let [flags] = from_hex(&bytes[53..55])?;
        if version == 0xff || trace == [0; 16] || span == [0; 8] {
            return Err(NotATraceparent);
        }
        Ok(Self { trace, span, flags })
    }
}

impl fmt::Display for Traceparent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trace, span, flags } = self;
        write!(f, "00-{}-{}-{flags:02x}", hex(trace), hex(span))
    }
}

impl TryFrom<String> for Traceparent {
    type Error = NotATraceparent;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Traceparent> for String {
    fn from(parent: Traceparent) -> Self {
        parent.to_string()
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from(b"0123456789abcdef"[usize::from(four)]);
    let digits = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    digits.collect()
}

/// As many bytes as the text has pairs of lower-case hexadecimal digits.
pub fn from_hex<const N: usize>(text: &[u8]) -> Result<[u8; N], NotATraceparent> {
    if text.len() != 2 * N {
        return Err(NotATraceparent);
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        _ => Err(NotATraceparent),
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Ok(bytes)
}

/// The id of the span of one attempt of a job. It follows from the job, so that the next attempt, on whatever machine, can link to it.
pub fn span_of_attempt(job: &impl fmt::Display, attempt: u32) -> [u8; 8] {
    let digest = Sha256::digest(format!("{job}:{attempt}").to_lowercase());
    let mut span = [0; 8];
    span.copy_from_slice(&digest[..8]);
    span
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_traceparent_is_written_as_it_was_read() {
        let parent: Traceparent = GOOD.parse().unwrap();
        assert_eq!(parent.to_string(), GOOD);
        assert!(parent.is_sampled());
        let unsampled: Traceparent = GOOD.replace("-01", "-00").parse().unwrap();
        assert!(!unsampled.is_sampled());
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known() {
        for later in [
            GOOD.replacen("00-", "cc-", 1),
            format!("{}-what-comes", GOOD.replacen("00-", "01-", 1)),
        ] {
            assert_eq!(later.parse::<Traceparent>().unwrap().to_string(), GOOD);
        }
    }

    #[test]
    fn what_w3c_calls_invalid_is_not_taken() {
        for wrong in [
            "".to_owned(),
            GOOD.to_uppercase(),
            GOOD.replacen("00-", "ff-", 1),
            format!("{GOOD}-more"),
            format!("{}x", GOOD.replacen("00-", "01-", 1)),
            GOOD.replace('-', "_"),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01".to_owned(),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01".to_owned(),
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01".to_owned(),
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g".to_owned(),
            "é".repeat(30),
        ] {
            assert!(wrong.parse::<Traceparent>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_span_of_an_attempt_follows_from_job_and_attempt() {
        // As docs/protocol.md has it: printf 01a1e273-88a8-7a97-9476-25074e8fc71c:1 | sha256sum | cut -c1-16
        let job = "01A1E273-88a8-7a97-9476-25074e8fc71c";
        assert_eq!(hex(&span_of_attempt(&job, 1)), "248effcd867920ee");
        assert_ne!(span_of_attempt(&job, 1), span_of_attempt(&job, 2));
    }
}

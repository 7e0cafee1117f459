//! Objects: files that are too large for a row, under keys that the server makes.
//!
//! Two stores are real: the Supabase Storage API, and an R2 bucket bound as `FILES`. A function chooses by
//! configuration ([`Store`]); the native worker speaks to either over HTTP. [`link`] signs what R2 cannot.

#[cfg(feature = "edge")]
mod edge;
pub mod link;
mod listing;
#[cfg(feature = "edge")]
mod r2;
#[cfg(feature = "edge")]
mod supabase;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[cfg(feature = "edge")]
pub use edge::{Body, Found, Storage, Store};
pub use listing::{Listed, Listing};

use crate::{Code, Problem};

/// The one bucket.
pub const BUCKET: &str = "gristmill";

/// The longest key.
const MAX_KEY: usize = 512;

/// Where an object lies: segments of plain characters, never a client's file name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ObjectKey(String);

/// The text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an object key is segments of letters, digits, '-', '_' and '.', joined by '/'")]
pub struct BadKey;

impl ObjectKey {
    /// The key as it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ObjectKey {
    type Err = BadKey;

    // Plain characters need no escaping in a URL, a header, a file system or a ZIP: what could climb out of a
    // prefix or mean two things cannot be written at all.
    fn from_str(text: &str) -> Result<Self, BadKey> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let fits = (1..=MAX_KEY).contains(&text.len())
            && text.split('/').all(|segment| {
                !segment.is_empty()
                    && segment.len() <= 200
                    && !segment.bytes().all(|byte| byte == b'.')
                    && segment.bytes().all(plain)
            });
        fits.then(|| Self(text.to_owned())).ok_or(BadKey)
    }
}

impl<'de> Deserialize<'de> for ObjectKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Why the store did not do it.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// There is no such object.
    #[error("there is no such object")]
    NotFound,
    /// This token may not.
    #[error("the object store refused this caller")]
    Denied,
    /// The store cannot be reached, or fails.
    #[error("the object store is away: {0}")]
    Away(String),
    /// The sender of the body stopped, or sent more than allowed: the caller knows why.
    #[error("the body could not be read to its end")]
    Body,
}

impl From<StorageError> for Problem {
    fn from(error: StorageError) -> Self {
        let problem = match &error {
            StorageError::NotFound => {
                Problem::new(Code::NotFound, "There is no such file, or it is not yours.")
            }
            StorageError::Denied => Problem::new(Code::Forbidden, "This token does not allow it."),
            StorageError::Away(_) => {
                Problem::new(Code::StorageUnavailable, "Try again in a few seconds.")
            }
            StorageError::Body => Problem::new(
                Code::IncompleteBody,
                "The body ended before it was complete.",
            ),
        };
        problem.because(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_cannot_climb_or_hide() {
        for text in [
            "",
            "/a",
            "a/",
            "a//b",
            "..",
            "a/../b",
            "a/./b",
            "a/...",
            "a b",
            "a\\b",
            "a%2e%2e/b",
            "a\0b",
            "a\r\nb",
            "é",
            "\u{2024}\u{2024}/b",
            "a?b",
            "a#b",
            &"x".repeat(201),
            &"x/".repeat(300),
        ] {
            assert_eq!(text.parse::<ObjectKey>(), Err(BadKey), "{text:?}");
        }
        assert!(
            "0190a0a0-0000-7000-8000-000000000001/x/page-1.png"
                .parse::<ObjectKey>()
                .is_ok()
        );
    }
}

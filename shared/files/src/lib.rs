//! Files that are too large for a row: objects, under keys that the server makes.
//!
//! Two stores are real: the Supabase Storage API, and an R2 bucket bound as `FILES`. A function chooses by configuration (`gristmill-edge`); a native
//! program speaks to either over HTTP ([`Objects`]). [`link`] signs what R2 cannot.

#[cfg(feature = "client")]
mod client;
pub mod link;
mod listing;
mod sniff;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[cfg(feature = "client")]
pub use client::{Objects, ObjectsError};
pub use listing::{Listed, Listing};
pub use sniff::{SNIFFED, sniff};

use gristmill_core::{Code, Problem};

/// The bucket of our own objects. Others are rows of `mill.bucket`.
pub const BUCKET: &str = "gristmill";

/// The longest key.
const MAX_KEY: usize = 512;

/// Where an object lies: in [`BUCKET`] segments of plain characters, never a client's file name. An object of another bucket is written
/// `bucket:key`; see `sql/files/tables.sql`. There clients choose names, so a key may have every character that Supabase Storage takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ObjectKey(String);

/// The text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "an object key is segments of letters, digits, '-', '_' and '.', joined by '/', perhaps after 'bucket:', where a few more characters are allowed"
)]
pub struct BadKey;

impl ObjectKey {
    /// The key as Postgres knows it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A key of a bucket.
    pub fn within(bucket: &str, key: &str) -> Result<Self, BadKey> {
        qualified(bucket, key)?.parse()
    }

    /// The bucket that the object lies in.
    pub fn bucket(&self) -> &str {
        apart(&self.0).0
    }

    /// The key within that bucket, as it is written in a body that is sent to the Storage API.
    pub fn name(&self) -> &str {
        apart(&self.0).1
    }

    /// `bucket/key` as it stands in a URL of the Storage API: what is not plain is escaped.
    pub fn path(&self) -> String {
        let (bucket, name) = apart(&self.0);
        let mut path = format!("{bucket}/");
        for byte in name.bytes() {
            match byte {
                b'/' => path.push('/'),
                byte if is_plain(byte) => path.push(char::from(byte)),
                byte => path.push_str(&format!("%{byte:02X}")),
            }
        }
        path
    }
}

// No key of our own bucket has a colon. In another bucket the first one ends the bucket's name.
fn apart(text: &str) -> (&str, &str) {
    text.split_once(':').unwrap_or((BUCKET, text))
}

// Our own bucket is never written, so that an object has one name.
fn qualified(bucket: &str, key: &str) -> Result<String, BadKey> {
    match bucket {
        BUCKET if key.contains(':') => Err(BadKey),
        BUCKET => Ok(key.to_owned()),
        other => Ok(format!("{other}:{key}")),
    }
}

fn is_bucket(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len()) && !text.starts_with('-') && text.bytes().all(plain)
}

type IsSegment = fn(&str) -> bool;

// The rest of a text that may begin with the name of another bucket, and how a segment of it may look.
fn within_bucket(text: &str) -> Option<(&str, IsSegment)> {
    match text.split_once(':') {
        None => Some((text, is_segment)),
        Some((bucket, rest)) => {
            (is_bucket(bucket) && bucket != BUCKET).then_some((rest, is_clients_segment))
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ObjectKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let (key, is_segment) = within_bucket(text).ok_or(BadKey)?;
        let fits = key.len() <= MAX_KEY && key.split('/').all(is_segment);
        fits.then(|| Self(text.to_owned())).ok_or(BadKey)
    }
}

// Plain characters need no escaping in a URL, a header, a file system or a ZIP: what could climb out of a
// prefix or mean two things cannot be written at all.
fn is_segment(text: &str) -> bool {
    is_name(text) && text.bytes().all(is_plain)
}

// What Supabase Storage takes beside that, because clients name their files as their users do. `mill.is_upload_place` has the same list.
fn is_clients_segment(text: &str) -> bool {
    let allowed = |byte: u8| is_plain(byte) || b"!*'() &$@=;:+,?".contains(&byte);
    is_name(text) && text.bytes().all(allowed)
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)
}

fn is_name(text: &str) -> bool {
    (1..=200).contains(&text.len()) && !text.bytes().all(|byte| byte == b'.')
}

/// How keys begin: whole segments, each with its `/`, and perhaps the beginning of one more. What could climb out of a folder cannot be
/// written, as in a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// The prefix as it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A prefix of keys of a bucket.
    pub fn within(bucket: &str, prefix: &str) -> Result<Self, BadKey> {
        qualified(bucket, prefix)?.parse()
    }

    /// The bucket whose keys these are.
    pub fn bucket(&self) -> &str {
        apart(&self.0).0
    }

    /// The folder that everything with this prefix lies in, without its last `/`; empty for the root.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The same within the folder of one owner: `<id>` alone means `<id>/`, never another id that begins with it. None
    /// where it names no owner.
    pub fn of_one_owner(self) -> Option<Self> {
        match apart(&self.0).1 {
            "" => None,
            name if name.contains('/') => Some(self),
            _ => Some(Self(format!("{}/", self.0))),
        }
    }

    /// The first segment with its `/`, where it is whole.
    pub fn owner_folder(&self) -> Option<&str> {
        self.0.find('/').map(|at| &self.0[..=at])
    }
}

impl FromStr for KeyPrefix {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let (prefix, is_segment) = within_bucket(text).ok_or(BadKey)?;
        let (folder, begun) = match prefix.rsplit_once('/') {
            Some((folder, begun)) => (Some(folder), begun),
            None => (None, prefix),
        };
        let fits = prefix.len() <= MAX_KEY
            && folder.is_none_or(|folder| folder.split('/').all(is_segment))
            && (begun.is_empty() || is_segment(begun));
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
    #[error("the object store does not answer: {0}")]
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
            StorageError::Denied => Problem::new(
                Code::Forbidden,
                "This token does not allow access to this file.",
            ),
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

/// A signed link that saves under a name: both stores take the name for Content-Disposition from the query.
pub fn saved_as(link: &str, name: &str) -> String {
    let joint = if link.contains('?') { '&' } else { '?' };
    let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
    format!("{link}{joint}download={name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: [&str; 17] = [
        "/a",
        "a//b",
        "..",
        "../",
        "a/../b",
        "a/../",
        "a/..",
        "a/./b",
        "a/...",
        "a b",
        "a\\b",
        "a\\..\\b",
        "a%2e%2e/b",
        "%2e%2e/",
        "a\0b",
        "a\r\nb",
        "\u{2024}\u{2024}/b",
    ];

    #[test]
    fn a_name_in_a_link_cannot_end_it() {
        assert_eq!(
            saved_as("/x?token=t", "a&b=c d.pdf"),
            "/x?token=t&download=a%26b%3Dc+d.pdf"
        );
        assert_eq!(saved_as("/x", "é"), "/x?download=%C3%A9");
    }

    #[test]
    fn a_prefix_cannot_climb_or_hide() {
        for text in HOSTILE {
            assert_eq!(text.parse::<KeyPrefix>(), Err(BadKey), "{text:?}");
        }
        for text in ["", "a", "a/", "a/b", "a/b/", "a/b/c.t"] {
            assert!(text.parse::<KeyPrefix>().is_ok(), "{text:?}");
        }
    }

    #[test]
    fn a_prefix_of_one_owner_never_reaches_an_id_that_begins_with_its_own() {
        let of = |text: &str| text.parse::<KeyPrefix>().unwrap().of_one_owner();
        assert_eq!(of(""), None);
        assert_eq!(of("ab").unwrap().as_str(), "ab/");
        assert_eq!(of("ab/c").unwrap().as_str(), "ab/c");
        assert_eq!(of("ab/c").unwrap().owner_folder(), Some("ab/"));
        assert_eq!(of("ab/c/d").unwrap().folder(), "ab/c");
    }

    #[test]
    fn an_object_of_another_bucket_is_named_with_it() {
        let key: ObjectKey = "exports:a/b.pdf".parse().unwrap();
        assert_eq!((key.bucket(), key.name()), ("exports", "a/b.pdf"));
        let key: ObjectKey = "a/b.pdf".parse().unwrap();
        assert_eq!((key.bucket(), key.name()), (BUCKET, "a/b.pdf"));
        assert_eq!(ObjectKey::within(BUCKET, "a").unwrap().as_str(), "a");
        assert_eq!(
            ObjectKey::within("exports", "a").unwrap().as_str(),
            "exports:a"
        );
        for text in [
            "gristmill:a",
            ":a",
            "x:",
            "x:a/../b",
            "x:/a",
            "x:a\\b",
            "x:a%2fb",
            "x:\u{e9}",
            "../x:a",
            "X:a",
            "-x:a",
            "a/b:c",
        ] {
            assert_eq!(text.parse::<ObjectKey>(), Err(BadKey), "{text:?}");
        }
        let key = ObjectKey::within("medical-docs", "u/6:00_My scan (1).pdf").unwrap();
        assert_eq!(
            (key.bucket(), key.name()),
            ("medical-docs", "u/6:00_My scan (1).pdf")
        );
        assert_eq!(key.path(), "medical-docs/u/6%3A00_My%20scan%20%281%29.pdf");
        assert_eq!(ObjectKey::within(BUCKET, "other:a"), Err(BadKey));
        let prefix = KeyPrefix::within("exports", "ab").unwrap();
        assert_eq!(prefix.bucket(), "exports");
        let prefix = prefix.of_one_owner().unwrap();
        assert_eq!(prefix.owner_folder(), Some("exports:ab/"));
        assert_eq!(
            KeyPrefix::within("exports", "").unwrap().of_one_owner(),
            None
        );
    }

    #[test]
    fn a_key_cannot_climb_or_hide() {
        for text in HOSTILE {
            assert_eq!(text.parse::<ObjectKey>(), Err(BadKey), "{text:?}");
        }
        for text in [
            "",
            "a/",
            "é",
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

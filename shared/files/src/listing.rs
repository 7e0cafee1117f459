//! What lies below a prefix, and how the Supabase Storage API says so.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// One object of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Where it lies.
    pub key: String,
    /// In bytes.
    pub size: u64,
    /// When it was written.
    pub updated_at: DateTime<Utc>,
}

/// A part of a listing, in the order of keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// What was found.
    pub objects: Vec<Listed>,
    /// Where to go on; none at the end.
    pub cursor: Option<String>,
}

impl Listing {
    /// Reads an answer of `POST /object/list-v2/BUCKET`.
    pub fn from_supabase(answer: &[u8]) -> Result<Self, serde_json::Error> {
        let answer: Answer = serde_json::from_slice(answer)?;
        let objects = answer.objects.into_iter().map(|object| Listed {
            key: object.key.unwrap_or(object.name),
            size: object.metadata.unwrap_or_default().size,
            updated_at: object.updated_at,
        });
        Ok(Self {
            objects: objects.collect(),
            cursor: answer.next_cursor.filter(|_| answer.has_next),
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    has_next: bool,
    next_cursor: Option<String>,
    objects: Vec<Object>,
}

// `key` is the whole path; servers that do not send it yet have the whole path as `name`.
#[derive(Deserialize)]
struct Object {
    key: Option<String>,
    name: String,
    updated_at: DateTime<Utc>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize, Default)]
struct Metadata {
    size: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_an_answer_are_read() {
        let answer = br#"{"hasNext": false, "folders": [], "nextCursor": "x", "objects": [
            {"id": "1", "name": "a/b", "updated_at": "2030-01-01T00:00:00Z", "metadata": {"size": 3}},
            {"id": "2", "name": "c", "key": "a/c", "updated_at": "2030-01-01T00:00:00Z", "metadata": null}]}"#;
        let listing = Listing::from_supabase(answer).unwrap();
        let found: Vec<_> = listing
            .objects
            .iter()
            .map(|object| (object.key.as_str(), object.size))
            .collect();
        assert_eq!(found, [("a/b", 3), ("a/c", 0)]);
        assert_eq!(listing.cursor, None);
    }
}

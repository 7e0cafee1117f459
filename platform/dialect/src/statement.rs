//! SQL with its values beside it, how its rows become an answer, and what Postgres says when it refuses.

use bytes::Bytes;

/// A statement and the values of its `$1`, `$2`, ...
#[derive(Debug, Default)]
pub struct Sql {
    pub text: String,
    pub params: Vec<Param>,
}

/// A value on its way to Postgres, which converts it by the type that its place asks for.
#[derive(Debug)]
pub enum Param {
    Text(String),
    /// A request body, shared rather than copied.
    Body(Bytes),
    /// A `bytea`, byte for byte.
    Binary(Bytes),
}

impl Param {
    #[cfg(test)]
    pub(crate) fn as_text(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }

    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Body(bytes) | Self::Binary(bytes) => bytes,
        }
    }
}

/// How rows become a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One row has all: body, number of rows, total, headers, status, temporary tables.
    Whole,
    /// A JSON array.
    Array,
    /// The first row's JSON, or null.
    First,
    /// A line of names, and one for each row.
    Csv,
    /// No body.
    Count,
}

/// Other than read committed, asked for by a role's or a function's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    RepeatableRead,
    Serializable,
}

impl Isolation {
    /// The level of that name; read committed and unknown names need no saying.
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "repeatable read" => Some(Self::RepeatableRead),
            "serializable" => Some(Self::Serializable),
            _ => None,
        }
    }
}

/// An error as the server reports it: the fields that an answer shows, and how bad it is.
#[derive(Clone, Debug, Default)]
pub struct ServerError {
    pub code: String,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    /// FATAL or PANIC: the session ends with it.
    pub ends_session: bool,
}

//! Pages as a person reads them: words become lines and cells, columns are read one after the other, lines become items under their headings.
//!
//! Pure: no file, no network, no clock. `gristmill-reading` finds facts in the items; the worker keeps the blocks.

pub mod geometry;
pub mod lines;
pub mod model;
pub mod passage;
mod rows;
pub mod sections;

/// A pattern of our own crates. Each is used by a test.
#[allow(clippy::expect_used)]
pub fn pattern(text: &str) -> regex::Regex {
    regex::Regex::new(text).expect("a pattern that was written with this crate")
}

/// Whether a word or phrase is in a list whose entries are parted by `|`.
pub fn among(list: &str, wanted: &str) -> bool {
    list.split('|').any(|entry| entry == wanted)
}

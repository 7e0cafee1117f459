//! Rules that read a medical document: from pages (words with boxes) to entities, facts, doubts and a narrative.
//!
//! Pure: no file, no network, no clock. `docs/understanding.md` tells what the rules do and where they end.
//! The order of the work stands in `reader.rs`; status and certainty come from `sections.rs` (headings) and `context.rs`
//! (the ConText algorithm).

mod allergies;
mod appointments;
mod conditions;
mod context;
mod dates;
mod facts;
mod findings;
mod immunisations;
mod labels;
mod labs;
mod medications;
mod names;
mod narrate;
mod people;
mod procedures;
mod reader;
mod vitals;

use gristmill_layout::{among, lines, model, passage, pattern, sections};

pub use gristmill_layout::geometry::blocks;
pub use model::{
    Block, Box4, Certainty, Decision, Doubt, Entity, EntityKind, Fact, FactKind, Moment, Narrative,
    Page, Sentence, Status, Word, around,
};
pub use narrate::narrate;

/// What the rules have read.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Reading {
    /// What the document speaks of, and where.
    pub entities: Vec<Entity>,
    /// What is so, was so or is said not to be so. Numbered from 1.
    pub facts: Vec<Fact>,
    /// What a person should look at: doubts about facts, and rows that were not understood.
    pub doubts: Vec<Doubt>,
}

/// Reads all pages of a document.
pub fn read(pages: &[Page]) -> Reading {
    reader::read(pages)
}

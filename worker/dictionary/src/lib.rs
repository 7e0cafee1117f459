//! What the words of a medical document mean: data and lookups, no rules.
//!
//! The data lies in `data/` as sorted text, one record per line; `data/SOURCES.md` names the source and the licence of each file, and
//! `scripts/lib/dictionary/make.py` makes the files anew. A table is built when it is first asked for. A lookup takes the words that follow
//! each other on a page, as they stand there, and answers for the longest name that begins at the first of them. Callers strip punctuation
//! around words, and keep what stands inside a word (`-`, `/`, `+`, `.`, `'`).

mod analyte;
mod condition;
mod drug;
mod fold;
mod frequency;
mod lists;
mod phrases;
mod section;
mod table;
mod trigger;
mod unit;

pub use analyte::{Analyte, analyte};
pub use condition::{Condition, condition, condition_names};
pub use drug::{Drug, drug};
pub use fold::fold;
pub use frequency::frequency;
pub use lists::{allergen, form, procedure, reaction, route, vaccine};
pub use section::{Section, section};
pub use trigger::{Context, Direction, Trigger, triggers};
pub use unit::unit;

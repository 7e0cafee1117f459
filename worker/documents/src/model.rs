//! What is known of a document, as it travels between the stages and Postgres.

use serde::{Deserialize, Serialize};

/// Left, top, right, bottom, as fractions of the page.
pub(super) type Box4 = [f32; 4];

/// The smallest box around some.
pub(super) fn around(boxes: impl IntoIterator<Item = Box4>) -> Box4 {
    boxes.into_iter().fold([1.0, 1.0, 0.0, 0.0], |all, one| {
        [
            all[0].min(one[0]),
            all[1].min(one[1]),
            all[2].max(one[2]),
            all[3].max(one[3]),
        ]
    })
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Word {
    #[serde(rename = "t")]
    pub(super) text: String,
    #[serde(rename = "b")]
    pub(super) place: Box4,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f32>,
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Page {
    pub(super) number: u32,
    pub(super) source: String,
    pub(super) width: f32,
    pub(super) height: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f32>,
    pub(super) text: String,
    #[serde(default)]
    pub(super) words: Vec<Word>,
}

impl Page {
    /// A page from its words; they say what its text is.
    pub(super) fn new(
        number: u32,
        source: &str,
        width: f32,
        height: f32,
        words: Vec<Word>,
    ) -> Self {
        let mut text = String::new();
        let mut line = None;
        for word in &words {
            if !text.is_empty() {
                text.push(if line == Some(word.line) { ' ' } else { '\n' });
            }
            line = Some(word.line);
            text.push_str(&word.text);
        }
        let known: Vec<f32> = words.iter().filter_map(|word| word.confidence).collect();
        let confidence =
            (!known.is_empty()).then(|| known.iter().sum::<f32>() / known.len() as f32);
        Self {
            number,
            source: source.to_owned(),
            width,
            height,
            confidence,
            text,
            words,
        }
    }
}

/// What geometry alone says. kind: line, block, pair or row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Block {
    pub(super) kind: String,
    pub(super) page: u32,
    pub(super) text: String,
    #[serde(default)]
    pub(super) content: serde_json::Value,
    #[serde(rename = "box")]
    pub(super) place: Box4,
}

/// Somebody or something that a document speaks of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entity {
    pub(super) kind: EntityKind,
    pub(super) text: String,
    #[serde(default)]
    pub(super) detail: serde_json::Map<String, serde_json::Value>,
    pub(super) page: Option<u32>,
    #[serde(rename = "box")]
    pub(super) place: Option<Box4>,
    pub(super) confidence: Option<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum EntityKind {
    Person,
    Provider,
    Date,
    Condition,
    Medication,
    Lab,
}

/// What is so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Fact {
    #[serde(default)]
    pub(super) number: u32,
    pub(super) kind: FactKind,
    pub(super) name: String,
    pub(super) value: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    pub(super) code_system: Option<String>,
    #[serde(default)]
    pub(super) code: Option<String>,
    pub(super) page: Option<u32>,
    #[serde(rename = "box")]
    pub(super) place: Option<Box4>,
    pub(super) confidence: Option<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FactKind {
    Patient,
    Provider,
    Date,
    Condition,
    Medication,
    Lab,
}

/// A sentence, or an entry of the timeline, and the facts it stands on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sentence {
    pub(super) text: String,
    pub(super) facts: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Moment {
    pub(super) date: String,
    pub(super) text: String,
    pub(super) facts: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Narrative {
    pub(super) sentences: Vec<Sentence>,
    pub(super) timeline: Vec<Moment>,
}

//! Chapters about a birth and about two, from what the almanac has calculated.
//!
//! The prose lies in `data/`, a passage per line under the key of a fact: a sign, a gate, an aspect. A chapter is a plan that
//! asks for passages, joins several facts in a paragraph, and says nothing that the book has said before. What is chosen
//! follows from a seed: the same job writes the same book again. No model, no key, no network.

mod builder;
mod choices;
mod design;
mod facts;
mod numbers;
mod pillars;
mod prose;
mod vedic;
mod verdict;
mod western;

use serde::{Deserialize, Serialize};

use builder::{Builder, Memory};
use choices::Choices;
pub use facts::{Facts, Person, System};

/// Whom a chapter is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The first person.
    Person1,
    /// The second.
    Person2,
    /// The two together.
    Both,
}

/// One chapter of the plan of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic {
    /// The way of looking.
    pub system: System,
    /// Whom it is about.
    pub about: About,
}

/// A chapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chapter {
    /// Says what it is.
    pub title: String,
    /// In their order.
    pub sections: Vec<Section>,
}

/// A heading and what stands below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// Paragraphs, with an empty line between.
    pub text: String,
    /// The figures behind the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
}

/// Figures in rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What the columns are.
    pub head: Vec<String>,
    /// As many cells each as the head.
    pub rows: Vec<Vec<String>>,
}

/// Writes chapter `index` of a book. The chapters before it are written as well, because none repeats what another has said;
/// a whole book takes a few milliseconds. None where the facts do not have what the chapter is about.
pub fn write(facts: &Facts, plan: &[Topic], index: usize, seed: &str) -> Option<Chapter> {
    let mut memory = Memory::default();
    let mut chapter = None;
    for (at, topic) in plan.iter().enumerate().take(index + 1) {
        chapter = one(
            facts,
            *topic,
            &mut memory,
            Choices::seeded(&[seed, &at.to_string()]),
        );
    }
    chapter.filter(|_| index < plan.len())
}

fn one(facts: &Facts, topic: Topic, memory: &mut Memory, choices: Choices) -> Option<Chapter> {
    let (first, second) = facts.called();
    let (mine, others, one, other) = match topic.about {
        About::Person2 => (&facts.person2, &facts.person1, second, first),
        _ => (&facts.person1, &facts.person2, first, second),
    };
    let builder = Builder::new(memory, choices, &one, &other);
    match (topic.system, topic.about) {
        (System::Western, About::Both) => western::both(builder, mine, others),
        (System::Western, _) => western::person(builder, mine, others),
        (System::Vedic, About::Both) => vedic::both(builder, mine, others),
        (System::Vedic, _) => vedic::person(builder, mine),
        (System::HumanDesign, About::Both) => design::both(builder, mine, others),
        (System::HumanDesign, _) => design::person(builder, mine),
        (System::Numerology, About::Both) => numbers::both(builder, mine, others),
        (System::Numerology, _) => numbers::person(builder, mine),
        (System::Chinese, About::Both) => pillars::both(builder, mine, others),
        (System::Chinese, _) => pillars::person(builder, mine),
        (System::Verdict, _) => verdict::both(builder, facts),
    }
}

#[cfg(test)]
mod tests;

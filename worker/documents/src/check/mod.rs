//! Is what a model answers on the page? A fact whose words, numbers or negation are not there is refused, and the rest is kept.
//!
//! A refused fact becomes a doubt of the document (`refused_answer`), so a person looks at it. The rules of `gristmill-reading` are the
//! second reader: where they find the same name only denied, stopped or said of a relative, a model cannot make it current.

mod kinds;
mod narrative;
mod status;
mod written;

use gristmill_reading::{Block, Box4, Doubt, Entity, EntityKind, Fact, FactKind, Page, read};

pub(crate) use narrative::narrative;
use written::Written;

/// What a pass keeps of an answer, and why it does not keep the rest.
#[derive(Debug)]
pub(super) struct Checked<T> {
    pub(super) kept: Vec<T>,
    pub(super) doubts: Vec<Doubt>,
}

impl<T> Checked<T> {
    fn nothing() -> Self {
        Self {
            kept: Vec::new(),
            doubts: Vec::new(),
        }
    }
}

/// The facts of a model's answer, compared with the pages.
pub(super) fn facts(answered: Vec<Fact>, pages: &[Page]) -> Checked<Fact> {
    let document = Written::of_pages(pages);
    let by_page: Vec<Written> = pages
        .iter()
        .map(|page| Written::of_pages(std::slice::from_ref(page)))
        .collect();
    let known = read(pages).facts;
    let mut checked = Checked::nothing();
    for fact in answered {
        // A page that does not exist is no place to look at, so such a fact is compared with the whole document.
        let page = fact
            .page
            .and_then(|number| pages.iter().position(|page| page.number == number));
        let written = page.map_or(&document, |at| &by_page[at]);
        match kinds::refusal(&fact, written).or_else(|| status::refusal(&fact, &known, written)) {
            Some(reason) => checked.doubts.push(refused(
                &format!("{} {}", kind(fact.kind), named(&fact)),
                &reason,
                page.map(|at| pages[at].number),
                fact.place,
            )),
            None => checked.kept.push(fact),
        }
    }
    checked
}

/// The entities of a model's answer, compared with the blocks that it was given.
pub(super) fn entities(answered: Vec<Entity>, blocks: &[Block]) -> Checked<Entity> {
    let written = Written::of_texts(blocks.iter().map(|block| block.text.as_str()));
    let mut checked = Checked::nothing();
    for entity in answered {
        let is_there = kinds::is_named(fact_kind(entity.kind), &entity.text, "", &written)
            || entity.kind == EntityKind::Date && written.has_dates_of(&entity.text)
            || written.has_words_of(&entity.text);
        if is_there {
            checked.kept.push(entity);
        } else {
            let page = entity.page;
            let reason = "its words are not on the page";
            checked
                .doubts
                .push(refused(&entity.text, reason, page, entity.place));
        }
    }
    checked
}

fn refused(what: &str, reason: &str, page: Option<u32>, place: Option<Box4>) -> Doubt {
    Doubt {
        reason: "refused_answer".to_owned(),
        text: format!("{}: {reason}", what.trim()),
        page,
        place,
        fact: None,
    }
}

fn named(fact: &Fact) -> &str {
    if fact.name.is_empty() {
        &fact.written
    } else {
        &fact.name
    }
}

fn kind(kind: FactKind) -> &'static str {
    match kind {
        FactKind::Patient => "patient",
        FactKind::Provider => "provider",
        FactKind::Date => "date",
        FactKind::Condition => "condition",
        FactKind::Medication => "medication",
        FactKind::Lab => "lab",
        FactKind::Allergy => "allergy",
        FactKind::Procedure => "procedure",
        FactKind::Finding => "finding",
        FactKind::VitalSign => "vital sign",
        FactKind::Immunisation => "immunisation",
        FactKind::Appointment => "appointment",
    }
}

fn fact_kind(kind: EntityKind) -> FactKind {
    match kind {
        EntityKind::Person => FactKind::Patient,
        EntityKind::Provider => FactKind::Provider,
        EntityKind::Date => FactKind::Date,
        EntityKind::Condition => FactKind::Condition,
        EntityKind::Medication => FactKind::Medication,
        EntityKind::Lab => FactKind::Lab,
        EntityKind::Allergy => FactKind::Allergy,
        EntityKind::Procedure => FactKind::Procedure,
        EntityKind::Finding => FactKind::Finding,
        EntityKind::VitalSign => FactKind::VitalSign,
        EntityKind::Immunisation => FactKind::Immunisation,
        EntityKind::Appointment => FactKind::Appointment,
    }
}

#[cfg(test)]
mod tests;

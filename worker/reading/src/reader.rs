//! The order of the work. What one rule has read, no later rule reads again as another thing.

use serde_json::{Map, Value, json};

use crate::dates::{self, Order};
use crate::lines::{self, Item};
use crate::model::{Certainty, Decision, Doubt, Fact, FactKind, Page, Status};
use crate::passage::Passage;
use crate::{
    Reading, allergies, appointments, conditions, facts, findings, immunisations, labs,
    medications, people, procedures, vitals,
};

/// A document under work.
pub(crate) struct Reader {
    pub(crate) items: Vec<Item>,
    pub(crate) order: Order,
    pub(crate) facts: Vec<Fact>,
    /// Rows that were not understood.
    pub(crate) doubts: Vec<Doubt>,
    /// By item: what a rule has read already.
    taken: Vec<Vec<(usize, usize)>>,
}

pub(crate) fn read(pages: &[Page]) -> Reading {
    let items = lines::items(pages);
    let order = dates::order(items.iter().map(Item::text));
    let mut reader = Reader {
        taken: vec![Vec::new(); items.len()],
        items,
        order,
        facts: Vec::new(),
        doubts: Vec::new(),
    };
    people::find(&mut reader);
    allergies::find(&mut reader);
    immunisations::find(&mut reader);
    labs::find(&mut reader);
    vitals::find(&mut reader);
    medications::find(&mut reader);
    appointments::find(&mut reader);
    procedures::find(&mut reader);
    findings::find(&mut reader);
    conditions::find(&mut reader);
    facts::settled(reader.facts, reader.doubts)
}

impl Reader {
    pub(crate) fn take(&mut self, item: usize, from: usize, to: usize) {
        self.taken[item].push((from, to));
    }

    pub(crate) fn is_taken(&self, item: usize, from: usize, to: usize) -> bool {
        self.taken[item]
            .iter()
            .any(|(start, end)| from < *end && to > *start)
    }

    pub(crate) fn doubt(&self, item: usize, from: usize, to: usize, reason: &str) -> Doubt {
        let passage = &self.items[item].passage;
        Doubt {
            reason: reason.to_owned(),
            text: passage.written(from, to),
            page: Some(passage.page),
            place: Some(passage.place(from, to)),
            fact: None,
        }
    }
}

/// A fact as it begins: current and certain, as sure as the rule and its least sure word.
pub(crate) fn fact(
    kind: FactKind,
    passage: &Passage,
    from: usize,
    to: usize,
    name: String,
    sure: f32,
) -> Fact {
    Fact {
        number: 0,
        kind,
        name,
        written: passage.written(from, to),
        value: Map::new(),
        status: Status::Current,
        certainty: Certainty::Certain,
        decided_by: None,
        code_system: None,
        code: None,
        page: Some(passage.page),
        place: Some(passage.place(from, to)),
        confidence: Some(sure * passage.confidence(from, to)),
        doubts: Vec::new(),
    }
}

/// A heading or other words say what holds.
pub(crate) fn decide(fact: &mut Fact, status: Status, by: Option<Decision>) {
    fact.status = status;
    fact.decided_by = by;
}

/// A whole number stays one.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return json!(value as i64);
    }
    json!(value)
}

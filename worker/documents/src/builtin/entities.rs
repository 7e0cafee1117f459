//! First pass: what a document speaks of, and where.

use serde_json::{Map, Value};

use super::super::model::{Block, Box4, Entity, EntityKind};
use super::flow::{self, Flow};
use super::people::{self, Label};
use super::{conditions, labs, medications, with};

/// What the blocks speak of.
pub(crate) fn entities(blocks: &[Block]) -> Vec<Entity> {
    let mut found: Vec<Entity> = Vec::new();
    for flow in flow::flows(blocks) {
        labelled(blocks, &flow, &mut found);
        for (line, place) in flow.lines() {
            if let Some((name, detail, confidence)) = labs::read(line) {
                found.push(entity(
                    EntityKind::Lab,
                    name,
                    detail,
                    flow.page,
                    place,
                    confidence,
                ));
            }
        }
        for (from, to, name) in people::doctors(&flow.text) {
            found.push(entity(
                EntityKind::Provider,
                name,
                Map::new(),
                flow.page,
                flow.place(from, to),
                0.9,
            ));
        }
        dated(&flow, &mut found);
        for medicine in medications::find(&flow.text) {
            let place = flow.place(medicine.from, medicine.to);
            found.push(entity(
                EntityKind::Medication,
                medicine.name,
                medicine.detail,
                flow.page,
                place,
                medicine.confidence,
            ));
        }
        conditions::find(&flow, &mut found);
    }
    found
}

pub(super) fn entity(
    kind: EntityKind,
    text: String,
    detail: Map<String, Value>,
    page: u32,
    place: Box4,
    confidence: f32,
) -> Entity {
    Entity {
        kind,
        text,
        detail,
        page: Some(page),
        place: Some(place),
        confidence: Some(confidence),
    }
}

// Key-value pairs, cell by cell: two may stand on one line.
fn labelled(blocks: &[Block], flow: &Flow<'_>, found: &mut Vec<Entity>) {
    for block in blocks
        .iter()
        .filter(|block| block.kind == "pair" && block.page == flow.page)
    {
        let field = |name: &str| block.content[name].as_str().unwrap_or_default();
        let (value, place) = (field("value"), block.place);
        let mut push = |kind, text: String, detail, confidence| {
            found.push(entity(kind, text, detail, flow.page, place, confidence))
        };
        let date = people::dates(value)
            .first()
            .map(|(_, _, date)| date.to_string());
        match people::label(field("key")) {
            Some(Label::Patient) => {
                if let Some(name) = people::name(value) {
                    push(EntityKind::Person, name, with("role", "patient"), 0.95);
                }
            }
            Some(Label::Provider) => {
                if let Some(name) = people::name(value) {
                    push(EntityKind::Provider, name, Map::new(), 0.95);
                }
            }
            Some(Label::Birth) => {
                if let Some(date) = date {
                    push(EntityKind::Date, date, with("label", "birth"), 0.95);
                }
            }
            Some(Label::Date(label)) => {
                if let Some(date) = date {
                    push(EntityKind::Date, date, with("label", label), 0.95);
                }
            }
            Some(Label::Sex) => push(
                EntityKind::Person,
                value.to_lowercase(),
                with("role", "sex"),
                0.9,
            ),
            Some(Label::RecordNumber) => push(
                EntityKind::Person,
                value.to_owned(),
                with("role", "record_number"),
                0.9,
            ),
            Some(Label::Diagnosis) | None => {}
        }
    }
}

// A date without a label has the meaning of what was said before it.
fn dated(flow: &Flow<'_>, found: &mut Vec<Entity>) {
    let lower = flow.text.to_lowercase();
    for (from, to, date) in people::dates(&flow.text) {
        let before = &lower[..from];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        if line
            .rfind(':')
            .is_some_and(|colon| line[colon + 1..].trim().is_empty())
        {
            continue; // labelled
        }
        let nearest = [
            ("follow-up", "follow-up"),
            ("follow up", "follow-up"),
            ("admitted", "admitted"),
            ("discharged", "discharged"),
        ]
        .into_iter()
        .filter_map(|(word, label)| before.rfind(word).map(|at| (at, label)))
        .filter(|(at, _)| from - at < 160)
        .max();
        let label = nearest.map_or("mentioned", |(_, label)| label);
        found.push(entity(
            EntityKind::Date,
            date.to_string(),
            with("label", label),
            flow.page,
            flow.place(from, to),
            0.8,
        ));
    }
}

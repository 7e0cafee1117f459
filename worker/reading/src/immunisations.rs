//! Vaccines given, due and declined, each with its date.

use std::sync::LazyLock;

use gristmill_dictionary::{self as dictionary, Section};
use regex::Regex;
use serde_json::json;

use crate::model::{FactKind, Status};
use crate::reader::{Reader, fact};
use crate::{dates, pattern};

static ABOUT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:vaccin\w*|immuni[sz]ations?|immuni[sz]ed|booster|jab)\b"));
static DUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:due|planned|plan|next|scheduled|overdue|to be given|recommended|upcoming|still to|needs|needed|outstanding|catch-up)\b",
    )
});
static DECLINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:declin\w+|refus\w+|contraindicat\w+|not given|deferred|omitted|not administered)\b",
    )
});

pub(crate) fn find(reader: &mut Reader) {
    let is_record = reader
        .items
        .iter()
        .take(14)
        .any(|item| ABOUT.is_match(item.text()) && item.passage.tokens.len() <= 6);
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        let text = item.text();
        let is_about = item.section() == Section::Immunisations
            || ABOUT.is_match(text)
            || is_record && item.section() != Section::Allergies;
        if item.is_heading && (!is_record || ABOUT.is_match(text)) || !is_about {
            continue;
        }
        let passage = item.passage.clone();
        let mut token = passage.token_from(item.body);
        while token < passage.tokens.len() {
            let most = passage.unbroken(token, 8).max(3);
            let ahead: Vec<&str> = passage
                .ahead(token, passage.text.len())
                .into_iter()
                .take(most)
                .collect();
            match dictionary::vaccine(&ahead) {
                Some((count, name)) => {
                    let (from, to) = (passage.tokens[token].0, passage.tokens[token + count - 1].1);
                    if !reader.is_taken(at, from, to) {
                        push(reader, at, from, to, name);
                    }
                    token += count;
                }
                None => token += 1,
            }
        }
    }
}

fn push(reader: &mut Reader, at: usize, from: usize, to: usize, name: &str) {
    let item = &reader.items[at];
    let text = item.text().to_owned();
    let mut own = fact(
        FactKind::Immunisation,
        &item.passage,
        from,
        to,
        name.to_lowercase(),
        0.93,
    );
    let heading = item.heading();
    let said = heading.as_ref().map_or("", |heading| heading.text.as_str());
    for (status, words) in [(Status::RuledOut, &*DECLINED), (Status::Planned, &*DUE)] {
        if let Some(found) = words.find(&text) {
            own.status = status;
            own.decided_by = Some(item.passage.decision(found.start(), found.end()));
            break;
        }
        if words.is_match(said) {
            own.status = status;
            own.decided_by = heading.clone();
            break;
        }
    }
    // A line of its own may have the date in the line below.
    let mut places = vec![at];
    places.extend((at + 1..at + 3).take_while(|next| {
        reader.items.get(*next).is_some_and(|below| {
            below.stretch == item.stretch
                && below.gap < 1.7
                && !below.is_heading
                && item.cells.len() <= 1
                && dictionary::vaccine(&below.passage.ahead(0, below.text().len())).is_none()
        })
    }));
    for place in places {
        let found = dates::dates(reader.items[place].text(), reader.order);
        let wanted = if place == at {
            found.iter().find(|dated| dated.from >= to).or(found.last())
        } else {
            found.first()
        };
        if let Some(dated) = wanted.copied() {
            own.value
                .insert("date".into(), json!(dated.date.to_string()));
            if dated.is_ambiguous {
                own.doubts
                    .push(reader.doubt(place, dated.from, dated.to, "date_is_ambiguous"));
            }
            reader.take(place, dated.from, dated.to);
            break;
        }
    }
    reader.take(at, from, to);
    reader.facts.push(own);
}

//! Who the document is about, who wrote it, and when: labels, letters' forms of address and signatures.

use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::Regex;
use serde_json::json;

use crate::labels::{self, Label};
use crate::lines::Item;
use crate::model::{Fact, FactKind};
use crate::names::{self, Named};
use crate::reader::{Reader, fact};
use crate::{dates, pattern};

static SUBJECT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^\s*(?:re|regarding|ref)\b\s*[:.-]?\s*"));
static DEAR: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\s*dear\s+"));
static COPY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^\s*(?:cc|copy to|copies to)\b\s*:?\s*"));
static SIGN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:sincerely|faithfully|kind regards|best wishes|regards|truly|electronically signed|signed by|dictated by|authori[sz]ed by|reported by)\b",
    )
});
static SEX: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^\W*(male|female|man|woman|m|f|other|non-binary)\b"));

/// All people and labelled dates.
pub(crate) fn find(reader: &mut Reader) {
    let latest = latest(reader);
    let mut patient: Option<Fact> = None;
    for at in 0..reader.items.len() {
        let pairs = labels::pairs(&reader.items, at);
        for pair in &pairs {
            reader.take(at, pair.key.0, pair.key.1);
            let (item, (from, to)) = (pair.item, pair.value);
            let text = reader.items[item].text()[from..to].to_owned();
            match pair.label {
                Label::Patient => named_patient(reader, item, from, &text, &mut patient),
                Label::Birth => born(reader, item, from, to, latest, &mut patient),
                Label::Sex => {
                    if let (Some(found), Some(patient)) = (SEX.captures(&text), &mut patient)
                        && !patient.value.contains_key("sex")
                    {
                        let sex = match found[1].to_lowercase().as_str() {
                            "m" | "male" | "man" => "male",
                            "f" | "female" | "woman" => "female",
                            _ => "other",
                        };
                        patient.value.insert("sex".into(), json!(sex));
                    }
                    reader.take(item, from, to);
                }
                Label::Record => record(reader, item, from, &text, &mut patient),
                Label::Provider(role) => provider(reader, item, from, &text, role),
                Label::Date(name) => dated(reader, item, from, to, name),
                Label::Relative => reader.take(item, from, to),
                Label::Other => {}
            }
        }
        letter(reader, at, &mut patient);
    }
    if patient
        .as_ref()
        .is_none_or(|patient| patient.name.is_empty())
    {
        beside_birth(reader, &mut patient);
    }
    if patient
        .as_ref()
        .is_none_or(|patient| patient.name.is_empty())
    {
        by_title(reader, &mut patient);
    }
    if let Some(patient) = patient.filter(|patient| !patient.name.is_empty()) {
        reader.facts.insert(0, patient);
    }
    in_prose(reader);
}

/// The latest date of the document: nobody is born after it.
fn latest(reader: &Reader) -> Option<NaiveDate> {
    let texts = reader.items.iter().map(Item::text);
    texts
        .flat_map(|text| dates::dates(text, reader.order))
        .map(|dated| dated.date)
        .filter(|date| *date < NaiveDate::MAX)
        .max()
}

fn start(patient: &mut Option<Fact>, reader: &Reader, item: usize, from: usize, to: usize) {
    if patient.is_none() {
        *patient = Some(fact(
            FactKind::Patient,
            &reader.items[item].passage,
            from,
            to,
            String::new(),
            0.95,
        ));
    }
}

fn named_patient(
    reader: &mut Reader,
    item: usize,
    from: usize,
    text: &str,
    patient: &mut Option<Fact>,
) {
    let Some(named) = names::name(text, from).filter(|named| named.words >= 2) else {
        return;
    };
    reader.take(item, named.from, named.to);
    let passage = &reader.items[item].passage;
    match patient {
        Some(known) if !known.name.is_empty() => {}
        Some(known) => {
            let own = fact(
                FactKind::Patient,
                passage,
                named.from,
                named.to,
                named.name,
                0.95,
            );
            *known = Fact {
                value: known.value.clone(),
                doubts: known.doubts.clone(),
                ..own
            };
        }
        None => {
            *patient = Some(fact(
                FactKind::Patient,
                passage,
                named.from,
                named.to,
                named.name,
                0.95,
            ))
        }
    }
}

fn born(
    reader: &mut Reader,
    item: usize,
    from: usize,
    to: usize,
    latest: Option<NaiveDate>,
    patient: &mut Option<Fact>,
) {
    let found = dates::dates(&reader.items[item].text()[from..to], reader.order);
    let Some(dated) = found.first() else {
        return;
    };
    let (begin, end) = (from + dated.from, from + dated.to);
    reader.take(item, begin, end);
    start(patient, reader, item, begin, end);
    let doubt = reader.doubt(item, begin, end, "date_is_ambiguous");
    if let Some(patient) = patient
        && !patient.value.contains_key("birth_date")
    {
        patient.value.insert(
            "birth_date".into(),
            json!(dated.born_before(latest).to_string()),
        );
        if dated.is_ambiguous {
            patient.doubts.push(doubt);
        }
    }
}

fn record(reader: &mut Reader, item: usize, from: usize, text: &str, patient: &mut Option<Fact>) {
    let number: Vec<&str> = text
        .split_whitespace()
        .take_while(|word| word.chars().any(|c| c.is_ascii_digit()))
        .collect();
    if number.is_empty() {
        return;
    }
    reader.take(item, from, from + text.len());
    start(patient, reader, item, from, from + text.len());
    if let Some(patient) = patient {
        let number = number.join(" ");
        let number = number.trim_matches(|c: char| !c.is_alphanumeric());
        patient
            .value
            .entry("record_number")
            .or_insert_with(|| json!(number));
    }
}

fn provider(reader: &mut Reader, item: usize, from: usize, text: &str, role: &'static str) {
    let several = text
        .split([';', '/'])
        .map(|part| (part.as_ptr() as usize - text.as_ptr() as usize, part));
    for (offset, part) in several {
        if let Some(named) = names::name(part, from + offset)
            && (named.words >= 2 || named.has_title)
        {
            push_provider(reader, item, &named, role);
        }
    }
}

fn push_provider(reader: &mut Reader, item: usize, named: &Named, role: &str) {
    reader.take(item, named.from, named.to);
    let mut own = fact(
        FactKind::Provider,
        &reader.items[item].passage,
        named.from,
        named.to,
        named.name.clone(),
        0.93,
    );
    own.value.insert("role".into(), json!(role));
    reader.facts.push(own);
}

fn dated(reader: &mut Reader, item: usize, from: usize, to: usize, name: &str) {
    let text = &reader.items[item].text()[from..to];
    let Some(dated) = dates::dates(text, reader.order).first().copied() else {
        return;
    };
    // "Date: 3 May 2024 follow-up" is a date; a date deep inside prose is another's.
    if dated.from > 14 {
        return;
    }
    push_date(
        reader,
        item,
        from + dated.from,
        from + dated.to,
        dated,
        name,
    );
}

fn push_date(
    reader: &mut Reader,
    item: usize,
    from: usize,
    to: usize,
    dated: dates::Dated,
    name: &str,
) {
    reader.take(item, from, to);
    let mut own = fact(
        FactKind::Date,
        &reader.items[item].passage,
        from,
        to,
        name.to_owned(),
        0.95,
    );
    own.value
        .insert("date".into(), json!(dated.date.to_string()));
    if dated.is_ambiguous {
        own.doubts
            .push(reader.doubt(item, from, to, "date_is_ambiguous"));
    }
    reader.facts.push(own);
}

/// What letters have instead of labels.
fn letter(reader: &mut Reader, at: usize, patient: &mut Option<Fact>) {
    let text = reader.items[at].text().to_owned();
    if let Some(subject) = SUBJECT.find(&text)
        && patient
            .as_ref()
            .is_none_or(|patient| patient.name.is_empty())
    {
        named_patient(reader, at, subject.end(), &text[subject.end()..], patient);
    }
    for pattern in [&*DEAR, &*COPY] {
        if let Some(found) = pattern.find(&text)
            && let Some(named) = names::name(&text[found.end()..], found.end())
            && named.has_title
        {
            push_provider(reader, at, &named, "recipient");
        }
    }
    if SIGN.is_match(&text) && text.len() < 120 {
        signature(reader, at, &text);
    }
    // A date that stands alone at the head of a page is the document's.
    if at < 12
        && let [dated] = dates::dates(&text, reader.order)[..]
        && text
            .trim()
            .trim_matches(|c: char| !c.is_alphanumeric())
            .len()
            == dated.to - dated.from
        && !reader.is_taken(at, dated.from, dated.to)
        && !(at > 0 && reader.items[at - 1].text().ends_with(':'))
    {
        push_date(reader, at, dated.from, dated.to, dated, "document");
    }
}

fn signature(reader: &mut Reader, at: usize, text: &str) {
    let behind = SIGN.find_iter(text).last().map_or(0, |found| found.end());
    let rest = text[behind..].trim_start_matches(|c: char| !c.is_alphabetic());
    let rest = rest
        .strip_prefix("by ")
        .unwrap_or(rest)
        .trim_start_matches([':', ' ']);
    if let Some(named) = names::name(rest, text.len() - rest.len())
        && (named.words >= 2 || named.has_title)
    {
        push_provider(reader, at, &named, "author");
        return;
    }
    for next in at + 1..(at + 4).min(reader.items.len()) {
        let text = reader.items[next].text().to_owned();
        if let Some(named) = names::name(&text, 0)
            && (named.words >= 2 && named.words <= 3 || named.has_title)
        {
            push_provider(reader, next, &named, "author");
            return;
        }
    }
}

/// Without a label: the name before a date of birth.
fn beside_birth(reader: &mut Reader, patient: &mut Option<Fact>) {
    for at in 0..reader.items.len().min(40) {
        let text = reader.items[at].text().to_owned();
        let lower = text.to_lowercase();
        let Some(mark) = ["dob", "d.o.b", "date of birth", "born"]
            .iter()
            .filter_map(|mark| lower.find(mark))
            .min()
        else {
            continue;
        };
        if mark > lower.len() || !text.is_char_boundary(mark) {
            continue;
        }
        let start = text[..mark]
            .trim_end_matches([' ', ':', '('])
            .rfind(':')
            .map_or(0, |colon| colon + 1);
        let before = &text[start..mark];
        if let Some(named) = names::name(before, 0).filter(|named| named.words >= 2) {
            named_patient(
                reader,
                at,
                start + named.from,
                &before[named.from..],
                patient,
            );
            return;
        }
        if at > 0 && mark < 3 {
            let above = reader.items[at - 1].text().to_owned();
            if let Some(named) = names::name(&above, 0)
                .filter(|named| named.words >= 2 && named.to + 12 > above.len())
            {
                named_patient(reader, at - 1, named.from, &above[named.from..], patient);
                return;
            }
        }
    }
}

/// Still none: the first line that begins with a title which clinicians do not have.
fn by_title(reader: &mut Reader, patient: &mut Option<Fact>) {
    for at in 0..reader.items.len().min(40) {
        let item = &reader.items[at];
        let cells = if item.cells.is_empty() {
            vec![(0, item.text().len())]
        } else {
            item.cells.clone()
        };
        for (from, to) in cells {
            let text = item.text()[from..to].to_owned();
            let first = text
                .split_whitespace()
                .next()
                .unwrap_or("")
                .trim_end_matches('.');
            if matches!(first, "Mr" | "Mrs" | "Ms" | "Miss" | "Mx" | "Master")
                && names::name(&text, from).is_some_and(|named| named.words >= 2)
                && !reader.is_taken(at, from, to)
            {
                named_patient(reader, at, from, &text, patient);
                return;
            }
        }
    }
}

/// Clinicians whom no label names.
fn in_prose(reader: &mut Reader) {
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        let cells = if item.cells.is_empty() {
            vec![(0, item.text().len())]
        } else {
            item.cells.clone()
        };
        for (from, to) in cells {
            let text = reader.items[at].text()[from..to].to_owned();
            for named in names::clinicians(&text) {
                let named = Named {
                    from: named.from + from,
                    to: named.to + from,
                    ..named
                };
                if !reader.is_taken(at, named.from, named.to) {
                    push_provider(reader, at, &named, "other");
                }
            }
        }
    }
}

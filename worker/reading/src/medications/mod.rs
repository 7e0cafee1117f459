//! Medicines: by name, or by form where no list has the name; each with what is said of it and of no other.

mod sig;
mod status;

use gristmill_dictionary::{self as dictionary, Section};
use serde_json::json;

use crate::lines::Item;
use crate::model::{FactKind, Status};
use crate::reader::{Reader, fact};
use crate::sections;
use sig::Stretch;

/// What says that a word is no medicine here.
const NOT_TAKEN: &str = "level|levels|allergy|allergic|clinic|resistance|resistant|dependence|dependent|toxicity|induced|sensitive|sensitivity|\
    susceptible|deficiency|intolerance|screen|assay|pump|reaction";

/// How a line begins that says how the medicine above is taken.
const DIRECTIONS: &str = "take|takes|inhale|apply|inject|use|sig|sig:|give|instil|instill|dissolve|disp|dispense|supply|qty|quantity|refills|\
    refill|repeats|one|two|1|2|for|directions|dose|strength|route|frequency|place|insert|spray|chew|swallow|mitte";

/// A medicine in an item.
struct Mention {
    from: usize,
    to: usize,
    name: String,
    code: Option<(&'static str, &'static str)>,
    is_exact: bool,
    is_known: bool,
}

pub(crate) fn find(reader: &mut Reader) {
    let leaves_hospital = reader
        .items
        .iter()
        .any(|item| item.section() == Section::DischargeMedications);
    let starts: Vec<bool> = (0..reader.items.len())
        .map(|at| !mentions(reader, at).is_empty())
        .collect();
    for at in 0..reader.items.len() {
        let item = &reader.items[at];
        if item.is_heading || item.section() == Section::Immunisations {
            continue;
        }
        let mut found = mentions(reader, at);
        if found.is_empty() {
            found.extend(unknown(reader, at));
        }
        let spans: Vec<(usize, usize)> = found
            .iter()
            .map(|mention| (mention.from, mention.to))
            .collect();
        for (index, mention) in found.iter().enumerate() {
            one(reader, at, mention, &spans, index, &starts, leaves_hospital);
        }
    }
}

fn mentions(reader: &Reader, at: usize) -> Vec<Mention> {
    let item = &reader.items[at];
    let passage = &item.passage;
    let mut found: Vec<Mention> = Vec::new();
    let mut token = passage.token_from(item.body);
    while token < passage.tokens.len() {
        let most = passage.unbroken(token, 8);
        let ahead: Vec<&str> = passage
            .ahead(token, passage.text.len())
            .into_iter()
            .take(most)
            .collect();
        let Some((count, drug)) = dictionary::drug(&ahead) else {
            token += 1;
            continue;
        };
        let (from, to) = (passage.tokens[token].0, passage.tokens[token + count - 1].1);
        if !reader.is_taken(at, from, to) {
            found.push(Mention {
                from,
                to,
                name: drug.name.to_owned(),
                code: drug.system.zip(drug.code),
                is_exact: drug.is_exact,
                is_known: true,
            });
        }
        token += count.max(1);
    }
    joined(item, found)
}

/// "Amoxicillin / clavulanic acid" is one medicine; so is a brand with its ingredient in brackets.
fn joined(item: &Item, found: Vec<Mention>) -> Vec<Mention> {
    let mut joined: Vec<Mention> = Vec::new();
    for mention in found {
        if let Some(last) = joined.last_mut() {
            let gap = item.text()[last.to..mention.from].trim();
            if last.name == mention.name && (gap == "(" || gap.is_empty() || gap == "[") {
                last.to = mention.to;
                continue;
            }
            if matches!(gap, "/" | "-" | "+") && last.name != mention.name {
                last.name = format!("{}/{}", last.name, mention.name);
                (last.to, last.code) = (mention.to, None);
                continue;
            }
        }
        joined.push(mention);
    }
    joined
}

/// A medicine that no list has: a name, a strength, and how often or by which way.
fn unknown(reader: &Reader, at: usize) -> Option<Mention> {
    let item = &reader.items[at];
    let is_list = sections::is_medication(item.section());
    let passage = &item.passage;
    let text = item.text();
    let dose = sig::strength(text)?;
    let (from, to) = if item.cells.len() >= 2 {
        unnamed_cell(item)?
    } else {
        (item.body, dose)
    };
    let often = (0..passage.tokens.len())
        .any(|token| dictionary::frequency(&passage.ahead(token, text.len())).is_some());
    let by_way = (0..passage.tokens.len()).any(|token| {
        let ahead = passage.ahead(token, text.len());
        dictionary::route(&ahead).is_some() || dictionary::form(&ahead).is_some()
    });
    if !(often || is_list && by_way) || reader.is_taken(at, from, to) {
        return None;
    }
    let first = passage.token_from(from);
    let words: Vec<usize> = (first..passage.tokens.len())
        .take_while(|token| passage.tokens[*token].1 <= to)
        .skip_while(|token| {
            passage.token(*token).chars().all(|c| c.is_ascii_digit())
                || passage.token(*token).len() < 2
        })
        .take_while(|token| {
            passage
                .token(*token)
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, '-' | '/'))
                && dictionary::form(&[passage.token(*token)]).is_none()
        })
        .collect();
    let (Some(start), Some(end)) = (words.first(), words.last()) else {
        return None;
    };
    let (from, to) = (passage.tokens[*start].0, passage.tokens[*end].1);
    let name = text[from..to].to_lowercase();
    let lead = name.split(' ').next().unwrap_or("");
    let is_name = words.len() <= if is_list { 3 } else { 2 }
        && name.len() >= 5
        && !crate::among(DIRECTIONS, lead)
        && dictionary::analyte(&name).is_none()
        && dictionary::frequency(&[lead]).is_none()
        && dictionary::route(&[lead]).is_none();
    is_name.then_some(Mention {
        from,
        to,
        name,
        code: None,
        is_exact: false,
        is_known: false,
    })
}

/// The cell of a row that is no dose, no frequency, no way and no form: the name.
fn unnamed_cell(item: &Item) -> Option<(usize, usize)> {
    let passage = &item.passage;
    item.cells.iter().copied().find(|(from, to)| {
        let ahead = passage.ahead(passage.token_from(*from), *to);
        let lead = ahead.first().copied().unwrap_or("");
        lead.starts_with(char::is_alphabetic)
            && lead.len() >= 4
            && dictionary::frequency(&ahead).is_none()
            && dictionary::route(&ahead).is_none()
            && dictionary::form(&ahead).is_none()
            && dictionary::condition(&ahead).is_none()
    })
}

/// Where what is said of a medicine ends in its item: at the next one, or with its sentence.
fn segment(item: &Item, spans: &[(usize, usize)], index: usize) -> (usize, usize) {
    let (from, to) = spans[index];
    let text = item.text();
    if item.cells.len() >= 2 && spans.len() == 1 {
        return (item.body, text.len());
    }
    let next = spans.get(index + 1).map_or(text.len(), |next| next.0);
    let mut end = next;
    if !sections::is_medication(item.section()) {
        for (at, _) in text[to..next].match_indices(". ") {
            let rest = text[to + at + 2..].trim_start().to_lowercase();
            let lead = rest.split_whitespace().next().unwrap_or("");
            let is_short = text[to..to + at].ends_with(|c: char| c.is_ascii_digit())
                && rest.starts_with(|c: char| c.is_ascii_digit());
            if !is_short && !crate::among(DIRECTIONS, lead.trim_end_matches([':', '.'])) {
                end = to + at + 1;
                break;
            }
        }
    }
    (from, end)
}

fn one(
    reader: &mut Reader,
    at: usize,
    mention: &Mention,
    spans: &[(usize, usize)],
    index: usize,
    starts: &[bool],
    leaves_hospital: bool,
) {
    let item = &reader.items[at];
    let passage = item.passage.clone();
    let own = segment(item, spans, index);
    let mut stretches = vec![Stretch {
        passage: &passage,
        from: mention.to,
        to: own.1,
    }];
    if own.0 < mention.from {
        stretches.push(Stretch {
            passage: &passage,
            from: own.0,
            to: mention.from,
        });
    }
    let more: Vec<usize> = if index + 1 == spans.len() {
        directions(reader, at, starts)
    } else {
        Vec::new()
    };
    let below: Vec<_> = more
        .iter()
        .map(|next| reader.items[*next].passage.clone())
        .collect();
    for passage in &below {
        stretches.push(Stretch {
            passage,
            from: 0,
            to: passage.text.len(),
        });
    }
    let is_combination = mention.name.contains('/');
    let sig = sig::read(&stretches, is_combination);
    let said = status::said(
        item,
        (mention.from, mention.to),
        own,
        spans,
        leaves_hospital,
    );
    if !is_medicine(item, mention, &sig, &said) {
        return;
    }
    let end = sig.end.max(mention.to).min(own.1.max(mention.to));
    let sure = if !mention.is_known {
        0.75
    } else if mention.is_exact {
        0.95
    } else {
        0.8
    };
    let mut own_fact = fact(
        FactKind::Medication,
        &passage,
        mention.from,
        end,
        mention.name.clone(),
        sure,
    );
    own_fact.value = sig.value;
    own_fact.status = said.status;
    own_fact.certainty = said.certainty;
    own_fact.decided_by = said.by;
    if sig.is_changed && own_fact.status == Status::Current {
        own_fact.status = Status::Changed;
        own_fact.decided_by = Some(passage.decision(mention.from, own.1));
    }
    if let Some((system, code)) = mention.code.filter(|_| mention.is_exact) {
        own_fact.code_system = Some(system.to_owned());
        own_fact.code = Some(code.to_owned());
    }
    if own_fact.value.get("frequency").is_none() && own_fact.value.contains_key("as_needed") {
        own_fact
            .value
            .insert("frequency".into(), json!("as needed"));
    }
    reader.take(at, mention.from, end);
    reader.facts.push(own_fact);
}

fn is_medicine(item: &Item, mention: &Mention, sig: &sig::Sig, said: &status::Said) -> bool {
    let text = item.text();
    let next = text[mention.to..]
        .trim_start_matches([' ', '-'])
        .split_whitespace()
        .next()
        .unwrap_or("")
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let often = sig.value.contains_key("frequency");
    let is_list = sections::is_medication(item.section());
    if crate::among(NOT_TAKEN, next.as_str()) && !sig.has_strength {
        return false;
    }
    if text[mention.to..].starts_with("-induced") {
        return false;
    }
    if !mention.is_exact && mention.is_known {
        return sig.has_strength || often;
    }
    let is_analyte = dictionary::analyte(&text[mention.from..mention.to]).is_some();
    if is_analyte && !is_list {
        return sig.has_strength && often;
    }
    is_list || sig.has_strength || often || said.has_verb
}

/// The lines below that say how the medicine is taken.
fn directions(reader: &Reader, at: usize, starts: &[bool]) -> Vec<usize> {
    let item = &reader.items[at];
    let mut found = Vec::new();
    for next in at + 1..(at + 4).min(reader.items.len()) {
        let below = &reader.items[next];
        let lower = below.text().to_lowercase();
        let lead = lower
            .split_whitespace()
            .next()
            .unwrap_or("")
            .trim_end_matches([':', '.']);
        let is_told = crate::among(DIRECTIONS, lead) || lead.starts_with('#');
        let is_inner = below.left > item.left + 0.008 && below.cells.len() <= 2;
        let is_near = below.gap < 2.2 && below.stretch == item.stretch;
        if starts.get(next) == Some(&true)
            || below.is_heading
            || below.body > 0
            || !is_near
            || !(is_told || is_inner)
            || crate::lines::is_marked(below.text()) && !is_told
        {
            break;
        }
        found.push(next);
    }
    found
}

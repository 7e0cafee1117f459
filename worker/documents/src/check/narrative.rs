//! A model's sentences, compared with the facts that they cite.

use gristmill_reading::{Certainty, Doubt, Fact, Narrative, Status};

use super::kinds::{condition, drug};
use super::status::{holds, word};
use super::written::Written;

/// The sentences and moments whose names, numbers and dates are those of their facts, and doubts about the others.
pub(crate) fn narrative(answered: Narrative, facts: &[Fact]) -> (Narrative, Vec<Doubt>) {
    let mut doubts = Vec::new();
    let mut keep =
        |text: &str, numbers: &[u32], date: Option<&str>| match refusal(text, numbers, date, facts)
        {
            Some(reason) => {
                doubts.push(super::refused(text, &reason, None, None));
                false
            }
            None => true,
        };
    let mut kept = answered;
    kept.sentences
        .retain(|sentence| keep(&sentence.text, &sentence.facts, None));
    kept.timeline
        .retain(|moment| keep(&moment.text, &moment.facts, Some(&moment.date)));
    (kept, doubts)
}

fn refusal(text: &str, numbers: &[u32], date: Option<&str>, facts: &[Fact]) -> Option<String> {
    let cited: Vec<&Fact> = facts
        .iter()
        .filter(|fact| numbers.contains(&fact.number))
        .collect();
    if let Some(unknown) = numbers
        .iter()
        .find(|number| !facts.iter().any(|fact| fact.number == **number))
    {
        return Some(format!("it cites fact {unknown}, which does not exist"));
    }
    if cited.is_empty() {
        return Some("it cites no fact".to_owned());
    }
    let said: Vec<String> = cited
        .iter()
        .map(|fact| {
            format!(
                "{} {} {}",
                fact.name,
                fact.written,
                serde_json::Value::Object(fact.value.clone())
            )
        })
        .collect();
    let said = Written::of_texts(said.iter().map(String::as_str));
    if let Some(date) = date
        && !said.has_date(date)
    {
        return Some(format!("the date {date} is not in its facts"));
    }
    unsaid_number(text, cited.len(), &said)
        .map(|number| format!("the number {number} is not in its facts"))
        .or_else(|| unsaid_name(text, &said).map(|name| format!("{name} is not in its facts")))
        .or_else(|| stated_as_current(text, &cited))
}

/// A number that no fact has. "3 medications" counts the facts themselves.
fn unsaid_number(text: &str, count: usize, said: &Written) -> Option<String> {
    if said.has_dates_of(text) {
        // The digits of a date that was found in another form are no numbers.
        let words: Vec<&str> = text
            .split_whitespace()
            .filter(|word| !word.contains('-') && !word.contains('/'))
            .collect();
        let number = said.missing_number(&words.join(" "))?;
        return (number != count.to_string()
            && number.len() < 4
            && number.parse::<u32>().is_ok_and(|day| day > 31))
        .then_some(number);
    }
    said.missing_number(text)
        .filter(|number| *number != count.to_string())
}

fn unsaid_name(text: &str, said: &Written) -> Option<&'static str> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .collect();
    let mut at = 0;
    while at < words.len() {
        let rest = &words[at..];
        let found = gristmill_dictionary::drug(rest)
            .filter(|found| found.1.is_exact)
            .map(|found| (found.0, found.1.name, said.has_name(found.1.name, drug)))
            .or_else(|| {
                gristmill_dictionary::condition(rest)
                    .filter(|found| found.1.is_exact)
                    .map(|found| {
                        (
                            found.0,
                            found.1.name,
                            said.has_name(found.1.name, condition),
                        )
                    })
            });
        let Some((used, name, is_said)) = found else {
            at += 1;
            continue;
        };
        if !is_said && !said.has_phrase(&rest[..used].join(" ")) {
            return Some(name);
        }
        at += used.max(1);
    }
    None
}

/// Whether a fact that does not hold, or is not certain, stands in a sentence that does not say so.
fn stated_as_current(text: &str, cited: &[&Fact]) -> Option<String> {
    let folded = format!(" {} ", gristmill_dictionary::fold(text));
    let says = |words: &[&str]| words.iter().any(|part| folded.contains(part));
    let unsaid = cited.iter().find(|fact| {
        let doubtful: &[&str] = &[
            "possib",
            "suspect",
            "likely",
            "probabl",
            "may ",
            "might",
            "uncertain",
            "question",
            "query",
            "consider",
            "could",
        ];
        if holds(fact) {
            return fact.certainty != Certainty::Certain && !says(doubtful);
        }
        !match fact.status {
            Status::Stopped => says(&[
                "stop",
                "discontinu",
                "ceas",
                "no longer",
                "withdrawn",
                "held",
                "former",
                "not to be taken",
            ]),
            Status::Historical => says(&[
                "histor",
                "past",
                "previous",
                "former",
                "prior",
                "was ",
                "were ",
                "had ",
                "in hospital",
                "ago",
                "earlier",
                "given",
            ]),
            Status::RuledOut => says(&[
                "ruled out",
                " no ",
                " not ",
                "negative",
                "absen",
                "denie",
                "exclud",
                "without",
                "neither",
                "never",
                "unlikely",
            ]),
            Status::Suspected => says(doubtful),
            Status::Family => says(&[
                "family", "mother", "father", "brother", "sister", "relative", "parent", "aunt",
                "uncle", "grand", " son ", "daughter", "sibling",
            ]),
            Status::Planned => says(&[
                "plan",
                "will ",
                "schedul",
                "to be ",
                "recommend",
                "appointment",
                "follow up",
                "propos",
                "next",
                "await",
                "due",
            ]),
            Status::Current | Status::Changed => true,
        }
    })?;
    Some(format!(
        "it states {} as current, which is {}",
        unsaid.name,
        word(unsaid.status)
    ))
}

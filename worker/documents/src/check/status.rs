//! The status of a fact: what a model says holds, and what the words around it say.

use gristmill_dictionary::{self as dictionary, Context, Direction};
use gristmill_reading::{Certainty, Fact, FactKind, Status};

use super::kinds::{condition, drug};
use super::written::Written;

/// Why the page says otherwise; None where it agrees, or says nothing.
pub(super) fn refusal(fact: &Fact, known: &[Fact], written: &Written) -> Option<String> {
    let same: Vec<&Fact> = known
        .iter()
        .filter(|other| {
            other.kind == fact.kind
                && is_same(fact, other)
                && fact.page.is_none_or(|page| other.page == Some(page))
        })
        .collect();
    if holds(fact) {
        return said_otherwise(fact, &same, known)
            .or_else(|| denied_everywhere(fact, &same, written));
    }
    let is_denied = same.iter().any(|other| other.status == Status::RuledOut)
        || is_denied_somewhere(fact, written);
    (fact.status == Status::RuledOut && !is_denied)
        .then(|| "nothing on the page rules it out".to_owned())
}

/// Whether the fact says that something is so now.
pub(super) fn holds(fact: &Fact) -> bool {
    matches!(fact.status, Status::Current | Status::Changed)
}

fn said_otherwise(fact: &Fact, same: &[&Fact], known: &[Fact]) -> Option<String> {
    // An allergy to a drug is no medication, however it was answered.
    if fact.kind == FactKind::Medication && same.is_empty() {
        let is_allergy = known
            .iter()
            .any(|other| other.kind == FactKind::Allergy && is_same(fact, other));
        return is_allergy.then(|| "the page names it as an allergy".to_owned());
    }
    if same.is_empty() || same.iter().any(|other| holds(other)) {
        return None;
    }
    let decided = same.iter().find_map(|other| other.decided_by.as_ref());
    let status = word(same[0].status);
    Some(match decided {
        Some(decision) => format!(
            "it is given as current, and \"{}\" on the page makes it {status}",
            decision.text
        ),
        None => format!("it is given as current, and the page says {status}"),
    })
}

/// Where the rules do not know the name, its own neighbours decide.
fn denied_everywhere(fact: &Fact, same: &[&Fact], written: &Written) -> Option<String> {
    let decided_by_its_heading = matches!(
        fact.kind,
        FactKind::Patient
            | FactKind::Provider
            | FactKind::Date
            | FactKind::Lab
            | FactKind::VitalSign
            | FactKind::Allergy
    );
    if !same.is_empty() || decided_by_its_heading || fact.certainty != Certainty::Certain {
        return None;
    }
    let places = places(fact, written);
    let is_denied = !places.is_empty()
        && places
            .iter()
            .all(|(before, after)| is_denied(before, after));
    is_denied.then(|| "it is given as current, and the words around it deny it".to_owned())
}

fn is_denied_somewhere(fact: &Fact, written: &Written) -> bool {
    places(fact, written)
        .iter()
        .any(|(before, after)| is_denied(before, after))
}

fn places(fact: &Fact, written: &Written) -> Vec<(String, String)> {
    let mut names = vec![fact.name.clone(), fact.written.clone()];
    names.extend(dictionary::condition_names(&fact.name).map(str::to_owned));
    names.sort();
    names.dedup();
    names.iter().flat_map(|name| written.around(name)).collect()
}

/// Whether a word that denies reaches a name from before or from behind, and none that ends its scope stands between.
fn is_denied(before: &str, after: &str) -> bool {
    let before = format!(" {before} ");
    let after = format!(" {after} ");
    let of = |context: Context, direction: Direction| {
        dictionary::triggers()
            .iter()
            .filter(move |trigger| {
                trigger.context == context
                    && (trigger.direction == direction || trigger.direction == Direction::Both)
            })
            .map(|trigger| format!(" {} ", dictionary::fold(trigger.words)))
            .filter(|words| words.trim().len() > 1)
    };
    let ends: Vec<String> = of(Context::Terminate, Direction::Terminate).collect();
    let forward = of(Context::Negated, Direction::Forward)
        .filter_map(|words| before.rfind(&words).map(|at| at + words.len() - 1))
        .max();
    let backward = of(Context::Negated, Direction::Backward)
        .filter_map(|words| after.find(&words))
        .min();
    // A name that is denied from before stands close behind: six words hold "chest pain, nausea or vomiting".
    let is_near = |text: &str| {
        text.split_whitespace().count() <= 6
            && !ends
                .iter()
                .any(|end| format!(" {} ", text.trim()).contains(end.as_str()))
    };
    forward.is_some_and(|at| is_near(&before[at..]))
        || backward.is_some_and(|at| is_near(&after[..=at]))
}

fn is_same(fact: &Fact, other: &Fact) -> bool {
    let usual = |name: &str| {
        let words: Vec<&str> = name.split_whitespace().collect();
        match fact.kind {
            FactKind::Medication | FactKind::Allergy => {
                drug(&words).or_else(|| dictionary::allergen(&words).map(|found| found.1))
            }
            FactKind::Condition | FactKind::Finding => condition(&words),
            FactKind::Lab => dictionary::analyte(name).map(|found| found.name),
            FactKind::Procedure => dictionary::procedure(&words).map(|found| found.1),
            FactKind::Immunisation => dictionary::vaccine(&words).map(|found| found.1),
            _ => None,
        }
        .map_or_else(|| dictionary::fold(name), dictionary::fold)
    };
    let own = usual(&fact.name);
    own == usual(&other.name) || own == usual(&other.written)
}

/// A status as a person says it.
pub(super) fn word(status: Status) -> &'static str {
    match status {
        Status::Current => "current",
        Status::Stopped => "stopped",
        Status::Changed => "changed",
        Status::Historical => "historical",
        Status::RuledOut => "ruled out",
        Status::Suspected => "suspected",
        Status::Family => "of the family",
        Status::Planned => "planned",
    }
}

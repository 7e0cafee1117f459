//! Whether a medicine is taken: what the heading says, what stands in its row, and the verbs around it.

use std::sync::LazyLock;

use gristmill_dictionary::Section;
use regex::Regex;

use crate::context;
use crate::lines::Item;
use crate::model::{Certainty, Decision, Status};
use crate::pattern;

/// What is said of a medicine, and by which words.
pub(super) struct Said {
    pub(super) status: Status,
    pub(super) certainty: Certainty,
    pub(super) by: Option<Decision>,
    /// Words of doing were found: "takes", "was started on".
    pub(super) has_verb: bool,
}

/// Verbs, what they do to a medicine. The order is that of the alternatives: the longer before the shorter.
static VERBS: LazyLock<Vec<(Status, Regex)>> = LazyLock::new(|| {
    [
        (Status::Stopped, r"(?i)\b(?:stop(?:ped|ping)?(?: taking)?|discontinu(?:e|ed|ing)|dis-continued|ceased?|d/c(?:'?d)?|withheld|on hold|held|no longer (?:taking|takes|on|using)|taken off|came off|come off|not (?:to be )?(?:taking|taken)(?: any ?more)?|withdrawn|switched from|changed from|replaced|do not take|avoid|not to take|to stop)\b"),
        (Status::Changed, r"(?i)\b(?:(?:dose |dosage )?(?:was |has been )?(?:increased|decreased|reduced|lowered|raised|doubled|halved|titrated|uptitrated|up-titrated|adjusted|changed)|(?:increase|decrease|reduce|titrate)(?: the)?(?: dose)?(?: of)?|dose change)\b"),
        (Status::Historical, r"(?i)\b(?:treated with|(?:was|were) given|received|administered|(?:was|were) covered with|given|completed|finished|previously (?:on|took|taken|tried)|had been on|used to take|not continued|perioperative|in the (?:ed|emergency department))\b"),
        (Status::Current, r"(?i)\b(?:start(?:ed|ing)?(?: on)?|restarted|resumed?|commenced?(?: on)?|began|begin|initiated|continu(?:e|es|ed|ing)(?: on| with| to take)?|tak(?:es|ing|e)|currently on|is on|remains on|maintained on|prescribed|switched to|changed to|discharged on|sent home on|uses|using|new|added|on)\b"),
        (Status::Planned, r"(?i)\b(?:(?:will|to|plan to|consider|recommend|suggest|may) (?:start|commence|begin|initiate|add|starting|adding)|consider)\b"),
    ]
    .into_iter()
    .map(|(status, text)| (status, pattern(text)))
    .collect()
});
/// Words that look like those of stopping, or of change, and are not.
static UNTRUE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:do not|don't|never|without) stop(?:ping)?|stop date|stop if|hold (?:if|for)|unchanged|not changed|no change|not (?:been )?stopped|dose not changed|avoid (?:alcohol|driving|sun)|do not take (?:more|with|on))\b",
    )
});
static AUXILIARY: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(?:was|were|is|are|been|be|being|has|have)\s*$"));

fn of_section(item: &Item, leaves_hospital: bool) -> Option<Status> {
    let heading = item
        .heading()
        .map(|heading| heading.text.to_lowercase())
        .unwrap_or_default();
    match item.section() {
        Section::StoppedMedications => Some(Status::Stopped),
        Section::InpatientMedications => Some(Status::Historical),
        Section::ChangedMedications => Some(Status::Changed),
        Section::Medications if leaves_hospital && heading.contains("admission") => {
            Some(Status::Historical)
        }
        Section::PastHistory => Some(Status::Historical),
        _ if item.is_course() => Some(Status::Historical),
        _ => None,
    }
}

/// The last verb of a text that is not one of the look-alikes.
fn last_verb(text: &str) -> Option<(Status, usize, usize)> {
    let untrue: Vec<(usize, usize)> = UNTRUE
        .find_iter(text)
        .map(|found| (found.start(), found.end()))
        .collect();
    let all = VERBS.iter().flat_map(|(status, verb)| {
        verb.find_iter(text)
            .map(move |found| (*status, found.start(), found.end()))
    });
    let own =
        all.filter(|(_, from, to)| !untrue.iter().any(|(start, end)| from < end && to > start));
    own.max_by_key(|(_, from, to)| (*to, std::cmp::Reverse(*from)))
}

fn first_verb(text: &str) -> Option<(Status, usize, usize)> {
    let untrue: Vec<(usize, usize)> = UNTRUE
        .find_iter(text)
        .map(|found| (found.start(), found.end()))
        .collect();
    let all = VERBS.iter().flat_map(|(status, verb)| {
        verb.find_iter(text)
            .map(move |found| (*status, found.start(), found.end()))
    });
    let own =
        all.filter(|(_, from, to)| !untrue.iter().any(|(start, end)| from < end && to > start));
    own.min_by_key(|(_, from, to)| (*from, std::cmp::Reverse(*to)))
}

/// Of one medicine: `name` is where it stands, `segment` what is its own, `others` where other medicines stand.
pub(super) fn said(
    item: &Item,
    name: (usize, usize),
    segment: (usize, usize),
    others: &[(usize, usize)],
    leaves_hospital: bool,
) -> Said {
    let passage = &item.passage;
    let section = of_section(item, leaves_hospital);
    let is_list = crate::sections::is_medication(item.section());
    let mut said = Said {
        status: section.unwrap_or(Status::Current),
        certainty: Certainty::Certain,
        by: section.and_then(|_| item.heading()),
        has_verb: is_list,
    };
    let mut set = |status: Status, from: usize, to: usize| {
        said.has_verb = true;
        // A list under STOP stays stopped whatever its rows say; a story told under its heading may still tell more.
        let keeps = section.is_some_and(|section| {
            section == Status::Stopped
                || section == status
                || section == Status::Historical && status == Status::Current
        }) || section.is_some() && status == Status::Current;
        if !keeps && status != said.status {
            said.status = status;
            said.by = Some(passage.decision(from, to));
        }
    };
    // What stands behind the name in its own segment, or in its row.
    let (before, behind) = if segment.0 < name.0 {
        (&passage.text[segment.0..name.0], segment.0)
    } else {
        ("", 0)
    };
    let after = &passage.text[name.1..segment.1];
    let is_row = item.cells.len() >= 2;
    // "Aspirin 75 mg and heparin were given": the verb behind a list is that of each of its members.
    let sentence = context::sentence(passage, name.0);
    let stop = passage
        .tokens
        .get(sentence.end.saturating_sub(1))
        .map_or(segment.1, |token| token.1)
        .max(segment.1);
    let joined = after.trim_end().ends_with(" and")
        || after.trim_end().ends_with(',')
        || after.trim_end().ends_with('&');
    let after = if joined && !is_list && item.cells.len() < 2 && first_verb(after).is_none() {
        &passage.text[name.1..stop]
    } else {
        after
    };
    for (text, base) in [(after, name.1), (before, behind)] {
        if let Some((status, from, to)) = first_strong(text, is_row || is_list) {
            set(status, base + from, base + to);
            return said;
        }
    }
    // What stands before the name in its sentence, unless it was said of a medicine before.
    let sentence = context::sentence(passage, name.0);
    let start = passage
        .tokens
        .get(sentence.start)
        .map_or(0, |token| token.0)
        .max(item.body)
        .min(name.0);
    let prefix = &passage.text[start..name.0];
    if let Some((status, from, to)) = last_verb(prefix) {
        let is_backward = AUXILIARY.is_match(&prefix[..from])
            && others
                .iter()
                .any(|other| other.0 >= start && other.1 <= start + from)
            && !prefix[from..to].ends_with(" on")
            && !prefix[from..to].ends_with("with");
        if !is_backward {
            set(status, start + from, start + to);
        }
    }
    if !is_list && !is_row && matches!(said.status, Status::Current) {
        let judged = context::judge(passage, name.0, name.1);
        if judged.status != Status::Current || judged.is_hypothetical {
            said.status = if judged.is_hypothetical {
                Status::Planned
            } else {
                judged.status
            };
            said.certainty = judged.certainty;
            said.by = judged.by;
        }
    }
    said
}

/// Behind a name only words that cannot be of the next sentence count: stopping, changing, the past.
fn first_strong(text: &str, is_row: bool) -> Option<(Status, usize, usize)> {
    let found = first_verb(text)?;
    let gap = &text[..found.1];
    let is_near = is_row || !gap.contains(". ") && !gap.contains(';');
    let is_strong = matches!(
        found.0,
        Status::Stopped | Status::Changed | Status::Historical
    );
    let words = &text[found.1..found.2];
    let is_started = words.to_lowercase().starts_with("start")
        || words.to_lowercase().starts_with("commenc")
        || words.to_lowercase().starts_with("resum");
    (is_near && (is_strong || is_started)).then_some(found)
}

//! Headings, in their many forms, and what they say of what stands below them.

use std::sync::LazyLock;

use gristmill_dictionary::{self as dictionary, Section};
use regex::Regex;

use crate::geometry::{Line, text};
use crate::passage::Passage;
use crate::pattern;

/// Words that say that no allergy is known.
pub static NO_ALLERGIES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bN\.?K\.?D?\.?A\b|\b(?:no|nil|not any|without) known (?:drug |food |medication |medicine |environmental )?(?:or [a-z]+ )?allerg(?:y|ies)|\b(?:no|nil|denies(?: any)?|denied(?: any)?) (?:drug |medication |food |known )?allergies\b|\ballergies?\s*[:\u{2013}-]?\s*(?:none|nil|no)(?: known| recorded| reported)?\b|\bno known (?:drug )?(?:sensitivities|intolerances)\b|\bno allergies known\b",
    )
});

/// Whether these words say that no allergy is known.
pub fn is_none_known(text: &str) -> bool {
    NO_ALLERGIES.is_match(text)
}

/// A heading at the start of a line.
pub struct Head {
    /// What stands below it is about this.
    pub section: Section,
    /// It tells the story of a stay.
    pub is_course: bool,
    /// Where the heading ends in the text of its line.
    pub to: usize,
}

const COURSES: &str = "hospital course|course in hospital|clinical course|ed course|emergency department course|course|treatment given|\
    treatment in hospital|inpatient course|progress in hospital|brief hospital course|summary of stay";

/// Labels within the directions of one medicine.
const DIRECTIONS: &str = "sig|disp|dispense|directions|refills|refill|repeats|quantity|qty|supply|take|mitte|dose|route|frequency";

/// What headings over allergies are made of.
const OF_ALLERGIES: &str = "adverse|reaction|reactions|and|&|drug|food|known|allergy|allergies|sensitivity|sensitivities|intolerance|\
    intolerances|medication|medicine|other|history|of|list|status|/|or|alerts";

/// Whether entries of this section are lists more often than prose.
pub fn is_list(section: Option<Section>) -> bool {
    section.is_some_and(|section| {
        is_medication(section)
            || matches!(
                section,
                Section::Diagnoses
                    | Section::Allergies
                    | Section::Immunisations
                    | Section::Labs
                    | Section::Vitals
            )
    })
}

/// Whether headings of this section stand over medicines.
pub fn is_medication(section: Section) -> bool {
    matches!(
        section,
        Section::Medications
            | Section::StoppedMedications
            | Section::InpatientMedications
            | Section::DischargeMedications
            | Section::ChangedMedications
            | Section::NewMedications
    )
}

/// The key of a pair that is a heading at the same time: "Allergies: none".
pub fn is_section_label(key: &str) -> bool {
    named(key).is_some_and(|found| found.0 != Section::Patient)
}

/// The heading that a line begins with, or is.
/// What stands around a line.
pub struct Around {
    /// The usual height of a line of the page.
    pub usual: f32,
    /// Whether heights are those of letters' types, not of the letters that happen to be in a line.
    pub is_exact: bool,
    /// How far the lines above and below are, in the usual distance of lines.
    pub above: f32,
    /// The usual height of a line of the page.
    pub below: f32,
    /// Whether the next line begins with a small letter.
    pub goes_on: bool,
}

/// The heading that a line begins with, or is.
pub fn head(line: &Line, around: &Around) -> Option<Head> {
    let passage = Passage::of(line.page, &line.words);
    let whole = &passage.text;
    let cells = line.cells();
    let head = |(section, is_course): (Section, bool), to: usize| Head {
        section,
        is_course,
        to,
    };
    let is_letter = whole.len() == 1 && !whole.ends_with(':');
    if cells.len() == 1
        && line.words.len() <= 9
        && !is_letter
        && let Some(found) = named(whole)
    {
        return Some(head(found, whole.len()));
    }
    let mark = [":", " - ", " \u{2013} ", " \u{2014} "]
        .iter()
        .filter_map(|mark| whole.find(mark).map(|at| (at, mark.len())))
        .min();
    if let Some((at, length)) = mark
        && whole[..at].split_whitespace().count() <= 8
        && let Some(found) = named(&whole[..at])
        && found.0 != Section::Patient
    {
        return Some(head(found, at + length));
    }
    if cells.len() == 2 {
        let first = text(&line.words[cells[0].words.clone()]);
        let second = text(&line.words[cells[1].words.clone()]);
        if let Some(found) = named(&first)
            && second.split_whitespace().count() >= 2
            && found.0 != Section::Labs
        {
            return Some(head(found, first.len()));
        }
    }
    looks_like_one(line, whole, around).then(|| head((Section::Other, false), whole.len()))
}

fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let lower = lower
        .trim()
        .trim_end_matches([':', '.', '-', '\u{2013}'])
        .trim();
    let lower = lower
        .strip_suffix("(continued)")
        .or(lower.strip_suffix("(cont.)"))
        .or(lower.strip_suffix("(cont)"))
        .unwrap_or(lower)
        .trim();
    let lower = lower
        .strip_suffix(", continued")
        .or(lower.strip_suffix(" continued"))
        .unwrap_or(lower);
    let lower = lower.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '.' | ')' | '#' | '*' | '=' | '-' | '\u{2022}' | ' ')
    });
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.join(" ")
}

/// What a heading says; none when these words are no heading that is known.
pub fn named(heading: &str) -> Option<(Section, bool)> {
    let plain = plain(heading);
    if plain.is_empty() || plain.len() > 80 || crate::among(DIRECTIONS, &plain) {
        return None;
    }
    let in_theatre = [
        "in theatre",
        "in theater",
        "intraoperative",
        "perioperative",
        "prophylaxis",
        "premedication",
    ];
    if in_theatre.iter().any(|word| plain.contains(word)) {
        return Some((Section::Other, true));
    }
    if crate::among(COURSES, plain.as_str()) {
        return Some((Section::Other, true));
    }
    let is_given = [
        "in the department",
        "in department",
        "in the ed",
        "in ed",
        "in hospital",
        "given",
        "on the ward",
        "in the emergency department",
        "in resus",
    ];
    if plain.starts_with("treatment") && is_given.iter().any(|word| plain.ends_with(word))
        || plain.starts_with("given in")
        || plain.starts_with("administered in")
    {
        return Some((Section::Other, true));
    }
    if let Some(section) = of_medicines(&plain) {
        return Some((section, false));
    }
    dictionary::section(&plain)
        .or_else(|| of_conditions(&plain))
        .map(|section| (section, false))
}

/// "Existing conditions", "what you have", and the letters of SOAP notes.
fn of_conditions(plain: &str) -> Option<Section> {
    match plain {
        "s" | "subjective" => return Some(Section::Other),
        "o" | "objective" => return Some(Section::Findings),
        "a" | "a/p" | "a&p" | "a & p" => return Some(Section::Assessment),
        "p" => return Some(Section::Plan),
        "what you have" | "what was excluded" | "what was ruled out" | "excluded" | "ruled out"
        | "what we ruled out" | "what we excluded" => return Some(Section::Diagnoses),
        _ => {}
    }
    let words: Vec<&str> = plain.split(' ').collect();
    let of_allergies = words
        .iter()
        .any(|word| word.starts_with("allerg") || word.starts_with("reaction"));
    if of_allergies && words.iter().all(|word| crate::among(OF_ALLERGIES, word)) {
        return Some(Section::Allergies);
    }
    let is_about = words.iter().any(|word| {
        word.starts_with("condition")
            || matches!(*word, "diagnosis" | "diagnoses" | "diagnosed")
            || word.starts_with("problem")
            || word.starts_with("illness")
            || word.starts_with("disease")
            || word.starts_with("comorbid")
    });
    if words.len() > 6 || !is_about {
        return None;
    }
    let has = |all: &[&str]| all.iter().any(|word| words.contains(word));
    if has(&["family"]) {
        return Some(Section::FamilyHistory);
    }
    Some(
        if has(&["past", "previous", "prior", "former", "history"]) {
            Section::PastHistory
        } else {
            Section::Diagnoses
        },
    )
}

/// Headings over medicines are sentences as often as names: "STOP taking these medications".
fn of_medicines(plain: &str) -> Option<Section> {
    let has = |words: &[&str]| words.iter().any(|word| plain.contains(word));
    let starts = |words: &[&str]| {
        words
            .iter()
            .any(|word| plain.split(' ').any(|own| own.starts_with(word)))
    };
    // "Stopped today" and "started on discharge" name no medicines, and are about them.
    let rest_is_time = plain.split(' ').skip(1).all(|word| {
        matches!(
            word,
            "today"
                | "now"
                | "on"
                | "at"
                | "discharge"
                | "admission"
                | "this"
                | "the"
                | "visit"
                | "date"
                | "in"
                | "clinic"
                | "by"
                | "gp"
                | "hospital"
                | "dose"
                | "doses"
                | "these"
                | "and"
                | "do"
                | "not"
                | "take"
        )
    });
    let is_about = has(&[
        "medic",
        "drug",
        "taking",
        "tablets",
        "prescription",
        "current treatment",
        "present treatment",
        "ongoing treatment",
        "regular treatment",
    ]) || starts(&["meds", "rx"])
        || plain.contains(' ')
            && rest_is_time
            && starts(&[
                "stop",
                "start",
                "chang",
                "continu",
                "discontinu",
                "ceas",
                "commenc",
            ]);
    let count = plain.split(' ').count();
    if !is_about && count > 1 {
        return None;
    }
    if plain.contains("allerg") || plain.contains("intoleran") || plain.contains("reaction") {
        return None;
    }
    if starts(&["stop", "discontinu", "ceas", "withheld", "withdrawn"])
        || has(&[
            "do not take",
            "no longer",
            "not to take",
            "don't take",
            "held on",
        ])
    {
        return Some(Section::StoppedMedications);
    }
    if starts(&["chang", "adjust", "alter", "modif"])
        && !has(&["unchanged", "no change"])
        && (is_about)
    {
        return Some(Section::ChangedMedications);
    }
    if !is_about {
        return None;
    }
    if has(&["unchanged", "no change"]) || starts(&["continu", "keep"]) {
        return Some(Section::Medications);
    }
    if starts(&["inpatient", "in-patient", "administered"])
        || has(&[
            "in hospital",
            "in-hospital",
            "during",
            "given in",
            "while in",
            "on the ward",
            "in the ed",
            "in ed",
            "in the emergency",
        ])
    {
        return Some(Section::InpatientMedications);
    }
    if has(&["discharge", "going home", "to take home", "tto", "ttas"]) {
        return Some(Section::DischargeMedications);
    }
    if starts(&["new", "start", "begin", "commenc"]) {
        return Some(Section::NewMedications);
    }
    (count <= 4
        && (has(&[
            "current", "regular", "home", "active", "list", "usual", "present", "ongoing",
        ]) || count == 1 && starts(&["medic", "meds", "drugs"])))
    .then_some(Section::Medications)
}

/// A heading that no list has: it ends what the last one said.
fn looks_like_one(line: &Line, whole: &str, around: &Around) -> bool {
    let words: Vec<&str> = whole.split_whitespace().collect();
    if line.cells().len() != 1
        || words.len() > 6
        || whole.chars().any(|c| c.is_ascii_digit())
        || crate::lines::is_marked(whole)
    {
        return false;
    }
    let letters: Vec<char> = whole.chars().filter(|c| c.is_alphabetic()).collect();
    if letters.len() < 4 {
        return false;
    }
    let is_loud = letters.iter().all(|c| c.is_uppercase());
    let is_tall = line.height() > around.usual * if around.is_exact { 1.06 } else { 1.35 };
    let is_label = whole.ends_with(':');
    // Set apart from what is above, and close to what is below.
    let is_apart = !around.goes_on
        && around.above > 1.12
        && around.below < around.above * 0.9
        && whole.starts_with(char::is_uppercase)
        && words.len() <= 5
        && !whole.ends_with(['.', ',', ';', ')']);
    (is_loud || is_tall || is_label || is_apart) && !names_something(&words)
}

/// Whether these words name an illness, a medicine, a test and the like: they are then no heading.
pub fn names_something(words: &[&str]) -> bool {
    let words: Vec<&str> = words
        .iter()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let clean = words.join(" ");
    is_none_known(&clean)
        || dictionary::analyte(&clean).is_some()
        || (0..words.len()).any(|at| {
            let rest = &words[at..];
            dictionary::drug(rest).is_some_and(|(_, drug)| drug.is_exact)
                || dictionary::condition(rest).is_some_and(|(_, condition)| condition.is_exact)
                || dictionary::vaccine(rest).is_some()
                || dictionary::allergen(rest).is_some()
                || dictionary::procedure(rest).is_some()
        })
}

//! Headings of a document's sections.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::fold::fold;
use crate::table::rows;

/// What the text under a heading is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// What the patient takes: home, current and admission medications.
    Medications,
    /// What the patient shall no longer take.
    StoppedMedications,
    /// What was given in hospital only.
    InpatientMedications,
    /// What the patient takes after leaving.
    DischargeMedications,
    /// What the patient takes in another dose than before.
    ChangedMedications,
    /// What the patient begins to take.
    NewMedications,
    /// What the patient had before.
    PastHistory,
    /// What relatives have.
    FamilyHistory,
    /// How the patient lives.
    SocialHistory,
    /// What the patient must not be given.
    Allergies,
    /// What the patient has.
    Diagnoses,
    /// What the author thinks.
    Assessment,
    /// What shall be done.
    Plan,
    /// Results of a laboratory.
    Labs,
    /// Blood pressure, pulse and the like.
    Vitals,
    /// What was done.
    Procedures,
    /// What was seen.
    Findings,
    /// What a radiologist concludes.
    Impression,
    /// Vaccines given.
    Immunisations,
    /// When the patient comes back.
    FollowUp,
    /// Who the patient is.
    Patient,
    /// A heading that is known and is none of these: it ends the section before it.
    Other,
}

static SECTIONS: LazyLock<HashMap<&'static str, Section>> = LazyLock::new(|| {
    let mut sections = HashMap::new();
    for row in rows(include_str!("../data/sections.tsv")) {
        let Some(section) = named(row.column(0)) else {
            continue;
        };
        for heading in row.list(1) {
            sections.insert(heading, section);
        }
    }
    sections
});

fn named(name: &str) -> Option<Section> {
    Some(match name {
        "medications" => Section::Medications,
        "stopped medications" => Section::StoppedMedications,
        "inpatient medications" => Section::InpatientMedications,
        "discharge medications" => Section::DischargeMedications,
        "changed medications" => Section::ChangedMedications,
        "new medications" => Section::NewMedications,
        "past history" => Section::PastHistory,
        "family history" => Section::FamilyHistory,
        "social history" => Section::SocialHistory,
        "allergies" => Section::Allergies,
        "diagnoses" => Section::Diagnoses,
        "assessment" => Section::Assessment,
        "plan" => Section::Plan,
        "labs" => Section::Labs,
        "vitals" => Section::Vitals,
        "procedures" => Section::Procedures,
        "findings" => Section::Findings,
        "impression" => Section::Impression,
        "immunisations" => Section::Immunisations,
        "follow up" => Section::FollowUp,
        "patient" => Section::Patient,
        "other" => Section::Other,
        _ => return None,
    })
}

/// The section that a heading opens. The heading is the whole line, or what stands before its colon.
///
/// A number before the heading, a remark in parentheses and a colon are left out. A heading that the dictionary does not know is read by its
/// words when it speaks of medications: there a wrong section would show a stopped drug as current.
pub fn section(heading: &str) -> Option<Section> {
    let without_remark = heading.split(['(', '[']).next().unwrap_or(heading);
    let folded = [
        fold(&heading.replace(':', " ")),
        fold(&without_remark.replace(':', " ")),
    ];
    folded
        .iter()
        .map(|text| {
            text.trim_start_matches(|letter: char| {
                letter.is_ascii_digit() || letter == '.' || letter == ' '
            })
        })
        .find_map(|text| SECTIONS.get(text).copied().or_else(|| of_medications(text)))
}

fn of_medications(heading: &str) -> Option<Section> {
    const DRUGS: &[&str] = &[
        "medication",
        "medications",
        "medicine",
        "medicines",
        "meds",
        "drugs",
        "tablets",
        "prescriptions",
    ];
    let words: Vec<&str> = heading.split(' ').collect();
    // A sentence that speaks of medications is longer than a heading is.
    if words.len() > 9 || !words.iter().any(|word| DRUGS.contains(word)) {
        return None;
    }
    let has = |parts: &[&str]| {
        words
            .iter()
            .any(|word| parts.iter().any(|part| word.starts_with(part)))
    };
    Some(
        if has(&[
            "stop",
            "discontinu",
            "ceas",
            "withdrawn",
            "withheld",
            "held",
            "suspend",
            "omit",
        ]) {
            Section::StoppedMedications
        } else if has(&["chang", "adjust", "alter", "amend", "modif"]) {
            Section::ChangedMedications
        } else if has(&["new", "start", "commenc", "begin", "initiat", "added"]) {
            Section::NewMedications
        } else if has(&[
            "inpatient",
            "hospital",
            "ward",
            "stay",
            "administered",
            "intraoperative",
            "given",
        ]) {
            Section::InpatientMedications
        } else if has(&["discharge", "leaving", "home", "tto", "tta", "continu"]) {
            Section::DischargeMedications
        } else {
            return None;
        },
    )
}

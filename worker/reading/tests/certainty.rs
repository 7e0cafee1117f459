//! Negation, suspicion, history and family: what is said not to be so is never stated as so.

mod support;

use gristmill_reading::FactKind::Condition;
use gristmill_reading::{Certainty, Status};
use support::{check, reading};

#[test]
fn what_is_denied_is_ruled_out() {
    check(
        Condition,
        &[
            (
                "There is no evidence of pulmonary embolism.",
                "pulmonary embolism [ruled_out]",
            ),
            (
                "Pulmonary embolism was ruled out.",
                "pulmonary embolism [ruled_out]",
            ),
            ("Meningitis has been excluded.", "meningitis [ruled_out]"),
            (
                "The work-up was negative for endocarditis.",
                "endocarditis [ruled_out]",
            ),
            ("Pneumonia: none.", "pneumonia [ruled_out]"),
            (
                "The patient was tested for meningitis, which was negative.",
                "meningitis [ruled_out]",
            ),
            (
                "There was no evidence of\nheart failure. She has asthma.",
                "asthma | heart failure [ruled_out]",
            ),
            (
                "No evidence of stroke, but pneumonia is present.",
                "pneumonia | stroke [ruled_out]",
            ),
            (
                "She denies asthma and epilepsy.",
                "asthma [ruled_out] | epilepsy [ruled_out]",
            ),
            (
                "What was excluded\nstroke\nmeningitis",
                "meningitis [ruled_out] | stroke [ruled_out]",
            ),
        ],
    );
}

#[test]
fn what_is_suspected_is_not_stated() {
    check(
        Condition,
        &[
            (
                "Rule out pulmonary embolism.",
                "pulmonary embolism [suspected]",
            ),
            ("R/O sepsis.", "sepsis [suspected]"),
            ("Possible pneumonia.", "pneumonia [suspected]"),
            (
                "Suspected meningitis, tests are pending.",
                "meningitis [suspected]",
            ),
            ("Stroke cannot be excluded.", "stroke [suspected]"),
            ("?pneumonia", "pneumonia [suspected]"),
        ],
    );
}

#[test]
fn what_a_relative_has_is_of_the_family() {
    check(
        Condition,
        &[
            ("Family history of stroke (mother).", "stroke [family]"),
            ("Her mother had epilepsy.", "epilepsy [family]"),
            (
                "FAMILY HISTORY\nasthma, hypertension",
                "asthma [family] | hypertension [family]",
            ),
            (
                "PMH: gout. FH: stroke. Meds: none.",
                "gout [historical] | stroke [family]",
            ),
        ],
    );
}

#[test]
fn a_condition_under_a_condition_is_no_fact() {
    check(Condition, &[("Return if you have pneumonia.", "")]);
}

#[test]
fn a_decision_names_its_words_and_their_place() {
    let found = reading("Impression\n\nProbable pneumonia.").facts;
    let fact = found.iter().find(|fact| fact.kind == Condition).unwrap();
    let by = fact.decided_by.as_ref().unwrap();
    assert_eq!(
        (fact.status, fact.certainty),
        (Status::Suspected, Certainty::Likely)
    );
    assert_eq!((by.text.as_str(), by.page), ("Probable", 1));
    assert_eq!(by.place[0], 0.0);
}

#[test]
fn acute_is_not_coded_as_chronic() {
    for (text, name) in [
        ("Acute bronchitis.", "acute bronchitis"),
        ("Acute kidney injury.", "acute kidney injury"),
    ] {
        let found = reading(text).facts;
        let fact = found
            .iter()
            .find(|fact| fact.name == name)
            .unwrap_or_else(|| panic!("{text}: {found:?}"));
        assert!(
            !matches!(fact.code.as_deref(), Some("J42" | "N18.9" | "J41.0")),
            "{fact:?}"
        );
    }
    let found = reading("Acute asthma attack of long-standing hypertension.").facts;
    let asthma = found.iter().find(|fact| fact.name == "asthma");
    assert!(asthma.is_none_or(|fact| fact.code.is_none()), "{asthma:?}");
}

//! The narrative states what is current and asserted, and names all else by its status.

mod support;

use gristmill_reading::{Status, narrate};
use support::reading;

const TEXT: &str = "Patient: Ann Lee   DOB: 1970-01-22
Diagnoses
1. hypertension
There is no evidence of stroke. Her mother had epilepsy. Possible pneumonia.
Medications
metformin 500 mg twice daily
STOP taking these medications
lisinopril 10 mg daily
";

#[test]
fn what_is_not_current_is_named_only_with_its_status() {
    let facts = reading(TEXT).facts;
    assert!(facts.iter().any(|fact| fact.status == Status::Stopped));
    let narrative = narrate(&facts);
    for fact in facts
        .iter()
        .filter(|fact| !matches!(fact.status, Status::Current | Status::Changed))
    {
        for sentence in narrative
            .sentences
            .iter()
            .filter(|sentence| sentence.text.contains(&fact.name))
        {
            let says = [
                "Stopped:",
                "In the past:",
                "Suspected, not confirmed:",
                "Ruled out:",
                "In the family, not the patient:",
                "Planned:",
            ];
            assert!(
                says.iter().any(|word| sentence.text.starts_with(word)),
                "{}",
                sentence.text
            );
        }
    }
    assert!(
        narrative
            .sentences
            .iter()
            .any(|sentence| sentence.text == "Stopped: lisinopril 10 mg once daily."),
        "{narrative:?}"
    );
    assert!(
        narrative
            .sentences
            .iter()
            .any(|sentence| sentence.text == "Medications: metformin 500 mg twice daily."),
        "{narrative:?}"
    );
}

#[test]
fn every_sentence_and_moment_cites_facts_that_exist() {
    let facts = reading(TEXT).facts;
    let narrative = narrate(&facts);
    let cited = narrative
        .sentences
        .iter()
        .map(|sentence| &sentence.facts)
        .chain(narrative.timeline.iter().map(|moment| &moment.facts));
    for numbers in cited {
        assert!(!numbers.is_empty());
        assert!(
            numbers
                .iter()
                .all(|number| facts.iter().any(|fact| fact.number == *number))
        );
    }
    assert_eq!(narrative.timeline[0].date, "1970-01-22");
}

use gristmill_reading::{Fact, Narrative, Page, Word};
use serde_json::{Value, json};

fn page(lines: &[&str]) -> Page {
    let mut words = Vec::new();
    for (line, text) in (0_u32..).zip(lines) {
        let top = 0.05 + line as f32 * 0.03;
        let mut left = 0.08;
        for word in text.split(' ') {
            let right = left + word.len() as f32 * 0.009;
            words.push(Word {
                text: word.to_owned(),
                place: [left, top, right, top + 0.015],
                confidence: None,
                line: Some(line),
            });
            left = right + 0.008;
        }
    }
    Page::new(1, "text_layer", 612.0, 792.0, words)
}

fn letter() -> Page {
    page(&[
        "Discharge Summary",
        "Patient: Maria Keller DOB: 03/04/1961",
        "Diagnoses:",
        "High blood pressure.",
        "Pulmonary embolism was ruled out.",
        "There is no evidence of pneumonia.",
        "Discharge medications:",
        "Metformin 500 mg by mouth BD",
        "Entresto 24/26 mg twice daily",
        "STOP taking these medications:",
        "Warfarin 5 mg daily",
        "Allergies: penicillin (hives)",
    ])
}

fn fact(value: Value) -> Fact {
    serde_json::from_value(value).unwrap()
}

fn check(value: Value) -> Result<(), String> {
    let checked = super::facts(vec![fact(value)], &[letter()]);
    assert_eq!(checked.kept.len() + checked.doubts.len(), 1);
    match checked.doubts.first() {
        Some(doubt) => {
            assert_eq!(doubt.reason, "refused_answer");
            Err(doubt.text.clone())
        }
        None => Ok(()),
    }
}

#[test]
fn facts_in_other_words_than_the_page_are_kept() {
    for value in [
        json!({"kind": "condition", "name": "hypertension", "page": 1}),
        json!({"kind": "condition", "name": "pulmonary embolism", "status": "ruled_out", "page": 1}),
        json!({"kind": "condition", "name": "pneumonia", "status": "ruled_out"}),
        json!({"kind": "medication", "name": "metformin", "value": {"dose": 500, "unit": "mg", "frequency": "twice daily"}, "page": 1}),
        json!({"kind": "medication", "name": "sacubitril/valsartan", "value": {"dose": "24/26", "unit": "mg"}}),
        json!({"kind": "medication", "name": "warfarin", "status": "stopped", "value": {"dose": 5.0}}),
        json!({"kind": "allergy", "name": "penicillin", "value": {"reaction": "urticaria"}}),
        json!({"kind": "patient", "name": "Maria Keller", "value": {"birth_date": "1961-04-03"}}),
    ] {
        assert_eq!(check(value.clone()), Ok(()), "{value}");
    }
}

#[test]
fn an_invented_drug_number_or_frequency_is_refused() {
    for (value, reason) in [
        (
            json!({"kind": "medication", "name": "lisinopril"}),
            "name is not on the page",
        ),
        (
            json!({"kind": "condition", "name": "asthma"}),
            "name is not on the page",
        ),
        (
            json!({"kind": "lab", "name": "Potassium", "value": {"value": 5.1}}),
            "name is not on the page",
        ),
        (
            json!({"kind": "medication", "name": "metformin", "value": {"dose": 850}}),
            "dose 850",
        ),
        (
            json!({"kind": "medication", "name": "metformin", "value": {"dose": 500, "frequency": "every 8 hours"}}),
            "frequency every 8 hours",
        ),
        (
            json!({"kind": "patient", "name": "Maria Keller", "value": {"birth_date": "1962-04-03"}}),
            "birth_date 1962-04-03",
        ),
        (
            json!({"kind": "allergy", "name": "penicillin", "value": {"reaction": "anaphylaxis"}}),
            "reaction anaphylaxis",
        ),
    ] {
        let refusal = check(value.clone()).unwrap_err();
        assert!(refusal.contains(reason), "{value}: {refusal}");
    }
}

#[test]
fn a_status_that_the_page_denies_is_refused() {
    for value in [
        json!({"kind": "condition", "name": "pulmonary embolism"}),
        json!({"kind": "condition", "name": "pneumonia", "status": "current"}),
        json!({"kind": "medication", "name": "warfarin", "value": {"dose": 5}}),
        json!({"kind": "medication", "name": "penicillin v"}),
        json!({"kind": "condition", "name": "hypertension", "status": "ruled_out"}),
    ] {
        assert!(check(value.clone()).is_err(), "{value}");
    }
}

#[test]
fn the_rest_of_an_answer_is_kept_beside_a_refused_fact() {
    let answered = vec![
        fact(json!({"kind": "medication", "name": "metformin"})),
        fact(json!({"kind": "medication", "name": "insulin"})),
    ];
    let checked = super::facts(answered, &[letter()]);
    assert_eq!(checked.kept.len(), 1);
    assert_eq!(checked.kept[0].name, "metformin");
    assert_eq!(checked.doubts.len(), 1);
}

fn told(text: &str, numbers: &[u32]) -> Option<String> {
    let facts = vec![
        fact(
            json!({"number": 1, "kind": "medication", "name": "metformin", "value": {"dose": 500, "unit": "mg"}}),
        ),
        fact(
            json!({"number": 2, "kind": "medication", "name": "warfarin", "status": "stopped", "value": {"dose": 5}}),
        ),
        fact(
            json!({"number": 3, "kind": "condition", "name": "pulmonary embolism", "status": "ruled_out"}),
        ),
        fact(
            json!({"number": 4, "kind": "date", "name": "admitted", "value": {"date": "2024-05-03"}}),
        ),
    ];
    let answered: Narrative = serde_json::from_value(json!({
        "sentences": [{"text": text, "facts": numbers}], "timeline": [],
    }))
    .unwrap();
    let (kept, doubts) = super::narrative(answered, &facts);
    assert_eq!(kept.sentences.len() + doubts.len(), 1);
    doubts.first().map(|doubt| doubt.text.clone())
}

#[test]
fn a_sentence_that_its_facts_say_is_kept() {
    assert_eq!(told("The patient takes metformin 500 mg.", &[1]), None);
    assert_eq!(told("Warfarin was stopped.", &[2]), None);
    assert_eq!(told("Pulmonary embolism was ruled out.", &[3]), None);
    assert_eq!(told("Admitted on 3 May 2024.", &[4]), None);
    assert_eq!(told("Admitted on 2024-05-03.", &[4]), None);
}

#[test]
fn a_sentence_with_another_name_number_or_status_is_refused() {
    assert!(
        told("The patient takes metformin 850 mg.", &[1])
            .unwrap()
            .contains("850")
    );
    assert!(
        told("The patient takes metformin and lisinopril.", &[1])
            .unwrap()
            .contains("lisinopril")
    );
    assert!(
        told("The patient takes warfarin.", &[2])
            .unwrap()
            .contains("stopped")
    );
    assert!(
        told("The patient has a pulmonary embolism.", &[3])
            .unwrap()
            .contains("ruled out")
    );
    assert!(
        told("The patient is well.", &[])
            .unwrap()
            .contains("cites no fact")
    );
    assert!(told("Metformin.", &[9]).unwrap().contains("fact 9"));
}

#[test]
fn a_moment_has_a_date_of_its_facts() {
    let facts = vec![fact(
        json!({"number": 1, "kind": "date", "name": "admitted", "value": {"date": "2024-05-03"}}),
    )];
    let moment = |date: &str| {
        let answered = json!({"sentences": [], "timeline": [{"date": date, "text": "Admitted", "facts": [1]}]});
        super::narrative(serde_json::from_value(answered).unwrap(), &facts)
            .0
            .timeline
            .len()
    };
    assert_eq!(moment("2024-05-03"), 1);
    assert_eq!(moment("2024-05-04"), 0);
}

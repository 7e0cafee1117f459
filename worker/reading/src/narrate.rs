//! A few sentences and a timeline, each standing on numbered facts. What is not current and asserted is named only in a
//! sentence that says its status.

use serde_json::Value;

use crate::model::{Certainty, Fact, FactKind, Moment, Narrative, Sentence, Status};

/// The narrative of a document's facts.
pub fn narrate(facts: &[Fact]) -> Narrative {
    let mut sentences = Vec::new();
    people(facts, &mut sentences);
    let holds = |fact: &&Fact| {
        matches!(fact.status, Status::Current | Status::Changed)
            && fact.certainty == Certainty::Certain
    };
    let of = |kind: FactKind| -> Vec<&Fact> {
        facts
            .iter()
            .filter(|fact| fact.kind == kind)
            .filter(holds)
            .collect()
    };
    push(
        &mut sentences,
        "Allergies",
        &of(FactKind::Allergy)
            .into_iter()
            .filter(|fact| fact.name != "no known allergies")
            .collect::<Vec<_>>(),
    );
    let none_known: Vec<&Fact> = of(FactKind::Allergy)
        .into_iter()
        .filter(|fact| fact.name == "no known allergies")
        .collect();
    if !none_known.is_empty() {
        sentences.push(sentence("No allergies are known.".into(), &none_known));
    }
    push(&mut sentences, "Conditions", &of(FactKind::Condition));
    push(&mut sentences, "Medications", &of(FactKind::Medication));
    sentences.extend(laboratory(&of(FactKind::Lab)));
    push(&mut sentences, "Vital signs", &of(FactKind::VitalSign));
    push(&mut sentences, "Procedures", &of(FactKind::Procedure));
    push(&mut sentences, "Findings", &of(FactKind::Finding));
    push(&mut sentences, "Immunisations", &of(FactKind::Immunisation));
    let unsure = |fact: &&Fact| {
        matches!(fact.status, Status::Current | Status::Changed)
            && fact.certainty != Certainty::Certain
    };
    push(
        &mut sentences,
        "Not certain",
        &facts.iter().filter(unsure).collect::<Vec<_>>(),
    );
    for (status, word) in [
        (Status::Stopped, "Stopped"),
        (Status::Historical, "In the past"),
        (Status::Suspected, "Suspected, not confirmed"),
        (Status::RuledOut, "Ruled out"),
        (Status::Family, "In the family, not the patient"),
        (Status::Planned, "Planned"),
    ] {
        push(
            &mut sentences,
            word,
            &facts
                .iter()
                .filter(|fact| fact.status == status)
                .collect::<Vec<_>>(),
        );
    }
    Narrative {
        sentences,
        timeline: timeline(facts),
    }
}

fn people(facts: &[Fact], sentences: &mut Vec<Sentence>) {
    if let Some(patient) = facts.iter().find(|fact| fact.kind == FactKind::Patient) {
        let born = text(patient, "birth_date")
            .map(|date| format!(", born {date}"))
            .unwrap_or_default();
        sentences.push(sentence(
            format!("The document is about {}{born}.", patient.name),
            &[patient],
        ));
    }
    let providers: Vec<&Fact> = facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Provider)
        .collect();
    if !providers.is_empty() {
        let names: Vec<String> = providers.iter().map(|fact| fact.name.clone()).collect();
        sentences.push(sentence(format!("It names {}.", list(&names)), &providers));
    }
}

fn push(sentences: &mut Vec<Sentence>, word: &str, facts: &[&Fact]) {
    if !facts.is_empty() {
        let named: Vec<String> = facts.iter().map(|fact| described(fact)).collect();
        sentences.push(sentence(format!("{word}: {}.", list(&named)), facts));
    }
}

fn timeline(facts: &[Fact]) -> Vec<Moment> {
    let mut timeline: Vec<Moment> = facts
        .iter()
        .filter_map(|fact| {
            let (key, name) = match (fact.kind, fact.status) {
                (FactKind::Patient, _) => ("birth_date", "Born".to_owned()),
                (FactKind::Date, _) => ("date", capital(&fact.name)),
                (FactKind::Appointment, _)
                | (FactKind::Procedure | FactKind::Immunisation, Status::Planned) => {
                    ("date", format!("Planned: {}", fact.name))
                }
                (
                    FactKind::Procedure | FactKind::Immunisation,
                    Status::Current | Status::Historical,
                ) => ("date", capital(&fact.name)),
                _ => return None,
            };
            // An ambiguous date is shown with its fact, not as a moment.
            let is_doubted = fact
                .doubts
                .iter()
                .any(|doubt| doubt.reason == "date_is_ambiguous");
            (!is_doubted).then_some(())?;
            Some(Moment {
                date: text(fact, key)?,
                text: name,
                facts: vec![fact.number],
            })
        })
        .collect();
    timeline.sort_by(|a, b| a.date.cmp(&b.date));
    timeline
}

fn laboratory(labs: &[&Fact]) -> Vec<Sentence> {
    let are = |word: &str| -> Vec<&Fact> {
        labs.iter()
            .copied()
            .filter(|fact| text(fact, "abnormal").as_deref() == Some(word))
            .collect()
    };
    let mut sentences = Vec::new();
    for (word, said) in [("high", "Higher"), ("low", "Lower")] {
        let outside = are(word);
        if !outside.is_empty() {
            let named: Vec<String> = outside.iter().map(|fact| described(fact)).collect();
            sentences.push(sentence(
                format!("{said} than its reference range: {}.", list(&named)),
                &outside,
            ));
        }
    }
    let normal = are("normal");
    if !normal.is_empty() {
        let named: Vec<String> = normal.iter().map(|fact| fact.name.clone()).collect();
        sentences.push(sentence(
            format!("Within range: {}.", list(&named)),
            &normal,
        ));
    }
    let open: Vec<&Fact> = labs
        .iter()
        .copied()
        .filter(|fact| text(fact, "abnormal").is_none())
        .collect();
    push(&mut sentences, "Results without a range", &open);
    sentences
}

fn sentence(text: String, facts: &[&Fact]) -> Sentence {
    Sentence {
        text,
        facts: facts.iter().map(|fact| fact.number).collect(),
    }
}

fn text(fact: &Fact, name: &str) -> Option<String> {
    match fact.value.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string().trim_end_matches(".0").to_owned()),
        _ => None,
    }
}

/// A fact in a few words, by its kind.
fn described(fact: &Fact) -> String {
    let part = |name| {
        text(fact, name)
            .map(|text| format!(" {text}"))
            .unwrap_or_default()
    };
    match fact.kind {
        FactKind::Medication => {
            let days = text(fact, "days")
                .map(|days| format!(" for {days} days"))
                .unwrap_or_default();
            let needed = if fact.value.contains_key("as_needed")
                && text(fact, "frequency").as_deref() != Some("as needed")
            {
                " as needed"
            } else {
                ""
            };
            let before = text(fact, "previous")
                .filter(|_| fact.status == Status::Changed)
                .map(|before| format!(" (before: {before})"))
                .unwrap_or_default();
            format!(
                "{}{}{}{}{days}{needed}{before}",
                fact.name,
                part("dose"),
                part("unit"),
                part("frequency")
            )
        }
        FactKind::Lab => format!(
            "{} {}{}{}",
            fact.name,
            text(fact, "comparator").unwrap_or_default(),
            text(fact, "value").unwrap_or_default(),
            part("unit")
        ),
        FactKind::VitalSign => match (text(fact, "systolic"), text(fact, "diastolic")) {
            (Some(systolic), Some(diastolic)) => {
                format!("{} {systolic}/{diastolic}{}", fact.name, part("unit"))
            }
            _ => format!("{}{}{}", fact.name, part("value"), part("unit")),
        },
        FactKind::Allergy => text(fact, "reaction").map_or_else(
            || fact.name.clone(),
            |reaction| format!("{} ({reaction})", fact.name),
        ),
        FactKind::Procedure | FactKind::Immunisation | FactKind::Appointment => text(fact, "date")
            .map_or_else(
                || fact.name.clone(),
                |date| format!("{} ({date})", fact.name),
            ),
        _ => fact.name.clone(),
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_uppercase(), letters.as_str())
    })
}

//! Third pass: a few sentences and a timeline, each standing on numbered facts.

use serde_json::Value;

use crate::model::{Fact, FactKind, Moment, Narrative, Sentence};

pub(crate) fn narrate(facts: &[Fact]) -> Narrative {
    let of = |kind: FactKind| {
        facts
            .iter()
            .filter(move |fact| fact.kind == kind)
            .collect::<Vec<_>>()
    };
    let mut sentences = Vec::new();
    if let Some(patient) = of(FactKind::Patient).first() {
        let born = text(patient, "birth_date")
            .map(|date| format!(", born {date}"))
            .unwrap_or_default();
        sentences.push(sentence(
            format!("The document is about {}{born}.", patient.name),
            &[patient],
        ));
    }
    let providers = of(FactKind::Provider);
    if !providers.is_empty() {
        let names: Vec<String> = providers
            .iter()
            .map(|fact| format!("Dr. {}", fact.name))
            .collect();
        sentences.push(sentence(format!("It names {}.", list(&names)), &providers));
    }
    let conditions = of(FactKind::Condition);
    if !conditions.is_empty() {
        let names: Vec<String> = conditions.iter().map(|fact| fact.name.clone()).collect();
        sentences.push(sentence(
            format!("Conditions: {}.", list(&names)),
            &conditions,
        ));
    }
    let medicines = of(FactKind::Medication);
    if !medicines.is_empty() {
        let named: Vec<String> = medicines.iter().map(|fact| medicine(fact)).collect();
        sentences.push(sentence(
            format!("Medications: {}.", list(&named)),
            &medicines,
        ));
    }
    sentences.extend(laboratory(&of(FactKind::Lab)));
    let mut timeline: Vec<Moment> = facts
        .iter()
        .filter_map(|fact| match fact.kind {
            FactKind::Date => Some(Moment {
                date: text(fact, "date")?,
                text: capital(&fact.name),
                facts: vec![fact.number],
            }),
            FactKind::Patient => Some(Moment {
                date: text(fact, "birth_date")?,
                text: "Born".into(),
                facts: vec![fact.number],
            }),
            _ => None,
        })
        .collect();
    timeline.sort_by(|a, b| a.date.cmp(&b.date));
    Narrative {
        sentences,
        timeline,
    }
}

fn laboratory(labs: &[&Fact]) -> Vec<Sentence> {
    let flagged = |flag: &str| {
        labs.iter()
            .copied()
            .filter(|fact| text(fact, "flag").as_deref() == Some(flag))
            .collect::<Vec<_>>()
    };
    let mut sentences = Vec::new();
    for flag in ["high", "low"] {
        let outside = flagged(flag);
        if !outside.is_empty() {
            let named: Vec<String> = outside.iter().map(|fact| value(fact)).collect();
            sentences.push(sentence(
                format!(
                    "{} than its reference range: {}.",
                    if flag == "high" { "Higher" } else { "Lower" },
                    list(&named)
                ),
                &outside,
            ));
        }
    }
    let normal = flagged("normal");
    if !normal.is_empty() {
        let named: Vec<String> = normal.iter().map(|fact| fact.name.clone()).collect();
        sentences.push(sentence(
            format!("Within range: {}.", list(&named)),
            &normal,
        ));
    }
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

fn value(fact: &Fact) -> String {
    let part = |name| {
        text(fact, name)
            .map(|text| format!(" {text}"))
            .unwrap_or_default()
    };
    format!("{}{}{}", fact.name, part("value"), part("unit"))
}

fn medicine(fact: &Fact) -> String {
    let part = |name| {
        text(fact, name)
            .map(|text| format!(" {text}"))
            .unwrap_or_default()
    };
    let days = text(fact, "days")
        .map(|days| format!(" for {days} days"))
        .unwrap_or_default();
    let needed = if fact.value.contains_key("as_needed") {
        " as needed"
    } else {
        ""
    };
    format!(
        "{}{}{}{}{days}{needed}",
        fact.name,
        part("dose"),
        part("unit"),
        part("frequency")
    )
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_sentence_cites_its_facts() {
        let fact = |number, kind, name: &str, value: Value| Fact {
            number,
            kind,
            name: name.into(),
            value: value.as_object().cloned().unwrap(),
            code_system: None,
            code: None,
            page: None,
            place: None,
            confidence: None,
        };
        let facts = [
            fact(
                1,
                FactKind::Patient,
                "Ann Lee",
                json!({ "birth_date": "1970-01-02" }),
            ),
            fact(
                2,
                FactKind::Lab,
                "Glucose",
                json!({ "value": 142.0, "unit": "mg/dL", "flag": "high" }),
            ),
            fact(
                3,
                FactKind::Medication,
                "metformin",
                json!({ "dose": 500.0, "unit": "mg", "frequency": "twice daily" }),
            ),
        ];
        let narrative = narrate(&facts);
        assert!(
            narrative
                .sentences
                .iter()
                .all(|sentence| !sentence.facts.is_empty())
        );
        assert_eq!(
            narrative.sentences[1].text,
            "Medications: metformin 500 mg twice daily."
        );
        assert_eq!(
            narrative.sentences[2].text,
            "Higher than its reference range: Glucose 142 mg/dL."
        );
        assert_eq!(narrative.timeline[0].date, "1970-01-02");
    }
}

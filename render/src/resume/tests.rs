use super::*;
use crate::text::{LONGEST_RUN, breakable};

fn shaped(data: Value) -> Value {
    content(&data, &Options::default(), false).unwrap()
}

/// A document in which each text is a word of its own, and all of these words.
fn marked(shape: &Value, words: &mut Vec<String>) -> Value {
    match shape {
        Value::String(_) => {
            words.push(format!("word{}.", words.len()));
            json!(words.last())
        }
        Value::Array(list) => list.iter().map(|item| marked(item, words)).collect(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (key.clone(), marked(value, words)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

#[test]
fn every_text_of_a_document_is_set_whatever_its_shape() {
    let shapes = [
        json!({"basics": {"name": "", "headline": "", "label": "", "birthdate": "", "summary": {"long": "", "short": [""]},
            "email": ["", ""], "phone": {"home": ""}, "url": "", "website": "",
            "location": {"address": "", "city": "", "planet": ""}, "profiles": [{"network": "", "username": "", "since": ""}]}}),
        json!({"basics": "", "name": "", "title": ""}),
        json!({"work": [{"company": "", "role": "", "position": "", "title": "", "start": "", "startDate": "", "date": "",
            "bullets": ["", ""], "highlights": [{"what": ""}, ""], "stack": {"languages": ["", ""], "tools": ""}, "location": ["", ""]}]}),
        json!({"work": {"position": "", "name": ""}, "education": {"first": {"degree": "", "thesis": {"title": "", "grade": ""}}, "second": ""},
            "projects": "", "awards": [["", ""], "", null]}),
        json!({"skills": {"Languages": ["", ""], "Tools": ""}, "languages": "", "interests": ["", {"name": "", "why": ""}]}),
        json!({"skills": [{"name": "", "keywords": {"deep": [""]}, "level": "", "years": ""}], "references": {"a": {"phone": ""}}}),
        json!({"hobbies": "", "volunteerWork": [{"role": "", "organization": "", "from": ""}], "patents": {"one": {"number": "", "text": [""]}},
            "courses": ["", ""], "extra": {"deep": {"deeper": {"deepest": [[""]]}}}}),
        json!({"sections": [{"title": "", "text": "", "items": [{"name": "", "title": "", "note": ""}, ""], "content": ""}, "", [""],
            {"heading": "", "body": ["", {"a": ""}]}]}),
        json!({"sections": {"About": "", "More": {"items": ["", {"text": ""}], "title": ""}}}),
        json!({"title": "", "author": "", "subtitle": "", "text": {"a": ""}, "chapters": [{"title": "", "paragraphs": [""]}], "epilogue": ""}),
    ];
    for shape in &shapes {
        let mut words = Vec::new();
        let data = marked(shape, &mut words);
        for is_plain in [false, true] {
            let set = content(&data, &Options::default(), is_plain)
                .unwrap()
                .to_string();
            let lost: Vec<_> = words.iter().filter(|word| !set.contains(*word)).collect();
            assert!(lost.is_empty(), "{lost:?} of {data} are not in {set}");
        }
    }
}

#[test]
fn what_no_template_has_a_place_for_stands_under_its_own_name() {
    let shape = shaped(
        json!({"volunteer_work": [{"role": "Cook", "organization": "Kitchen", "hoursAWeek": 4}]}),
    );
    let section = &shape["sections"][0];
    assert_eq!(section["title"], "Volunteer work");
    let entry = &section["entries"][0];
    assert_eq!(
        (&entry["title"], &entry["subtitle"]),
        (&json!("Cook"), &json!("Kitchen"))
    );
    assert_eq!(entry["paragraphs"], json!(["Hours aWeek: 4"]));
}

#[test]
fn a_document_with_nothing_to_read_is_no_document() {
    for data in [
        json!({}),
        json!({"basics": {}, "work": [null, {}, []], "sections": [{"items": []}], "skills": {"a": " "}}),
        json!({"meta": {"language": "de"}, "$schema": "https://example.com", "basics": {"image": "data:,x"}, "id": "7"}),
    ] {
        for is_plain in [false, true] {
            let options = Options {
                title: Some("Resume".to_owned()),
                ..Options::default()
            };
            assert_eq!(content(&data, &options, is_plain), None, "{data}");
        }
    }
}

#[test]
fn a_start_without_an_end_lasts_and_days_are_dropped() {
    let work = json!({"work": [{"position": "Miller", "startDate": "2021-03-15"}]});
    let entry = &shaped(work)["sections"][0]["entries"][0];
    assert_eq!(entry["dates"], "Mar 2021 – present");
}

#[test]
fn a_run_of_letters_without_an_end_can_be_broken() {
    let broken = breakable(&"x".repeat(400));
    assert!(
        broken
            .split('\u{200b}')
            .all(|part| part.len() <= LONGEST_RUN)
    );
    assert_eq!(breakable("an ordinary sentence"), "an ordinary sentence");
}

#[test]
fn letters_that_no_font_can_show_are_dropped() {
    assert_eq!(breakable("a\u{0}b\u{1b}[31m\nc"), "ab[31m\nc");
}

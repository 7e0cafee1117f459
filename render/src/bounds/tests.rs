use serde_json::json;

use super::*;

#[test]
fn an_ordinary_document_is_not_changed() {
    let document: Value = serde_json::from_str(include_str!("../../samples/resume.json")).unwrap();
    assert_eq!(bounded(&document).unwrap(), document);
}

#[test]
fn a_field_that_is_too_long_is_refused_by_its_name() {
    let long = "word ".repeat(MOST_LETTERS_OF_A_FIELD / 5 + 1);
    let refused = |data: Value| bounded(&data).unwrap_err().to_string();
    assert!(
        refused(json!({"basics": {"summary": long}}))
            .starts_with("the field basics.summary has 100005 characters, at most 100000")
    );
    assert!(
        refused(json!({"work": [{}, {"highlights": ["a", long]}]}))
            .contains("work[1].highlights[1]")
    );
    let many: Vec<_> = (0..7)
        .map(|_| json!({"text": "word ".repeat(15_000)}))
        .collect();
    assert!(refused(json!({"sections": many})).contains("sections[6].text"));
}

#[test]
fn what_nobody_sees_does_not_count() {
    let marks = format!("a{}", "\u{301}".repeat(340_000));
    assert_eq!(
        bounded(&json!({"a": marks})).unwrap()["a"]
            .as_str()
            .unwrap()
            .chars()
            .count(),
        17
    );
}

#[test]
fn a_list_that_is_too_long_is_refused_by_its_name() {
    let long: Vec<_> = (0..=MOST_ENTRIES).collect();
    assert_eq!(
        bounded(&json!({"basics": {"profiles": long}})).unwrap_err(),
        TooMuch::Entries {
            field: "basics.profiles".to_owned(),
            found: MOST_ENTRIES + 1,
            most: MOST_ENTRIES
        }
    );
}

#[test]
fn many_lists_are_together_no_longer_than_a_document() {
    let list: Vec<_> = (0..MOST_ENTRIES).map(|_| json!("x")).collect();
    let lists: Vec<_> = (0..11).map(|_| json!({"highlights": list})).collect();
    let refused = bounded(&json!({"work": lists})).unwrap_err();
    assert!(
        matches!(&refused, TooMuch::Document { what: "values", field, .. } if field.starts_with("work[10].highlights")),
        "{refused}"
    );
}

#[test]
fn a_picture_and_metadata_are_not_set_and_may_be_long() {
    let picture = "A".repeat(900_000);
    assert!(
        bounded(&json!({"basics": {"image": picture}, "meta": {"list": vec![0; 20_000]}})).is_ok()
    );
    assert!(bounded(&json!({"work": [{"image": picture}]})).is_err());
}

#[test]
fn a_long_name_is_shortened_where_it_is_repeated() {
    let refused =
        bounded(&json!({"k\u{202e}".repeat(500): vec![0; MOST_ENTRIES + 1]})).unwrap_err();
    assert!(refused.to_string().chars().count() < 300);
    assert!(!refused.to_string().contains('\u{202e}'));
}

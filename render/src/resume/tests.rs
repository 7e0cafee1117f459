use super::*;
use crate::text::{LONGEST_RUN, breakable};

fn shaped(data: Value) -> Value {
    resume(&data, &Options::default())
}

#[test]
fn absent_and_mistyped_fields_are_left_out() {
    for data in [
        json!({}),
        json!({"basics": 7, "work": {"a": 1}, "skills": null, "sections": [null, 1.5, []]}),
        json!({"basics": {"name": ["x"], "profiles": "x"}, "work": [null, {}, {"highlights": {}}]}),
    ] {
        let shape = shaped(data);
        assert_eq!(shape["name"], "");
        assert_eq!(shape["contacts"], json!([]));
    }
    assert_eq!(shaped(json!({"work": [null, {}]}))["sections"], json!([]));
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

use serde_json::{Value, json};

use super::*;

fn word(text: &str, left: f32, top: f32, line: u32) -> Word {
    let right = left + 0.01 * text.len() as f32;
    Word {
        text: text.to_owned(),
        place: [left, top, right, top + 0.01],
        confidence: None,
        line: Some(line),
    }
}

fn page(words: Vec<Word>) -> Page {
    Page::new(1, "plain", 612.0, 792.0, words)
}

#[test]
fn words_at_one_height_are_a_line_whatever_the_reader_said() {
    // A reader that reads by columns gives the right half last.
    let blocks = blocks(&page(vec![
        word("Patient:", 0.1, 0.1, 1),
        word("Ann", 0.19, 0.1, 1),
        word("Sex:", 0.1, 0.2, 2),
        word("DOB:", 0.6, 0.1, 3),
        word("1970", 0.65, 0.1, 3),
    ]));
    let lines: Vec<&str> = blocks
        .iter()
        .filter(|block| block.kind == "line")
        .map(|block| block.text.as_str())
        .collect();
    assert_eq!(lines, ["Patient: Ann DOB: 1970", "Sex:"]);
    let pairs: Vec<&Value> = blocks
        .iter()
        .filter(|block| block.kind == "pair")
        .map(|block| &block.content)
        .collect();
    assert_eq!(
        pairs,
        [
            &json!({ "key": "Patient", "value": "Ann" }),
            &json!({ "key": "DOB", "value": "1970" })
        ]
    );
}

#[test]
fn wide_gaps_make_the_cells_of_a_row() {
    let blocks = blocks(&page(vec![
        word("Vitamin", 0.1, 0.1, 1),
        word("D", 0.18, 0.1, 1),
        word("24", 0.4, 0.1, 1),
        word("ng/mL", 0.6, 0.1, 1),
    ]));
    let row = blocks.iter().find(|block| block.kind == "row").unwrap();
    let cells: Vec<&str> = row.content["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["text"].as_str().unwrap())
        .collect();
    assert_eq!(cells, ["Vitamin D", "24", "ng/mL"]);
}

#[test]
fn a_skewed_line_stays_one_line() {
    let skewed: Vec<Word> = (0..12)
        .map(|at| word("word", 0.05 + at as f32 * 0.07, 0.1 + at as f32 * 0.0025, 1))
        .collect();
    let lines = blocks(&page(skewed))
        .into_iter()
        .filter(|block| block.kind == "line")
        .count();
    assert_eq!(lines, 1);
}

fn typed(rows: &[&str]) -> Page {
    let mut words = Vec::new();
    for (row, line) in rows.iter().enumerate() {
        let mut column = 0;
        for text in line.split(' ') {
            if !text.is_empty() {
                words.push(word(
                    text,
                    column as f32 * 0.01,
                    row as f32 * 0.016,
                    row as u32,
                ));
            }
            column += text.len() + 1;
        }
    }
    page(words)
}

fn read(rows: &[&str]) -> Vec<String> {
    lines(&typed(rows)).iter().map(Line::text).collect()
}

#[test]
fn two_columns_under_headings_are_read_one_after_the_other() {
    let found = read(&[
        "Medications                                       Allergies",
        "metformin 500 mg daily                            latex",
        "warfarin 5 mg daily                               Diagnoses",
        "aspirin 81 mg daily                               asthma",
    ]);
    let at = |text: &str| found.iter().position(|line| line == text);
    assert!(at("aspirin 81 mg daily") < at("Allergies"), "{found:?}");
    assert!(at("Allergies") < at("latex"), "{found:?}");
}

#[test]
fn a_table_whose_last_column_says_stopped_stays_a_table() {
    let rows = [
        "Medication          Dose          Frequency              Status",
        "metformin           500 mg        twice daily            Unchanged",
        "lisinopril          10 mg         once daily             Stopped",
        "warfarin            5 mg          once daily             New",
        "sertraline          50 mg         once daily             Stopped",
    ];
    let found = read(&rows);
    assert_eq!(found.len(), rows.len(), "{found:?}");
    assert!(
        found
            .iter()
            .any(|line| line == "lisinopril 10 mg once daily Stopped"),
        "{found:?}"
    );
}

#[test]
fn two_tables_side_by_side_are_two_tables() {
    let found = read(&[
        "Analyte     Value   Normal                   Analyte     Value   Normal",
        "Sodium      143     135 - 145 mmol/L         Hemoglobin  18.4    12 - 15.5 g/dL",
        "Potassium   4.1     3.5 - 5.1 mmol/L         Platelets   333     150 - 400 K/uL",
        "Chloride    103     98 - 107 mmol/L          Ferritin    53      20 - 200 ng/mL",
        "Calcium     9.1     8.5 - 10.5 mg/dL         Albumin     4.1     3.5 - 5.0 g/dL",
    ]);
    assert!(
        found
            .iter()
            .any(|line| line == "Sodium 143 135 - 145 mmol/L"),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|line| line == "Ferritin 53 20 - 200 ng/mL"),
        "{found:?}"
    );
}

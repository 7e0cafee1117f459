//! Results: columns in any order, ranges of one side, names with qualifiers, results in sentences, and rows that cannot be read.

mod support;

use gristmill_reading::FactKind::Lab;
use support::{check, doubts, facts, noisy};

/// One row under this head.
fn row(head: &str, row: &str) -> String {
    format!("LABORATORY REPORT\n\n{head}\n{row}\n")
}

const ROWS: &[(&str, &str, &str)] = &[
    (
        "Test           Result    Unit      Reference range    Flag",
        "Hemoglobin     11.2      g/dL      12.0 - 15.5        L",
        "Hemoglobin 11.2 g/dL 12-15.5 low",
    ),
    (
        "Test           Flag    Result    Unit      Reference range",
        "Glucose        H       142       mg/dL     70 - 99",
        "Glucose 142 mg/dL 70-99 high",
    ),
    (
        "Test           Range         Result    Flag    Units",
        "Sodium         135 - 145     139               mmol/L",
        "Sodium 139 mmol/L 135-145 normal",
    ),
    (
        "Result    Units     Test         Ref. interval",
        "4.4       mmol/L    Potassium    3.5-5.1",
        "Potassium 4.4 mmol/L 3.5-5.1 normal",
    ),
    (
        "Investigation    Value    Normal",
        "Creatinine       1.4 H    0.6 - 1.1 mg/dL",
        "Creatinine 1.4 mg/dL 0.6-1.1 high",
    ),
    (
        "Test           Result    Previous    Unit     Range",
        "Sodium         131       137         mmol/L   135-145",
        "Sodium 131 mmol/L 135-145 low",
    ),
    (
        "Test           Result    Unit     Low    High",
        "Potassium      5.9       mmol/L   3.5    5.1",
        "Potassium 5.9 mmol/L 3.5-5.1 high",
    ),
    (
        "Test              Result    Unit     Reference range",
        "HDL cholesterol   34        mg/dL    >39",
        "HDL cholesterol 34 mg/dL >39 low",
    ),
    (
        "Test                 Result    Unit    Reference range",
        "C-reactive protein   48        mg/L    <5",
        "C-reactive protein 48 mg/L <5 high",
    ),
    (
        "Test     Result    Unit          Reference range",
        "TSH      <0.01     mIU/L         0.40 - 4.50",
        "TSH <0.01 mIU/L 0.4-4.5 low",
    ),
    (
        "Test                  Result    Unit     Reference range",
        "Glucose (fasting)     88        mg/dL    70 - 99",
        "Fasting glucose 88 mg/dL 70-99 normal",
    ),
    (
        "Test             Result    Units    Reference range",
        "Sodium (serum)   150       mmol/L   135 to 145",
        "Sodium 150 mmol/L 135-145 high",
    ),
    (
        "Test                Result   Reference range",
        "Chloride (mmol/L)   101      98 - 107",
        "Chloride 101 mmol/L 98-107 normal",
    ),
    (
        "Test       Result   Unit     Reference range",
        "Calcium    2,31     mmol/L   2,20 - 2,60",
        "Calcium 2.31 mmol/L 2.2-2.6 normal",
    ),
    (
        "Test             Result       Reference range",
        "Platelets        1,250        150 - 400",
        "Platelets 1250 150-400 high",
    ),
];

#[test]
fn a_row_is_read_whatever_the_order_of_its_columns() {
    let texts: Vec<String> = ROWS.iter().map(|(head, line, _)| row(head, line)).collect();
    let cases: Vec<(&str, &str)> = texts
        .iter()
        .zip(ROWS)
        .map(|(text, case)| (text.as_str(), case.2))
        .collect();
    check(Lab, &cases);
}

#[test]
fn a_row_is_read_without_a_head_by_the_shape_of_its_cells() {
    check(
        Lab,
        &[
            (
                "Sodium    139    mmol/L    135 - 145",
                "Sodium 139 mmol/L 135-145 normal",
            ),
            (
                "Sodium    135 - 145    139    mmol/L",
                "Sodium 139 mmol/L 135-145 normal",
            ),
            (
                "Potassium 3.4 mmol/L (3.5 - 5.1) low",
                "Potassium 3.4 mmol/L 3.5-5.1 low",
            ),
            (
                "Hemoglobin: 9.8 g/dL [12.0-15.5]",
                "Hemoglobin 9.8 g/dL 12-15.5 low",
            ),
        ],
    );
}

#[test]
fn a_bad_scan_of_a_row_is_read_as_the_row() {
    for (head, line, wanted) in ROWS {
        let text = row(head, &noisy(line));
        assert_eq!(facts(&text, Lab), [*wanted], "{text}");
    }
}

#[test]
fn a_result_within_a_sentence_is_read() {
    check(
        Lab,
        &[
            (
                "The potassium was 5.9 mmol/L (3.5-5.1) on arrival.",
                "Potassium 5.9 mmol/L 3.5-5.1 high",
            ),
            (
                "Sodium was 129 mmol/L, below the normal range of 135 to 145.",
                "Sodium 129 mmol/L 135-145 low",
            ),
            (
                "Her creatinine is 1.0 mg/dL and the potassium 4.1 mmol/L.",
                "Creatinine 1 mg/dL | Potassium 4.1 mmol/L",
            ),
            (
                "Hemoglobin measured 9.1 g/dL [12-15.5].",
                "Hemoglobin 9.1 g/dL 12-15.5 low",
            ),
        ],
    );
}

#[test]
fn a_dose_is_no_result() {
    check(
        Lab,
        &[
            ("Medications\npotassium 20 mEq PO daily", ""),
            ("He takes iron 325 mg twice daily.", ""),
            ("Magnesium 400 mg once daily at night.", ""),
        ],
    );
}

#[test]
fn a_row_that_looks_like_a_result_and_cannot_be_read_is_in_doubt_and_not_dropped() {
    for line in [
        "?????? 8.1 mg/dL 8.5 - 10.5 L",
        "         14.2   mmol/L   3.5 - 5.1   H",
        "~~ 7.7 g/dL (12.0 - 15.5)",
    ] {
        let text = format!(
            "Test   Result   Unit   Reference range   Flag\nSodium   139   mmol/L   135 - 145\n{line}\n"
        );
        let found = doubts(&text);
        assert!(
            found
                .iter()
                .any(|doubt| doubt.starts_with("row_not_understood")),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn a_flag_that_the_range_does_not_bear_out_is_in_doubt() {
    let table = |row: &str| format!("Test   Result   Unit   Reference range   Flag\n{row}\n");
    for row in [
        "Sodium   139   mmol/L   135 - 145   H",
        "Sodium   129   mmol/L   135 - 145   H",
        "Potassium   4.0   mmol/L   3.5 - 5.1   L",
    ] {
        assert!(
            doubts(&table(row))
                .iter()
                .any(|doubt| doubt.starts_with("flag_and_range_disagree")),
            "{row}"
        );
    }
    for row in [
        "Sodium   129   mmol/L   135 - 145   L",
        "Sodium   139   mmol/L   135 - 145",
        "Potassium   5.9   mmol/L   3.5 - 5.1   *",
    ] {
        assert_eq!(doubts(&table(row)), Vec::<String>::new(), "{row}");
    }
}

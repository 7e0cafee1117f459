//! Medicines: who takes what, how often, and what was stopped, changed or given in hospital alone.

mod support;

use gristmill_reading::FactKind::Medication;
use support::{check, noisy};

const LISTED: &[(&str, &str)] = &[
    (
        "Medications\nMetformin 500 mg by mouth twice daily",
        "metformin 500 mg twice daily",
    ),
    (
        "Glucose 142 mg/dL 70 - 99 H\nMetformin 500 mg by mouth twice daily",
        "metformin 500 mg twice daily",
    ),
    (
        "Discharge medications\nWarfarin 5 mg by mouth once daily\nPrednisone 40 mg by mouth once daily for 5 days",
        "prednisone 40 mg once daily | warfarin 5 mg once daily",
    ),
    (
        "STOP taking these medications\nlisinopril 10 mg daily\nfurosemide 40 mg daily",
        "furosemide 40 mg once daily [stopped] | lisinopril 10 mg once daily [stopped]",
    ),
    (
        "Current medications\nmetformin 500 mg BD\nDiscontinued medications\ngabapentin 300 mg TDS",
        "gabapentin 300 mg three times daily [stopped] | metformin 500 mg twice daily",
    ),
    (
        "Medications given in hospital\nceftriaxone 1 g every 24 hours",
        "ceftriaxone 1 g every 24 hours [historical]",
    ),
    (
        "Changed medications\nmetoprolol 50 mg twice daily (was 25 mg)",
        "metoprolol 50 mg twice daily before 25 mg [changed]",
    ),
    (
        "Medications\nfurosemide increased from 20 mg to 40 mg daily",
        "furosemide 40 mg once daily before 20 mg [changed]",
    ),
    (
        "Medications\namoxicillin-clavulanate 875-125 mg BID",
        "amoxicillin/clavulanate 875/125 mg twice daily",
    ),
    (
        "Medications\nsacubitril/valsartan 24/26 mg twice daily",
        "sacubitril/valsartan 24/26 mg twice daily",
    ),
    (
        "Medications\nalbuterol 2 puffs every 4-6 hours as needed",
        "albuterol 2 puffs every 4-6 hours prn",
    ),
    (
        "Medications\nibuprofen 400 mg QID PRN",
        "ibuprofen 400 mg four times daily prn",
    ),
    (
        "Medications\nlevothyroxine 75 mcg mane\namitriptyline 10 mg nocte",
        "amitriptyline 10 mg at bedtime | levothyroxine 75 mcg every morning",
    ),
    (
        "Medications\nmetformin 500 mg 1-0-1",
        "metformin 500 mg twice daily",
    ),
    (
        "Medications\nsertraline 50 mg\ngabapentin 300 mg TID",
        "gabapentin 300 mg three times daily | sertraline 50 mg",
    ),
    (
        "Rx\n1. Metformin 500 mg tablet\n   Take 1 tablet by mouth twice daily with meals. Quantity: 180. Refills: 3.",
        "metformin 500 mg twice daily",
    ),
];

#[test]
fn a_list_is_read_with_the_status_of_its_heading() {
    check(Medication, LISTED);
}

#[test]
fn a_bad_scan_of_a_list_is_read_as_the_list() {
    let texts: Vec<String> = LISTED.iter().map(|(text, _)| noisy(text)).collect();
    let cases: Vec<(&str, &str)> = texts
        .iter()
        .map(String::as_str)
        .zip(LISTED.iter().map(|case| case.1))
        .collect();
    check(Medication, &cases);
}

#[test]
fn a_number_runs_into_its_unit_and_the_medicine_is_still_read() {
    check(
        Medication,
        &[
            (
                "Medications\nMetformin 500mg twice daily",
                "metformin 500 mg twice daily",
            ),
            (
                "Medications\nMetformin500mg twice daily",
                "metformin 500 mg twice daily",
            ),
            (
                "Medications\nWarfarin 5mg daily",
                "warfarin 5 mg once daily",
            ),
        ],
    );
}

#[test]
fn a_table_gives_each_medicine_what_stands_in_its_row() {
    check(
        Medication,
        &[
            (
                "Medication      Dose      Frequency       Status\nmetformin       500 mg    twice daily     unchanged\nlisinopril      10 mg     once daily      stopped\n",
                "lisinopril 10 mg once daily [stopped] | metformin 500 mg twice daily",
            ),
            (
                "How often       Dose      Drug\ntwice daily     500 mg    metformin\nat bedtime      40 mg     atorvastatin\n",
                "atorvastatin 40 mg at bedtime | metformin 500 mg twice daily",
            ),
        ],
    );
}

#[test]
fn verbs_around_a_medicine_say_whether_it_is_taken() {
    check(
        Medication,
        &[
            (
                "We stopped his lisinopril 10 mg daily.",
                "lisinopril 10 mg once daily [stopped]",
            ),
            (
                "Warfarin was discontinued and apixaban 5 mg twice daily was started.",
                "apixaban 5 mg twice daily | warfarin [stopped]",
            ),
            (
                "She was treated with ceftriaxone 1 g every 24 hours and improved.",
                "ceftriaxone 1 g every 24 hours [historical]",
            ),
            (
                "D/C gabapentin 300 mg TID.",
                "gabapentin 300 mg three times daily [stopped]",
            ),
            (
                "Heparin 5000 units every 8 hours was given for prophylaxis and was not continued.",
                "heparin 5000 units every 8 hours [historical]",
            ),
        ],
    );
}

#[test]
fn a_medicine_that_no_list_has_is_found_by_its_form() {
    check(
        Medication,
        &[(
            "Medications\nZorblaxine 25 mg tablet by mouth twice daily",
            "zorblaxine 25 mg twice daily",
        )],
    );
}

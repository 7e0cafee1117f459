//! Who is who, and which day a date means.

mod support;

use gristmill_reading::FactKind::{Date, Patient, Provider};
use support::{check, doubts, reading};

#[test]
fn the_patient_is_found_in_any_form_of_address() {
    check(
        Patient,
        &[
            (
                "Patient: Margaret Hollis     DOB: 03/14/1958",
                "Margaret Hollis 1958-03-14",
            ),
            (
                "Patient: HOLLIS, Margaret     DOB: 03/14/1958",
                "Margaret Hollis 1958-03-14",
            ),
            (
                "Name: Hollis, Margaret A    Date of birth: 14 March 1958",
                "Margaret A Hollis 1958-03-14",
            ),
            (
                "Re: Mrs Esther Okonjo, D.O.B. 27/11/1970, NHS No. 127 534 7077",
                "Esther Okonjo 1970-11-27 127 534 7077",
            ),
            (
                "Surname, forename    NETHERFIELD, Fergus    Hospital no.    44-824577\nDate of birth        25/09/1988             Sex             Male\n",
                "Fergus Netherfield 1988-09-25 male 44-824577",
            ),
            (
                "FAIRBOURNE, Fergus  DOB 15/07/1948",
                "Fergus Fairbourne 1948-07-15",
            ),
            (
                "Patient name: Ruth Castellano DOB: 09/21/1946",
                "Ruth Castellano 1946-09-21",
            ),
            (
                "Name:            Priya Bellweather       MRN: R692197\nSex: F           DOB: 1962-12-16\n",
                "Priya Bellweather 1962-12-16 female R692197",
            ),
            (
                "Patient            Record no.\nFarida Drummond    R301376\n",
                "Farida Drummond R301376",
            ),
            (
                "Next of kin: Nikhil Quintrell (son)\nPatient: Ann Lee",
                "Ann Lee",
            ),
            (
                "Emergency contact: Rosalind Drummond\nPatient: Lee, Ann   DOB: 1980-01-30",
                "Ann Lee 1980-01-30",
            ),
        ],
    );
}

#[test]
fn prescriber_recipient_and_author_are_told_apart() {
    check(
        Provider,
        &[
            ("Prescriber: Helen Marsh, MD", "Helen Marsh prescriber"),
            (
                "Ordering provider: Dr. Alan Whitcombe",
                "Alan Whitcombe ordering",
            ),
            (
                "Dear Dr Vandermeer,\n\nThank you.\n\nYours sincerely,\nDr Farida Rowntree",
                "Farida Rowntree author | Vandermeer recipient",
            ),
            (
                "To: Dr Winston Okonjo, Ashgrove Surgery",
                "Winston Okonjo recipient",
            ),
            (
                "Ordering Provider: Drummond, Rosalind, MD",
                "Rosalind Drummond ordering",
            ),
            (
                "Electronically signed by Nadine Quintrell, MD",
                "Nadine Quintrell author",
            ),
            (
                "REFERRING PROVIDER          REFER TO\nVandermeer, Winston, DO     Thackeray, Percival, MD\n",
                "Percival Thackeray recipient | Winston Vandermeer referrer",
            ),
            ("Patient: Ann Lee\nSeen by Dr. Ann Holt", "Ann Holt other"),
        ],
    );
}

#[test]
fn day_and_month_are_told_by_the_evidence_of_the_document() {
    check(
        Date,
        &[
            (
                "Collected: 05/06/2024\nReported: 05/17/2024",
                "collected 2024-05-06 | reported 2024-05-17",
            ),
            (
                "Collected: 05/06/2024\nReported: 17/06/2024",
                "collected 2024-06-05 | reported 2024-06-17",
            ),
            ("Collected: 05.06.2024", "collected 2024-06-05"),
            (
                "NHS Trust, London SW1A 1AA\nCollected: 05/06/2024",
                "collected 2024-06-05",
            ),
            (
                "Springfield, IL 62704\nCollected: 05/06/2024",
                "collected 2024-05-06",
            ),
            (
                "Admitted: 04-Aug-2024  Discharged: 11-Aug-2024",
                "admitted 2024-08-04 | discharged 2024-08-11",
            ),
            (
                "Collected May 7, 2024    Reported May 9, 2024",
                "collected 2024-05-07 | reported 2024-05-09",
            ),
            (
                "Date of admission: 16th of October 2022",
                "admitted 2022-10-16",
            ),
            ("Collected: 06/06/2024", "collected 2024-06-06"),
        ],
    );
}

#[test]
fn a_date_without_evidence_is_in_doubt() {
    for text in [
        "Collected: 05/06/2024",
        "Patient: Ann Lee   DOB: 04/05/1980",
        "Admitted: 02/03/2024 Discharged: 04/03/2024",
    ] {
        assert!(
            doubts(text)
                .iter()
                .any(|doubt| doubt.starts_with("date_is_ambiguous")),
            "{text}"
        );
    }
    for text in [
        "Collected: 05/13/2024",
        "Collected: 2024-06-05",
        "Collected: 06/06/2024",
        "Collected: 5 June 2024",
    ] {
        assert_eq!(doubts(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn confidence_is_that_of_the_least_sure_word() {
    let sure = gristmill_reading::read(&[support::page_of("Collected: 05/13/2024", Some(0.99))]);
    let unsure = gristmill_reading::read(&[support::page_of("Collected: 05/13/2024", Some(0.4))]);
    assert!(sure.facts[0].confidence.unwrap() > 0.9);
    assert!(unsure.facts[0].confidence.unwrap() < 0.4);
    assert!(
        reading("Collected: 05/13/2024").facts[0]
            .confidence
            .unwrap()
            > 0.9
    );
}

//! Allergies, procedures, findings, vital signs, immunisations and appointments.

mod support;

use gristmill_reading::FactKind::{
    Allergy, Appointment, Finding, Immunisation, Procedure, VitalSign,
};
use support::check;

#[test]
fn allergies_are_read_with_what_they_did() {
    check(
        Allergy,
        &[
            ("Allergies: penicillin (rash)", "penicillin rash"),
            (
                "ALLERGIES\nPenicillin - rash\nLatex - hives",
                "latex hives | penicillin rash",
            ),
            (
                "Allergies\nAllergen      Reaction\npenicillin    hives\nlatex         rash\n",
                "latex rash | penicillin hives",
            ),
            ("Allergies: NKDA", "no known allergies"),
            ("No known drug allergies.", "no known allergies"),
            ("Allergies: none known", "no known allergies"),
            (
                "The patient is allergic to penicillin, which caused anaphylaxis.",
                "penicillin anaphylaxis",
            ),
            (
                "Allergies: penicillin (rash, hives), latex",
                "latex | penicillin rash, hives",
            ),
            ("She has a penicillin allergy.", "penicillin"),
            ("Allergies: tree sap - rash", "tree sap rash"),
            (
                "Allergies\npenicillin: severe anaphylaxis",
                "penicillin anaphylaxis severe",
            ),
        ],
    );
}

#[test]
fn vital_signs_are_read_wherever_they_stand() {
    check(
        VitalSign,
        &[
            ("BP 122/87 mmHg", "blood pressure 122/87 mmHg"),
            ("Blood pressure: 140 / 90", "blood pressure 140/90 mmHg"),
            (
                "HR 87 bpm, Temp 100.9 \u{b0}F, RR 16/min, SpO2 95%",
                "heart rate 87 bpm | oxygen saturation 95 % | respiratory rate 16 /min | temperature 100.9 \u{b0}F",
            ),
            (
                "Pulse 68/min, Temp 38.1 \u{b0}C",
                "heart rate 68 /min | temperature 38.1 \u{b0}C",
            ),
            (
                "Weight 82.4 kg, height 176 cm",
                "height 176 cm | weight 82.4 kg",
            ),
            ("O2 sat 91%", "oxygen saturation 91 %"),
            (
                "Vital signs\nT 37.2 P 80 BP 118/76",
                "blood pressure 118/76 mmHg | heart rate 80 bpm | temperature 37.2 \u{b0}C",
            ),
            ("Phone 555-0142", ""),
            ("Ratio 120/80", ""),
        ],
    );
}

#[test]
fn immunisations_are_read_with_their_dates() {
    check(
        Immunisation,
        &[
            (
                "IMMUNISATIONS\nDate          Vaccine\n2023-10-13    influenza vaccine\n",
                "influenza vaccine 2023-10-13",
            ),
            (
                "VACCINES DUE\ninfluenza vaccine - due 2025-10-13",
                "influenza vaccine 2025-10-13 [planned]",
            ),
            (
                "The influenza vaccine was given on 13 October 2023.",
                "influenza vaccine 2023-10-13",
            ),
            ("Influenza was diagnosed.", ""),
        ],
    );
}

#[test]
fn appointments_are_read_with_time_and_person() {
    check(
        Appointment,
        &[
            (
                "Follow-up\nSee Dr. Samuel Reyes in the clinic on 04/22/2024.",
                "follow-up 2024-04-22 Samuel Reyes [planned]",
            ),
            (
                "Outpatient review in the respiratory clinic on 14/12/2022.",
                "respiratory clinic 2022-12-14 [planned]",
            ),
            (
                "Appointment at the chest clinic: 16-May-2022, 11:00",
                "chest clinic 2022-05-16 11:00 [planned]",
            ),
            (
                "Your next visit\n22-Aug-2024, 2:15 PM, with Dr. Nadine Mwangi",
                "follow-up 2024-08-22 14:15 Nadine Mwangi [planned]",
            ),
            (
                "Follow-up visit: 03/25/2023 with Hamish Pemberton, MD.",
                "follow-up 2023-03-25 Hamish Pemberton [planned]",
            ),
        ],
    );
}

#[test]
fn findings_and_procedures_have_a_status_too() {
    check(
        Finding,
        &[
            (
                "FINDINGS\nA 9 mm nodule is seen in the left upper lobe.",
                "nodule",
            ),
            ("FINDINGS\nNo suspicious lesion.", "lesion [ruled_out]"),
        ],
    );
    check(
        Procedure,
        &[
            ("PROCEDURE\nAppendectomy", "appendectomy"),
            (
                "Colonoscopy is scheduled for next month.",
                "colonoscopy [planned]",
            ),
            (
                "She had an appendectomy in 1998.",
                "appendectomy [historical]",
            ),
        ],
    );
}

//! The public lookups on the real data.
use gristmill_dictionary as dictionary;

fn words(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

fn frequency(text: &str) -> Option<(usize, String)> {
    dictionary::frequency(&words(text))
}

#[test]
fn frequencies_of_prescriptions_are_words() {
    for (written, used, meant) in [
        ("BD", 1, "twice daily"),
        ("b.i.d. with food", 1, "twice daily"),
        ("mane", 1, "every morning"),
        ("nocte", 1, "at bedtime"),
        ("QID PRN", 1, "four times daily"),
        ("PRN", 1, "as needed"),
        ("TDS for 7 days", 1, "three times daily"),
        ("1-0-1", 1, "twice daily"),
        ("1-1-1", 1, "three times daily"),
        ("0-0-1", 1, "every evening"),
        ("0-0-0-1", 1, "at bedtime"),
        ("2-0-1", 1, "2-0-1"),
        ("every 4-6 hours as needed", 3, "every 4-6 hours"),
        ("every 4 to 6 hours", 5, "every 4-6 hours"),
        ("q4-6h", 1, "every 4-6 hours"),
        ("Q6H", 1, "every 6 hours"),
        ("q 8 hrs", 3, "every 8 hours"),
        ("q.12.h.", 1, "every 12 hours"),
        ("6-hourly", 1, "every 6 hours"),
        ("every eight hours", 3, "every 8 hours"),
        ("three times a day", 4, "three times daily"),
        ("3x daily", 2, "three times daily"),
        ("2 times per day", 4, "twice daily"),
        ("3x/week", 1, "three times weekly"),
        ("once daily at bedtime", 4, "at bedtime"),
        ("daily in the morning", 4, "every morning"),
        ("once weekly on Mondays", 2, "once weekly"),
        ("every other day", 3, "every other day"),
        ("every 2 weeks", 3, "every 2 weeks"),
        ("every 72 hours", 3, "every 72 hours"),
        ("twice-daily", 1, "twice daily"),
    ] {
        assert_eq!(
            frequency(written),
            Some((used, meant.to_owned())),
            "{written}"
        );
    }
}

#[test]
fn other_words_are_no_frequency() {
    for written in [
        "tablet",
        "2019-01-01",
        "10-20",
        "3 tablets",
        "for 7 days",
        "the morning after",
        "0-0-0",
        "every patient",
    ] {
        assert_eq!(frequency(written), None, "{written}");
    }
}

fn drug(text: &str) -> Option<(usize, &'static str)> {
    dictionary::drug(&words(text)).map(|(used, drug)| (used, drug.name))
}

#[test]
fn drugs_are_found_by_generic_name_brand_and_abbreviation() {
    for (written, used, name) in [
        ("Metformin 500 mg", 1, "metformin"),
        ("metoprolol succinate ER 50 mg", 3, "metoprolol"),
        ("Lipitor", 1, "atorvastatin"),
        ("Glucophage XR", 2, "metformin"),
        ("Paracetamol 1 g", 1, "acetaminophen"),
        ("salbutamol", 1, "albuterol"),
        ("Ventolin HFA", 2, "albuterol"),
        ("ASA 81 mg", 1, "aspirin"),
        ("HCTZ", 1, "hydrochlorothiazide"),
        ("insulin glargine 20 units", 2, "insulin glargine"),
        ("Lantus", 1, "insulin glargine"),
        ("vitamin D3 1000 units", 2, "cholecalciferol"),
        ("ferrous sulphate", 2, "ferrous sulfate"),
        ("potassium chloride", 2, "potassium chloride"),
        ("levothyroxine sodium 50 mcg", 2, "levothyroxine"),
        ("Eliquis", 1, "apixaban"),
        ("AMLODIPINE BESYLATE", 2, "amlodipine"),
        ("ciclosporin", 1, "cyclosporine"),
        ("frusemide", 1, "furosemide"),
    ] {
        assert_eq!(drug(written), Some((used, name)), "{written}");
    }
    let (_, brand) = dictionary::drug(&["Zestril"]).unwrap();
    assert!(brand.is_brand && brand.is_exact);
    let (_, generic) = dictionary::drug(&["lisinopril"]).unwrap();
    assert!(!generic.is_brand);
    assert_eq!(
        (generic.system, generic.code),
        (Some("RxNorm"), Some("29046"))
    );
}

#[test]
fn combinations_have_one_name_however_they_are_joined() {
    for (written, used, name) in [
        ("sacubitril/valsartan 24/26 mg", 1, "sacubitril/valsartan"),
        ("sacubitril-valsartan", 1, "sacubitril/valsartan"),
        ("sacubitril / valsartan", 3, "sacubitril/valsartan"),
        ("Entresto", 1, "sacubitril/valsartan"),
        (
            "amoxicillin-clavulanate 875-125 mg",
            1,
            "amoxicillin/clavulanate",
        ),
        (
            "Amoxicillin and clavulanic acid",
            4,
            "amoxicillin/clavulanate",
        ),
        (
            "amoxicillin / clavulanate potassium",
            4,
            "amoxicillin/clavulanate",
        ),
        ("co-amoxiclav 500/125", 1, "amoxicillin/clavulanate"),
        ("Augmentin", 1, "amoxicillin/clavulanate"),
        (
            "lisinopril-hydrochlorothiazide 20-12.5",
            1,
            "lisinopril/hydrochlorothiazide",
        ),
        ("lisinopril-HCTZ", 1, "lisinopril/hydrochlorothiazide"),
        (
            "hydrocodone-acetaminophen 5-325",
            1,
            "acetaminophen/hydrocodone",
        ),
        ("fluticasone-salmeterol 250-50", 1, "fluticasone/salmeterol"),
        ("ipratropium-albuterol", 1, "albuterol/ipratropium"),
        (
            "losartan potassium and hydrochlorothiazide",
            4,
            "losartan/hydrochlorothiazide",
        ),
        ("budesonide + formoterol", 3, "budesonide/formoterol"),
        (
            "trimethoprim-sulfamethoxazole",
            1,
            "sulfamethoxazole/trimethoprim",
        ),
        ("co-codamol 30/500", 1, "acetaminophen/codeine"),
    ] {
        assert_eq!(drug(written), Some((used, name)), "{written}");
    }
    // Two drugs that are no combination are two drugs.
    assert_eq!(drug("metformin and lisinopril"), Some((1, "metformin")));
    assert_eq!(drug("aspirin, metoprolol"), Some((1, "aspirin")));
}

#[test]
fn a_drug_with_one_misread_letter_is_found_and_says_so() {
    for (written, name) in [
        ("metfornin", "metformin"),
        ("lisin0pril", "lisinopril"),
        ("atorvastatln", "atorvastatin"),
        ("Warfarln", "warfarin"),
    ] {
        let (used, found) = dictionary::drug(&[written]).unwrap();
        assert_eq!(
            (used, found.name, found.is_exact),
            (1, name, false),
            "{written}"
        );
    }
    let (_, found) = dictionary::drug(&["sacubitri1/valsartan"]).unwrap();
    assert_eq!(
        (found.name, found.is_exact),
        ("sacubitril/valsartan", false)
    );
}

#[test]
fn everyday_words_and_measured_substances_are_no_drugs() {
    for word in [
        "water",
        "may",
        "patch",
        "today",
        "care",
        "iron",
        "sodium",
        "potassium",
        "calcium",
        "magnesium",
        "glucose",
        "oxygen",
        "albumin",
        "creatinine",
        "cholesterol",
        "urea",
        "blood",
        "patient",
        "daily",
        "tablet",
        "medication",
        "history",
        "discharge",
        "hospital",
        "monday",
        "doctor",
        "summary",
        "continue",
        "stop",
        "pain",
        "normal",
        "negative",
        "positive",
        "alcohol",
        "tobacco",
        "estrogen",
        "protein",
        "chloride",
        "bicarbonate",
        "platelets",
        "white",
        "hemoglobin",
        "thyroid",
        "provider",
        "prescriber",
        "allergies",
        "follow",
        "clinic",
        "general",
        "impression",
        "report",
        "increase",
        "decrease",
        "morning",
        "evening",
        "capsule",
        "inhaler",
        "solution",
        "injection",
        "cream",
        "april",
        "june",
        "august",
        "smith",
        "johnson",
        "martin",
        "wilson",
        "garcia",
        "street",
        "avenue",
        "london",
        "phone",
        "weight",
        "height",
        "pressure",
        "pulse",
        "temperature",
        "system",
    ] {
        assert_eq!(drug(word), None, "{word}");
    }
}

fn condition(text: &str) -> Option<(usize, &'static str, &'static str)> {
    dictionary::condition(&words(text))
        .map(|(used, condition)| (used, condition.name, condition.code))
}

#[test]
fn conditions_are_found_by_what_people_call_them() {
    for (written, used, name, code) in [
        ("high blood pressure", 3, "hypertension", "I10"),
        ("HTN", 1, "hypertension", "I10"),
        ("heart attack", 2, "myocardial infarction", "I21.9"),
        ("Type 2 diabetes", 3, "type 2 diabetes mellitus", "E11.9"),
        (
            "type 2 diabetes mellitus without complications",
            6,
            "type 2 diabetes mellitus",
            "E11.9",
        ),
        ("T2DM", 1, "type 2 diabetes mellitus", "E11.9"),
        ("diabetes", 1, "diabetes mellitus", "E11.9"),
        ("CKD stage 3", 3, "chronic kidney disease stage 3", "N18.30"),
        (
            "chronic kidney disease, stage 3b",
            5,
            "chronic kidney disease stage 3b",
            "N18.32",
        ),
        (
            "iron deficiency anaemia",
            3,
            "iron deficiency anemia",
            "D50.9",
        ),
        ("Crohn's disease", 2, "crohn's disease", "K50.90"),
        (
            "gastro-oesophageal reflux disease",
            3,
            "gastroesophageal reflux disease",
            "K21.9",
        ),
        (
            "community-acquired pneumonia",
            2,
            "community-acquired pneumonia",
            "J18.9",
        ),
        ("acute kidney injury", 3, "acute kidney injury", "N17.9"),
        ("pulmonary embolism", 2, "pulmonary embolism", "I26.99"),
        ("UTI", 1, "urinary tract infection", "N39.0"),
        ("diverticulitis", 1, "diverticulitis", "K57.32"),
        ("cellulitis of the left leg", 1, "cellulitis", "L03.90"),
        (
            "cancer of the pancreas",
            4,
            "malignant neoplasm of pancreas",
            "C25.9",
        ),
    ] {
        assert_eq!(condition(written), Some((used, name, code)), "{written}");
    }
}

#[test]
fn acute_is_not_chronic() {
    let chronic = |text: &str| dictionary::condition(&words(text)).unwrap().1.chronic;
    assert_eq!(chronic("acute bronchitis"), Some(false));
    assert_eq!(chronic("chronic bronchitis"), Some(true));
    assert_eq!(chronic("acute kidney injury"), Some(false));
    assert_eq!(chronic("chronic kidney disease"), Some(true));
    assert_eq!(chronic("asthma"), Some(true));
    assert_ne!(
        condition("acute pancreatitis").unwrap().2,
        condition("chronic pancreatitis").unwrap().2
    );
    assert_ne!(
        condition("acute heart failure").map(|found| found.2),
        condition("chronic heart failure").map(|found| found.2)
    );
}

#[test]
fn a_condition_with_one_misread_letter_is_found_and_says_so() {
    let (used, found) = dictionary::condition(&words("hypertensi0n today")).unwrap();
    assert_eq!(
        (used, found.name, found.is_exact),
        (1, "hypertension", false)
    );
    let (used, found) = dictionary::condition(&words("chronlc kidney disease")).unwrap();
    assert_eq!((used, found.code, found.is_exact), (3, "N18.9", false));
}

#[test]
fn everyday_words_are_no_conditions() {
    for word in [
        "patient",
        "other",
        "growth",
        "falling",
        "death",
        "injury",
        "illness",
        "exposure",
        "care",
        "stress",
        "burn",
        "cold",
        "disease",
        "syndrome",
        "disorder",
        "infection",
        "chronic",
        "acute",
        "type",
        "stage",
        "today",
        "caffeine",
        "cocaine",
        "atlas",
        "axis",
        "test",
        "normal",
        "condition",
        "discharge",
    ] {
        assert_eq!(condition(word), None, "{word}");
    }
}

#[test]
fn all_names_of_a_condition_are_known() {
    let names: Vec<&str> = dictionary::condition_names("Hypertension").collect();
    assert!(
        names.contains(&"high blood pressure") && names.contains(&"hypertension"),
        "{names:?}"
    );
    assert_eq!(dictionary::condition_names("bananas").count(), 0);
}

fn analyte(text: &str) -> Option<&'static str> {
    dictionary::analyte(text).map(|analyte| analyte.name)
}

#[test]
fn analytes_are_found_with_qualifiers_and_methods() {
    for (written, name) in [
        ("HbA1c", "Hemoglobin A1c"),
        ("Hemoglobin A1c (NGSP)", "Hemoglobin A1c"),
        ("Haemoglobin", "Hemoglobin"),
        ("ALT (SGPT)", "ALT"),
        ("Alanine Aminotransferase (ALT)", "ALT"),
        ("Creatinine, Serum", "Creatinine"),
        ("Serum Creatinine (Jaffe)", "Creatinine"),
        ("eGFR (CKD-EPI 2021)", "eGFR"),
        ("eGFR If NonAfricn Am", ""),
        ("LDL Chol Calc (NIH)", "LDL cholesterol"),
        ("LDL-Cholesterol, calculated", "LDL cholesterol"),
        ("Vitamin D, 25-Hydroxy", "Vitamin D"),
        ("25-OH Vitamin D by LC-MS/MS", "Vitamin D"),
        ("TSH, 3rd generation", "TSH"),
        ("Glucose, fasting", "Fasting glucose"),
        ("Urea Nitrogen (BUN)", "Urea nitrogen"),
        ("WBC", "White blood cells"),
        ("White Cell Count", "White blood cells"),
        ("ESR (Westergren)", "Erythrocyte sedimentation rate"),
        ("Neutrophils (Absolute)", "Neutrophils"),
        ("γ-GT", "GGT"),
        ("Potassium", "Potassium"),
        ("K+", "Potassium"),
        ("Prostate Specific Ag, Serum", "PSA"),
        ("C-Reactive Protein, Quant", "C-reactive protein"),
        ("Chol/HDL Ratio", "Cholesterol/HDL ratio"),
        ("Albumin/Creatinine Ratio", "Albumin/creatinine ratio"),
    ] {
        assert_eq!(analyte(written).unwrap_or(""), name, "{written}");
    }
    let misread = dictionary::analyte("Creatin1ne").unwrap();
    assert_eq!((misread.name, misread.is_exact), ("Creatinine", false));
    let sodium = dictionary::analyte("Sodium").unwrap();
    assert_eq!(sodium.code, Some("2951-2"));
    assert!(sodium.units.contains(&"mmol/L"));
}

#[test]
fn another_fluid_is_another_analyte() {
    assert_eq!(analyte("Glucose, urine"), Some("Urine glucose"));
    assert_eq!(analyte("Glucose (urine)"), Some("Urine glucose"));
    assert_eq!(analyte("Lipase (pleural fluid)"), None);
    assert_eq!(analyte("CSF protein"), Some("CSF protein"));
    for text in [
        "Test",
        "Result",
        "Name",
        "Reference range",
        "Patient",
        "",
        "(H)",
        "12.5",
    ] {
        assert_eq!(analyte(text), None, "{text}");
    }
}

#[test]
fn units_are_known_however_they_were_printed_and_read() {
    for (written, unit) in [
        ("mg/dI", "mg/dL"),
        ("MG/DL", "mg/dL"),
        ("IU/L", "IU/L"),
        ("lU/L", "IU/L"),
        ("U/L", "U/L"),
        ("mm/hr", "mm/hr"),
        ("mm/h", "mm/hr"),
        ("mL/min/1.73", "mL/min/1.73m2"),
        ("mL/min/1.73 m²", "mL/min/1.73m2"),
        ("mL/min/1.73m2", "mL/min/1.73m2"),
        ("x10E3/uL", "10^3/uL"),
        ("10³/µL", "10^3/uL"),
        ("10*3/uL", "10^3/uL"),
        ("K/uL", "K/uL"),
        ("x10^9/L", "10^9/L"),
        ("×10⁹/L", "10^9/L"),
        ("10^12/L", "10^12/L"),
        ("µmol/L", "umol/L"),
        ("mlU/L", "mIU/L"),
        ("%", "%"),
        ("fL", "fL"),
        ("mmHg", "mmHg"),
        ("°C", "degrees C"),
        ("kg/m2", "kg/m2"),
        ("bpm", "beats/min"),
        ("mcg", "mcg"),
        ("sec", "sec"),
    ] {
        assert_eq!(dictionary::unit(written), Some(unit), "{written}");
    }
    for text in ["bananas", "", "H", "12", "3.5-5.1", "Smith"] {
        assert_eq!(dictionary::unit(text), None, "{text}");
    }
}

#[test]
fn lists_of_names_answer_with_the_usual_name() {
    assert_eq!(
        dictionary::route(&words("by mouth daily")),
        Some((2, "oral"))
    );
    assert_eq!(dictionary::route(&["PO"]), Some((1, "oral")));
    assert_eq!(
        dictionary::form(&words("puffs every 4 hours")),
        Some((1, "puff"))
    );
    assert_eq!(dictionary::form(&["tabs"]), Some((1, "tablet")));
    assert_eq!(
        dictionary::vaccine(&words("Influenza, quadrivalent 2023")),
        Some((2, "influenza vaccine"))
    );
    assert_eq!(dictionary::vaccine(&["Tdap"]), Some((1, "tdap")));
    assert_eq!(
        dictionary::vaccine(&words("COVID-19 mRNA")),
        Some((2, "covid-19 vaccine"))
    );
    assert_eq!(
        dictionary::procedure(&words("laparoscopic cholecystectomy on")),
        Some((2, "laparoscopic cholecystectomy"))
    );
    assert_eq!(
        dictionary::procedure(&words("Caesarean section")),
        Some((2, "cesarean section"))
    );
    assert_eq!(
        dictionary::allergen(&words("sulfa drugs")),
        Some((2, "sulfa drugs"))
    );
    assert_eq!(dictionary::allergen(&["Peanuts"]), Some((1, "peanut")));
    assert_eq!(dictionary::reaction(&["Urticaria"]), Some((1, "hives")));
    assert_eq!(
        dictionary::reaction(&words("GI upset")),
        Some((2, "gi upset"))
    );
    for look in [
        dictionary::route,
        dictionary::vaccine,
        dictionary::procedure,
        dictionary::allergen,
        dictionary::reaction,
    ] {
        assert_eq!(look(&["paper"]), None);
        assert_eq!(look(&[]), None);
    }
}

#[test]
fn headings_open_their_section() {
    use dictionary::Section;
    for (heading, section) in [
        (
            "STOP TAKING THESE MEDICATIONS:",
            Section::StoppedMedications,
        ),
        (
            "Medications stopped during this admission",
            Section::StoppedMedications,
        ),
        ("Discontinued", Section::StoppedMedications),
        (
            "Medications given in the hospital",
            Section::InpatientMedications,
        ),
        ("Discharge Medications", Section::DischargeMedications),
        (
            "CHANGE how you take these medications",
            Section::ChangedMedications,
        ),
        ("START taking:", Section::NewMedications),
        ("PMH", Section::PastHistory),
        ("Past Medical History:", Section::PastHistory),
        ("Family History", Section::FamilyHistory),
        ("Allergies / Adverse Reactions", Section::Allergies),
        ("3. Discharge diagnoses", Section::Diagnoses),
        ("Current Medications (as of 3 May)", Section::Medications),
        ("IMPRESSION:", Section::Impression),
        ("Vital signs", Section::Vitals),
        ("Immunisation record", Section::Immunisations),
        ("Follow-up appointments", Section::FollowUp),
        ("Hospital Course", Section::Other),
    ] {
        assert_eq!(dictionary::section(heading), Some(section), "{heading}");
    }
    for heading in [
        "Metformin 500 mg",
        "The patient was told about all of his medications by the nurse today",
        "",
        "John Smith",
    ] {
        assert_eq!(dictionary::section(heading), None, "{heading}");
    }
}

#[test]
fn triggers_come_longest_first_and_stand_once() {
    use dictionary::{Context, Direction};
    let triggers = dictionary::triggers();
    let lengths: Vec<usize> = triggers
        .iter()
        .map(|trigger| trigger.words.split(' ').count())
        .collect();
    assert!(lengths.windows(2).all(|pair| pair[0] >= pair[1]));
    let of = |words: &str| {
        let found: Vec<_> = triggers
            .iter()
            .filter(|trigger| trigger.words == words)
            .collect();
        assert_eq!(found.len(), 1, "{words}");
        (found[0].context, found[0].direction)
    };
    assert_eq!(of("no evidence of"), (Context::Negated, Direction::Forward));
    assert_eq!(of("was ruled out"), (Context::Negated, Direction::Backward));
    assert_eq!(of("rule out"), (Context::Possible, Direction::Forward));
    assert_eq!(
        of("cannot be excluded"),
        (Context::Possible, Direction::Backward)
    );
    assert_eq!(of("but"), (Context::Terminate, Direction::Terminate));
    assert_eq!(of("no increase"), (Context::Negated, Direction::Pseudo));
    assert_eq!(of("mother"), (Context::Family, Direction::Forward));
    assert_eq!(of("history of"), (Context::Historical, Direction::Forward));
    assert_eq!(of("scheduled for"), (Context::Planned, Direction::Forward));
}

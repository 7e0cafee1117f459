//! What the built-in rules know by name. A code stands only where it is sure: the name alone determines it.

/// Names by which a laboratory value goes, the first the usual one, and its LOINC code.
pub(super) const LABS: &[(&[&str], &str)] = &[
    (
        &["Hemoglobin A1c", "HbA1c", "A1c", "Glycated hemoglobin"],
        "4548-4",
    ),
    (&["Hemoglobin", "Hgb"], "718-7"),
    (&["Hematocrit", "Hct"], "4544-3"),
    (
        &[
            "White blood cells",
            "White blood cell count",
            "WBC",
            "Leukocytes",
        ],
        "6690-2",
    ),
    (&["Red blood cells", "RBC", "Erythrocytes"], "789-8"),
    (&["Platelets", "Platelet count", "PLT"], "777-3"),
    (&["MCV"], "787-2"),
    (&["Glucose", "Fasting glucose", "Blood glucose"], "2345-7"),
    (&["Creatinine"], "2160-0"),
    (&["Urea nitrogen", "BUN", "Blood urea nitrogen"], "3094-0"),
    (&["Sodium"], "2951-2"),
    (&["Potassium"], "2823-3"),
    (&["Chloride"], "2075-0"),
    (&["Bicarbonate", "Carbon dioxide", "CO2"], "2028-9"),
    (&["Calcium"], "17861-6"),
    (&["Magnesium"], "19123-9"),
    (&["Phosphate", "Phosphorus"], "2777-1"),
    (&["Total protein"], "2885-2"),
    (&["Albumin"], "1751-7"),
    (&["Total bilirubin", "Bilirubin"], "1975-2"),
    (&["ALT", "Alanine aminotransferase"], "1742-6"),
    (&["AST", "Aspartate aminotransferase"], "1920-8"),
    (&["Alkaline phosphatase", "ALP"], "6768-6"),
    (&["Total cholesterol", "Cholesterol"], "2093-3"),
    (&["HDL cholesterol", "HDL"], "2085-9"),
    (&["LDL cholesterol", "LDL"], "13457-7"),
    (&["Triglycerides"], "2571-8"),
    (&["TSH", "Thyroid stimulating hormone"], "3016-3"),
    (&["Free T4"], "3024-7"),
    (&["Vitamin D", "25-hydroxyvitamin D"], "1989-3"),
    (&["Vitamin B12", "B12"], "2132-9"),
    (&["Folate"], "2284-8"),
    (&["Ferritin"], "2276-4"),
    (&["Iron"], "2498-4"),
    (&["C-reactive protein", "CRP"], "1988-5"),
    (&["Uric acid"], "3084-1"),
    (&["INR"], "6301-6"),
    (&["PSA"], "2857-1"),
];

/// Names of conditions, the first the usual one, and the ICD-10-CM code.
pub(super) const CONDITIONS: &[(&[&str], &str)] = &[
    (
        &[
            "type 2 diabetes mellitus",
            "type 2 diabetes",
            "diabetes mellitus type 2",
            "type ii diabetes",
        ],
        "E11.9",
    ),
    (&["type 1 diabetes mellitus", "type 1 diabetes"], "E10.9"),
    (&["hypertension", "high blood pressure"], "I10"),
    (
        &["hyperlipidemia", "high cholesterol", "dyslipidemia"],
        "E78.5",
    ),
    (&["iron deficiency anemia"], "D50.9"),
    (&["anemia"], "D64.9"),
    (
        &[
            "community-acquired pneumonia",
            "community acquired pneumonia",
            "pneumonia",
        ],
        "J18.9",
    ),
    (&["chronic obstructive pulmonary disease", "copd"], "J44.9"),
    (&["asthma"], "J45.909"),
    (&["atrial fibrillation"], "I48.91"),
    (&["heart failure", "congestive heart failure"], "I50.9"),
    (&["coronary artery disease"], "I25.10"),
    (&["myocardial infarction", "heart attack"], "I21.9"),
    (&["stroke"], "I63.9"),
    (&["pulmonary embolism"], "I26.99"),
    (&["deep vein thrombosis"], "I82.40"),
    (&["hypothyroidism"], "E03.9"),
    (&["hyperthyroidism"], "E05.90"),
    (&["chronic kidney disease"], "N18.9"),
    (&["acute kidney injury"], "N17.9"),
    (&["urinary tract infection"], "N39.0"),
    (&["gastroesophageal reflux disease", "gerd"], "K21.9"),
    (&["osteoarthritis"], "M19.90"),
    (&["rheumatoid arthritis"], "M06.9"),
    (&["osteoporosis"], "M81.0"),
    (&["gout"], "M10.9"),
    (&["depression", "major depressive disorder"], "F32.A"),
    (&["anxiety"], "F41.9"),
    (&["migraine"], "G43.909"),
    (&["epilepsy"], "G40.909"),
    (&["obesity"], "E66.9"),
    (&["sepsis"], "A41.9"),
    (&["cellulitis"], "L03.90"),
    (&["bronchitis"], "J40"),
    (&["influenza"], "J11.1"),
    (&["sinusitis"], "J32.9"),
    (&["pancreatitis"], "K85.90"),
    (&["appendicitis"], "K37"),
];

/// Medicines and the RxNorm code of the ingredient; none where it is not known for sure.
pub(super) const MEDICATIONS: &[(&str, Option<&str>)] = &[
    ("acetaminophen", Some("161")),
    ("albuterol", Some("435")),
    ("alendronate", None),
    ("allopurinol", Some("519")),
    ("amiodarone", Some("703")),
    ("amitriptyline", Some("704")),
    ("amlodipine", Some("17767")),
    ("amoxicillin", Some("723")),
    ("apixaban", Some("1364430")),
    ("aspirin", Some("1191")),
    ("atenolol", Some("1202")),
    ("atorvastatin", Some("83367")),
    ("azithromycin", Some("18631")),
    ("bisoprolol", Some("19484")),
    ("budesonide", Some("19831")),
    ("bupropion", Some("42347")),
    ("carvedilol", Some("20352")),
    ("cefazolin", None),
    ("ceftriaxone", Some("2193")),
    ("cephalexin", Some("2231")),
    ("cetirizine", Some("20610")),
    ("ciprofloxacin", Some("2551")),
    ("citalopram", Some("2556")),
    ("clopidogrel", Some("32968")),
    ("colchicine", Some("2683")),
    ("dabigatran", None),
    ("diazepam", Some("3322")),
    ("diclofenac", Some("3355")),
    ("digoxin", Some("3407")),
    ("diltiazem", Some("3443")),
    ("doxycycline", Some("3640")),
    ("duloxetine", Some("72625")),
    ("enalapril", Some("3827")),
    ("enoxaparin", Some("67108")),
    ("escitalopram", Some("321988")),
    ("esomeprazole", Some("283742")),
    ("famotidine", Some("4278")),
    ("fluoxetine", Some("4493")),
    ("fluticasone", Some("41126")),
    ("furosemide", Some("4603")),
    ("gabapentin", Some("25480")),
    ("glipizide", Some("4821")),
    ("heparin", None),
    ("hydrochlorothiazide", Some("5487")),
    ("hydrocodone", Some("5489")),
    ("hydroxychloroquine", Some("5521")),
    ("ibuprofen", Some("5640")),
    ("insulin", None),
    ("ipratropium", Some("7213")),
    ("lamotrigine", Some("28439")),
    ("levetiracetam", Some("114477")),
    ("levofloxacin", Some("82122")),
    ("levothyroxine", Some("10582")),
    ("lisinopril", Some("29046")),
    ("loratadine", Some("28889")),
    ("lorazepam", Some("6470")),
    ("losartan", Some("52175")),
    ("meloxicam", Some("41493")),
    ("metformin", Some("6809")),
    ("methotrexate", Some("6851")),
    ("metoprolol", Some("6918")),
    ("metronidazole", Some("6922")),
    ("montelukast", Some("88249")),
    ("morphine", Some("7052")),
    ("naproxen", Some("7258")),
    ("nitrofurantoin", None),
    ("omeprazole", Some("7646")),
    ("ondansetron", Some("26225")),
    ("oxycodone", Some("7804")),
    ("pantoprazole", Some("40790")),
    ("paroxetine", Some("32937")),
    ("penicillin", None),
    ("pravastatin", Some("42463")),
    ("prednisone", Some("8640")),
    ("pregabalin", Some("187832")),
    ("propranolol", Some("8787")),
    ("quetiapine", Some("51272")),
    ("ramipril", Some("35296")),
    ("ranitidine", None),
    ("rivaroxaban", Some("1114195")),
    ("rosuvastatin", Some("301542")),
    ("sertraline", Some("36437")),
    ("simvastatin", Some("36567")),
    ("spironolactone", Some("9997")),
    ("sumatriptan", Some("37418")),
    ("tamsulosin", Some("77492")),
    ("tramadol", Some("10689")),
    ("trazodone", Some("10737")),
    ("valsartan", Some("69749")),
    ("vancomycin", Some("11124")),
    ("venlafaxine", Some("39786")),
    ("verapamil", Some("11170")),
    ("warfarin", Some("11289")),
    ("zolpidem", Some("39993")),
];

/// Units as they are to be written, by how readers may spell them.
pub(super) fn unit(read: &str) -> Option<&'static str> {
    // A reader takes capital I for small l, and the other way.
    let plain = read
        .trim()
        .trim_end_matches(['.', ',', ')'])
        .replace(['I', '|', '1'], "l")
        .to_lowercase();
    Some(match plain.as_str() {
        "g/dl" => "g/dL",
        "mg/dl" => "mg/dL",
        "mcg/dl" | "ug/dl" => "mcg/dL",
        "mg/l" => "mg/L",
        "g/l" => "g/L",
        "ng/ml" => "ng/mL",
        "ng/dl" => "ng/dL",
        "pg/ml" => "pg/mL",
        "mmol/l" => "mmol/L",
        "umol/l" => "umol/L",
        "meq/l" => "mEq/L",
        "mlu/l" | "miu/l" => "mIU/L",
        "u/l" | "lu/l" => "U/L",
        "k/ul" | "x10e3/ul" | "l0^3/ul" => "K/uL",
        "m/ul" => "M/uL",
        "%" => "%",
        "fl" => "fL",
        "pg" => "pg",
        "sec" | "s" => "s",
        "mm/hr" => "mm/h",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_known_however_it_was_read() {
        assert_eq!(unit("mlU/L"), Some("mIU/L"));
        assert_eq!(unit("mIU/L"), Some("mIU/L"));
        assert_eq!(unit("g/dl"), Some("g/dL"));
        assert_eq!(unit("mg/dI"), Some("mg/dL"));
        assert_eq!(unit("bananas"), None);
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names: Vec<String> = LABS
            .iter()
            .chain(CONDITIONS)
            .flat_map(|(names, _)| names.iter())
            .map(|name| name.to_lowercase())
            .collect();
        names.extend(MEDICATIONS.iter().map(|(name, _)| (*name).to_owned()));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

use super::*;

#[test]
fn dose_frequency_and_duration_are_read_across_lines() {
    let text = "4. Amoxicillin 875 mg tablet\nTake 1 tablet by mouth every 12 hours for 10 days. Quantity: 20. Refills: 0.\n5. Ibuprofen 400 mg tablet\nTake 1 tablet PRN q8h.\n";
    let found = find(text);
    assert_eq!(
        found
            .iter()
            .map(|one| one.name.as_str())
            .collect::<Vec<_>>(),
        ["amoxicillin", "ibuprofen"]
    );
    assert_eq!(found[0].detail["dose"], 875.0);
    assert_eq!(
        (&found[0].detail["frequency"], &found[0].detail["days"]),
        (&json!("every 12 hours"), &json!(10))
    );
    assert_eq!(
        (&found[1].detail["frequency"], &found[1].detail["as_needed"]),
        (&json!("every 8 hours"), &json!(true))
    );
}

#[test]
fn a_misread_name_is_known_before_a_dose_only() {
    assert_eq!(find("Metforrnin 500 mg twice daily").len(), 1);
    assert_eq!(find("Lisinoprll 10 mg daily")[0].name, "lisinopril");
    assert_eq!(find("Lisinoprll was discussed").len(), 0);
}

#[test]
fn a_laboratory_value_is_no_dose() {
    assert!(
        find("Glucose 142 mg/dL")
            .iter()
            .all(|found| !found.detail.contains_key("dose"))
    );
}

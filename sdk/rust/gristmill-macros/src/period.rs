//! A period as people write it: `90s`, `15m`, `1h`, `7d`.

/// Whole seconds, or nothing when the text is no period.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let unit = text.chars().last()?;
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().ok()?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    number.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn a_period_is_a_whole_number_and_a_unit() {
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("15m"), Some(900));
        assert_eq!(seconds("1h"), Some(3_600));
        assert_eq!(seconds("7d"), Some(604_800));
        for wrong in ["", "h", "1", "1w", "-1h", "1.5h", "one h", "1ü"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
        assert_eq!(seconds("18446744073709551615d"), None);
    }
}

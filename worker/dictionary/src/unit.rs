//! Units of laboratory values, vital signs and doses, however they were printed and read.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::table::rows;

static UNITS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut units = HashMap::new();
    for row in rows(include_str!("../data/units.tsv")) {
        let name = row.column(0);
        units.entry(plain(name)).or_insert(name);
        for spelling in row.list(1) {
            units.entry(plain(spelling)).or_insert(name);
        }
    }
    units
});

/// The unit as it is usually written: `mg/dI` and `MG/DL` are `mg/dL`, `x10E3/µL` is `10^3/uL`.
pub fn unit(text: &str) -> Option<&'static str> {
    let text = text.trim().trim_end_matches(['.', ',', ')', ';']);
    if text.is_empty() || text.len() > 40 {
        return None;
    }
    // A capital by itself is a flag (H, L) or a sex (M, F), not a unit.
    if text.len() == 1 && text.bytes().all(|letter| letter.is_ascii_uppercase()) {
        return None;
    }
    UNITS.get(&plain(text)).copied()
}

/// A unit's letters: one case, one letter for those that readers confuse (capital I, small l, a bar and 1), one sign for powers.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            'I' | 'i' | 'l' | 'L' | '|' | '1' | '¹' => plain.push('l'),
            'µ' | 'μ' => plain.push('u'),
            '²' => plain.push('2'),
            '³' => plain.push('3'),
            '⁰' => plain.push('0'),
            '⁴'..='⁹' => plain.extend(char::from_digit(letter as u32 - 0x2070, 10)),
            ' ' | '^' | '*' | '×' | '(' | ')' | '[' | ']' | '·' | '˄' => {}
            '÷' | '∕' => plain.push('/'),
            _ => plain.extend(letter.to_lowercase()),
        }
    }
    // Powers of ten: x10E3, x10^3, 10*3, 10e3 and 10³ are all "l03" now, but for the x and the e.
    if let Some(rest) = plain.strip_prefix("xl0") {
        plain = format!("l0{rest}");
    }
    if let Some(rest) = plain.strip_prefix("l0e") {
        plain = format!("l0{rest}");
    }
    plain
}

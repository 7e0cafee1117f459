//! What laboratories measure, by the many names that stand in the first column of a report.

use std::sync::LazyLock;

use crate::fold::fold;
use crate::phrases::Phrases;
use crate::table::rows;

/// Something that a laboratory measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Analyte {
    /// The usual name in its usual case: `Hemoglobin A1c`.
    pub name: &'static str,
    /// The LOINC code, where the name alone determines it.
    pub code: Option<&'static str>,
    /// Units in which it is usually reported.
    pub units: &'static [&'static str],
    /// The words stand in the dictionary as they are written. Otherwise one letter was misread.
    pub is_exact: bool,
}

struct Analytes {
    records: Vec<Analyte>,
    phrases: Phrases,
    qualifiers: Phrases,
}

static ANALYTES: LazyLock<Analytes> = LazyLock::new(|| {
    let mut records: Vec<Analyte> = Vec::new();
    let mut phrases = Phrases::default();
    for row in rows(include_str!("../data/analytes.tsv")) {
        let record = records.len() as u32;
        records.push(Analyte {
            name: row.column(0),
            code: row.some(1),
            units: Box::leak(row.list(2).collect()),
            is_exact: true,
        });
        for phrase in row.list(3) {
            phrases.add(phrase, record);
        }
    }
    let mut qualifiers = Phrases::default();
    for row in rows(include_str!("../data/qualifiers.tsv")) {
        qualifiers.add(row.column(0), 0);
    }
    Analytes {
        records,
        phrases: phrases.with_misread_words(include_str!("../data/everyday.txt")),
        qualifiers,
    }
});

/// The analyte that the whole text names.
///
/// What stands in parentheses and what names only the specimen's usual kind or the method (`serum`, `by HPLC`, `calculated`) is left out when
/// the text is not known with it. `Glucose, urine` is not glucose: urine and other fluids are never left out.
pub fn analyte(text: &str) -> Option<Analyte> {
    let (outside, inside) = parted(text);
    let whole = fold(text);
    let mut tries = vec![whole];
    for text in [fold(&outside), fold(&inside)] {
        if !text.is_empty() {
            tries.push(text);
        }
    }
    // A fluid in parentheses says what was measured, so it may not be left out.
    if FLUIDS
        .iter()
        .any(|fluid| fold(&inside).split(' ').any(|word| word == *fluid))
    {
        tries.truncate(1);
    }
    let known = &*ANALYTES;
    tries
        .iter()
        .find_map(|text| known.get(text))
        .or_else(|| tries.iter().find_map(|text| known.get(&known.bare(text))))
        .or_else(|| {
            let found = tries.iter().find_map(|text| known.get_misread(text))?;
            Some(Analyte {
                is_exact: false,
                ..found
            })
        })
}

const FLUIDS: &[&str] = &[
    "urine", "ur", "csf", "stool", "fluid", "saliva", "sputum", "semen", "ascites", "pleural",
    "synovial", "cord",
];

impl Analytes {
    fn get(&self, text: &str) -> Option<Analyte> {
        self.records.get(self.phrases.get(text)? as usize).copied()
    }

    fn get_misread(&self, text: &str) -> Option<Analyte> {
        let of = |text: &str| {
            self.records
                .get(self.phrases.get_misread(text)? as usize)
                .copied()
        };
        of(text).or_else(|| of(&self.bare(text)))
    }

    /// The text without the qualifiers at its beginning and at its end.
    fn bare(&self, text: &str) -> String {
        let mut words: Vec<&str> = text.split(' ').collect();
        loop {
            let count = words.len();
            if let Some(found) = self.qualifiers.find(&words)
                && found.words < words.len()
            {
                words.drain(..found.words);
            }
            for start in 1..words.len() {
                if self
                    .qualifiers
                    .find(&words[start..])
                    .is_some_and(|found| found.words == words.len() - start)
                {
                    words.truncate(start);
                    break;
                }
            }
            if words.len() == count {
                return words.join(" ");
            }
        }
    }
}

/// What stands outside of parentheses and brackets, and what stands inside.
fn parted(text: &str) -> (String, String) {
    let (mut outside, mut inside) = (String::new(), String::new());
    let mut depth = 0_u32;
    for letter in text.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ if depth > 0 => inside.push(letter),
            _ => outside.push(letter),
        }
    }
    (outside, inside)
}

//! Drugs by generic name, brand and combination.

use std::sync::LazyLock;

use crate::fold::Folded;
use crate::phrases::{Found, Phrases};
use crate::table::rows;

/// A drug that the dictionary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drug {
    /// The generic name in lower case; the parts of a combination are separated by a slash.
    pub name: &'static str,
    /// The code of the generic name, where there is one.
    pub code: Option<&'static str>,
    /// What the code is of: `RxNorm` or `DrugBank`.
    pub system: Option<&'static str>,
    /// The words are a brand, not a generic name.
    pub is_brand: bool,
    /// The words stand in the dictionary as they are written. Otherwise one letter was misread.
    pub is_exact: bool,
}

struct Record {
    name: &'static str,
    system: Option<&'static str>,
    code: Option<&'static str>,
}

struct Drugs {
    records: Vec<Record>,
    /// Phrases of generic names have the number of their record times two, brands one more.
    phrases: Phrases,
    /// Words that follow a drug's name and name its salt or its release: `succinate`, `hcl`, `ER`.
    salts: Phrases,
    /// Combinations by their parts in alphabetical order, separated by slashes.
    combinations: std::collections::HashMap<String, u32>,
}

static DRUGS: LazyLock<Drugs> = LazyLock::new(|| {
    let mut drugs = Drugs {
        records: Vec::new(),
        phrases: Phrases::default(),
        salts: Phrases::default(),
        combinations: std::collections::HashMap::new(),
    };
    for row in rows(include_str!("../data/drugs.tsv")) {
        let record = drugs.records.len() as u32;
        let name = row.column(0);
        drugs.records.push(Record {
            name,
            system: row.some(1),
            code: row.some(2),
        });
        if name.contains('/') {
            drugs.combinations.insert(in_order(name), record);
        }
        for phrase in row.list(3) {
            drugs.phrases.add(phrase, record * 2);
        }
        for phrase in row.list(4) {
            drugs.phrases.add(phrase, record * 2 + 1);
        }
    }
    for row in rows(include_str!("../data/salts.tsv")) {
        drugs.salts.add(row.column(0), 0);
    }
    drugs.phrases = drugs
        .phrases
        .with_misread_words(include_str!("../data/everyday.txt"));
    drugs
});

fn in_order(name: &str) -> String {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.sort_unstable();
    parts.join("/")
}

/// The longest drug's name that begins at the first word, and the number of words that it takes.
///
/// A salt or release behind the name (`metoprolol succinate ER`) is taken with it. Parts of a combination may be separated by a slash, a hyphen,
/// a plus, `and` or `with`; a combination that the dictionary does not know is no drug of one name, then only the first part is answered.
pub fn drug(words: &[&str]) -> Option<(usize, Drug)> {
    let drugs = &*DRUGS;
    let first = Folded::new(words, 1);
    if !drugs.phrases.begins(first.tokens.first()?) {
        return None;
    }
    if let Some(found) = drugs.combination(words) {
        return Some(found);
    }
    let found = drugs.phrases.find(words)?;
    let used = found.words + drugs.salts_after(&words[found.words..]);
    Some((used, drugs.answer(found)?))
}

impl Drugs {
    fn answer(&self, found: Found) -> Option<Drug> {
        let mut drug = self.of_record(found.record / 2)?;
        drug.is_brand = found.record % 2 == 1;
        drug.is_exact = found.is_exact;
        Some(drug)
    }

    fn of_record(&self, record: u32) -> Option<Drug> {
        let record = self.records.get(record as usize)?;
        Some(Drug {
            name: record.name,
            code: record.code,
            system: record.system,
            is_brand: false,
            is_exact: true,
        })
    }

    fn salts_after(&self, words: &[&str]) -> usize {
        let mut used = 0;
        while let Some(found) = self.salts.find(&words[used..]) {
            used += found.words;
        }
        used
    }

    /// Two or more generic names joined by a sign or a word, which together are a combination that the dictionary knows.
    fn combination(&self, words: &[&str]) -> Option<(usize, Drug)> {
        let parts = Pieces::new(words);
        let mut names: Vec<&'static str> = Vec::new();
        let mut is_exact = true;
        let mut at = 0;
        let mut best = None;
        loop {
            let rest: Vec<&str> = parts.texts[at..].iter().map(String::as_str).collect();
            let Some(found) = self.phrases.find(&rest) else {
                break;
            };
            let drug = self.answer(found)?;
            names.push(drug.name);
            is_exact &= drug.is_exact;
            at += found.words;
            at += self.salts_after(&rest[found.words..]);
            if names.len() > 1 {
                let record = self.combinations.get(&in_order(&names.join("/")));
                if let (Some(record), Some(used)) = (record, parts.words_of(at)) {
                    let mut drug = self.of_record(*record)?;
                    drug.is_exact = is_exact;
                    best = Some((used, drug));
                }
            }
            at += match parts.texts.get(at).map(String::as_str) {
                Some("+" | "and" | "with" | "&" | "/" | "-") => 1,
                // Inside a word the sign between the parts has gone already.
                Some(_) if parts.words_of(at).is_none() => 0,
                _ => break,
            };
            if names.len() > 5 {
                break;
            }
        }
        best
    }
}

/// Words cut at slashes, hyphens and plus signs.
struct Pieces {
    texts: Vec<String>,
    ends: Vec<usize>,
}

impl Pieces {
    fn new(words: &[&str]) -> Self {
        let (mut texts, mut ends) = (Vec::new(), Vec::new());
        for (at, word) in words.iter().take(14).enumerate() {
            if matches!(*word, "+" | "/" | "-" | "&") {
                texts.push((*word).to_owned());
                ends.push(at + 1);
                continue;
            }
            let leads = word.starts_with(['+', '/']) && !texts.is_empty();
            if leads {
                texts.push("/".to_owned());
                ends.push(0);
            }
            for piece in word
                .split(['/', '+', '-'])
                .filter(|piece| !piece.is_empty())
            {
                texts.push(piece.to_lowercase());
                ends.push(0);
            }
            if let Some(last) = ends.last_mut() {
                *last = at + 1;
            }
            // "sacubitril/ valsartan" is printed with a break behind the sign.
            if word.len() > 1 && word.ends_with(['/', '+', '-']) {
                texts.push("/".to_owned());
                ends.push(at + 1);
            }
        }
        Self { texts, ends }
    }

    fn words_of(&self, count: usize) -> Option<usize> {
        let words = *self.ends.get(count.checked_sub(1)?)?;
        (words > 0).then_some(words)
    }
}

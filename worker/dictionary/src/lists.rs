//! Lists that need nothing but a name: routes, forms, procedures, vaccines, allergens, reactions.

use std::sync::LazyLock;

use crate::phrases::Phrases;
use crate::table::{Row, rows};

struct List {
    names: Vec<&'static str>,
    phrases: Phrases,
}

impl List {
    fn new(text: &'static str) -> Self {
        let mut list = Self {
            names: Vec::new(),
            phrases: Phrases::default(),
        };
        for row in rows(text) {
            list.add(row);
        }
        list
    }

    fn add(&mut self, row: Row) {
        let record = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(row.column(0));
        for phrase in row.list(1) {
            self.phrases.add(phrase, record);
        }
    }

    fn find(&self, words: &[&str]) -> Option<(usize, &'static str)> {
        let found = self.phrases.find(words)?;
        let name = self.names.get(found.record as usize)?;
        Some((found.words, name))
    }
}

macro_rules! list {
    ($(#[$docs:meta])* $name:ident, $file:literal) => {
        $(#[$docs])*
        pub fn $name(words: &[&str]) -> Option<(usize, &'static str)> {
            static LIST: LazyLock<List> =
                LazyLock::new(|| List::new(include_str!(concat!("../data/", $file, ".tsv"))));
            LIST.find(words)
        }
    };
}

list!(
    /// The route of administration that is written at the beginning of the words: `PO` and `by mouth` are `oral`.
    route, "routes"
);
list!(
    /// The form of a drug that is written at the beginning of the words: `tabs` is `tablet`, `puffs` is `puff`.
    form, "forms"
);
list!(
    /// The procedure that is written at the beginning of the words.
    procedure, "procedures"
);
list!(
    /// The vaccine that is written at the beginning of the words, by its usual name: `Tdap`, `MMR`, `Comirnaty`.
    vaccine, "vaccines"
);
list!(
    /// What people are allergic to and is no single drug: classes of drugs, foods, animals, materials.
    allergen, "allergens"
);
list!(
    /// How an allergy or an intolerance shows: `hives`, `anaphylaxis`, `GI upset`.
    reaction, "reactions"
);

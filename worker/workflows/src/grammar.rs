//! A small grammar: a symbol is written as one of its alternatives, which may contain further symbols in braces. What
//! is chosen follows from a seed, so the same job writes the same text again.

use std::collections::HashMap;

/// Deeper than any rule goes: a rule that contains itself ends here.
const DEEPEST: usize = 12;

/// A sequence of choices that looks random and is not: splitmix64.
pub(super) struct Choices(u64);

impl Choices {
    /// From whatever tells one text from another.
    pub(super) fn seeded(parts: &[&str]) -> Self {
        // FNV-1a: the seed must not change with the version of a library.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(hash)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % limit.max(1) as u64).unwrap_or(0)
    }
}

/// Rules, and the facts that stand for themselves.
pub(super) struct Grammar<'a> {
    rules: &'a [(&'a str, &'a [&'a str])],
    facts: HashMap<&'a str, String>,
}

impl<'a> Grammar<'a> {
    pub(super) fn new(
        rules: &'a [(&'a str, &'a [&'a str])],
        facts: HashMap<&'a str, String>,
    ) -> Self {
        Self { rules, facts }
    }

    /// `count` different sentences of a symbol, as long as it has so many.
    pub(super) fn sentences(
        &self,
        symbol: &str,
        count: usize,
        choices: &mut Choices,
    ) -> Vec<String> {
        let mut written: Vec<String> = Vec::new();
        for _ in 0..count * 4 {
            if written.len() == count {
                break;
            }
            let sentence = sentence(&self.write(symbol, choices, 0));
            if !written.contains(&sentence) {
                written.push(sentence);
            }
        }
        written
    }

    fn write(&self, symbol: &str, choices: &mut Choices, depth: usize) -> String {
        if let Some(fact) = self.facts.get(symbol) {
            return fact.clone();
        }
        let alternatives = self
            .rules
            .iter()
            .find(|(name, _)| *name == symbol)
            .map_or(&[][..], |(_, alternatives)| alternatives);
        if alternatives.is_empty() || depth > DEEPEST {
            return String::new();
        }
        let mut text = String::new();
        let mut rest = alternatives[choices.below(alternatives.len())];
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let Some((inner, after)) = after.split_once('}') else {
                break;
            };
            text.push_str(&self.write(inner, choices, depth + 1));
            rest = after;
        }
        text.push_str(rest);
        text
    }

    /// Symbols that rules use and nobody defines.
    #[cfg(test)]
    pub(super) fn undefined(&self) -> Vec<&'a str> {
        let used = self
            .rules
            .iter()
            .flat_map(|(_, alternatives)| *alternatives);
        let used = used.flat_map(|text| {
            text.split('{')
                .skip(1)
                .filter_map(|part| part.split('}').next())
        });
        used.filter(|symbol| {
            !self.facts.contains_key(symbol) && !self.rules.iter().any(|(name, _)| name == symbol)
        })
        .collect()
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.trim().chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[(&str, &[&str])] = &[
        ("s", &["{who} {does}.", "once {who} {does}."]),
        ("does", &["reads", "writes", "counts"]),
        ("loop", &["{loop}{loop}"]),
    ];

    fn grammar() -> Grammar<'static> {
        Grammar::new(RULES, HashMap::from([("who", "Ada {does}".to_owned())]))
    }

    #[test]
    fn the_same_seed_writes_the_same_and_another_something_else() {
        let write = |seed: &str| grammar().sentences("s", 4, &mut Choices::seeded(&[seed]));
        assert_eq!(write("a"), write("a"));
        assert_ne!(write("a"), write("b"));
        assert_eq!(write("a").len(), 4);
    }

    #[test]
    fn a_fact_with_braces_stays_a_fact() {
        let text = grammar().sentences("s", 1, &mut Choices::seeded(&["x"]));
        assert!(text[0].contains("Ada {does}"));
    }

    #[test]
    fn a_rule_that_contains_itself_ends() {
        assert_eq!(grammar().write("loop", &mut Choices::seeded(&["x"]), 0), "");
    }
}

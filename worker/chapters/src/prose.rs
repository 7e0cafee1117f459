//! The passages that the data files hold, found by their keys.

use std::collections::HashMap;
use std::sync::LazyLock;

const FILES: [&str; 6] = [
    include_str!("../data/western.txt"),
    include_str!("../data/vedic.txt"),
    include_str!("../data/design.txt"),
    include_str!("../data/numbers.txt"),
    include_str!("../data/pillars.txt"),
    include_str!("../data/verdict.txt"),
];

static PASSAGES: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut passages: HashMap<_, Vec<_>> = HashMap::new();
    for (key, passage) in lines() {
        passages.entry(key).or_default().push(passage);
    }
    passages
});

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = FILES.iter().flat_map(|file| file.lines());
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(": "))
}

/// The variants of a key; none where there is no such key.
pub(crate) fn variants(key: &str) -> &'static [&'static str] {
    PASSAGES.get(key).map_or(&[], Vec::as_slice)
}

/// The words of a key that has no variants.
pub(crate) fn only(key: &str) -> &'static str {
    debug_assert_eq!(variants(key).len(), 1, "{key}");
    variants(key).first().copied().unwrap_or_default()
}

/// A passage as its sentences.
pub(crate) fn sentences(passage: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = passage;
    while let Some(at) = rest
        .match_indices(['.', '?', '!'])
        .map(|(at, _)| at + 1)
        .find(|at| rest[*at..].starts_with(' '))
    {
        found.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    found.push(rest);
    found
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_sentence_stands_twice_in_the_data() {
        let mut seen = HashSet::new();
        for (key, passage) in
            lines().filter(|(key, _)| !key.starts_with("domain.") && !key.starts_with("what."))
        {
            for sentence in sentences(passage)
                .into_iter()
                .filter(|sentence| sentence.split(' ').count() > 3)
            {
                assert!(seen.insert(sentence), "{key}: {sentence}");
            }
        }
    }

    #[test]
    fn every_line_has_a_key_and_closed_braces() {
        for file in FILES {
            for line in file
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
            {
                let (key, passage) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
                assert!(!key.contains(' '), "{line}");
                assert_eq!(
                    passage.matches('{').count(),
                    passage.matches('}').count(),
                    "{line}"
                );
                assert!(!passage.contains("  "), "{line}");
            }
        }
    }

    #[test]
    fn a_passage_is_cut_into_sentences_and_not_at_figures() {
        assert_eq!(
            sentences("One. Two? Three at 1.5 of it! Four"),
            ["One.", "Two?", "Three at 1.5 of it!", "Four"]
        );
    }
}

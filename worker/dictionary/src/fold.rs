//! One spelling for what readers and countries spell differently.

/// British spellings inside a word, and the American ones under which the data lies. `fold.py` has the same list.
const SPELLINGS: &[(&str, &str)] = &[
    ("haem", "hem"),
    ("aemia", "emia"),
    ("aemic", "emic"),
    ("anaes", "anes"),
    ("oedem", "edem"),
    ("oesoph", "esoph"),
    ("oestr", "estr"),
    ("rrhoea", "rrhea"),
    ("paed", "ped"),
    ("caes", "ces"),
    ("caec", "cec"),
    ("coeli", "celi"),
    ("dyspnoe", "dyspne"),
    ("apnoe", "apne"),
    ("foet", "fet"),
    ("faec", "fec"),
    ("gynaec", "gynec"),
    ("leuc", "leuk"),
    ("sulph", "sulf"),
    ("tumour", "tumor"),
    ("fibre", "fiber"),
    ("litre", "liter"),
    ("colour", "color"),
    ("ageing", "aging"),
    ("catheteris", "catheteriz"),
    ("immunis", "immuniz"),
    ("hospitalis", "hospitaliz"),
];

/// The form under which a phrase is looked up: lower case, without accents and possessives, with a space for each hyphen, slash and comma.
///
/// ```
/// assert_eq!(gristmill_dictionary::fold("Crohn's disease, Ileo-colic"), "crohn disease ileo colic");
/// ```
pub fn fold(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            'A'..='Z' => plain.push(letter.to_ascii_lowercase()),
            'a'..='z' | '0'..='9' | '.' | '%' | '#' => plain.push(letter),
            '\'' | '’' | '`' => plain.push('\''),
            _ => spell(letter, &mut plain),
        }
    }
    let mut folded = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        let word = word.trim_matches(['.', '\'']);
        let word = word.strip_suffix("'s").unwrap_or(word);
        if word.is_empty() {
            continue;
        }
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(american(word).chars().filter(|letter| *letter != '\''));
    }
    folded
}

fn spell(letter: char, into: &mut String) {
    match letter.to_lowercase().next().unwrap_or(letter) {
        'à'..='å' => into.push('a'),
        'æ' => into.push_str("ae"),
        'ç' => into.push('c'),
        'è'..='ë' => into.push('e'),
        'ì'..='ï' => into.push('i'),
        'ñ' => into.push('n'),
        'ò'..='ö' | 'ø' => into.push('o'),
        'œ' => into.push_str("oe"),
        'ù'..='ü' => into.push('u'),
        'ß' => into.push_str("ss"),
        'µ' | 'μ' => into.push('u'),
        'α' => into.push_str("alpha"),
        'β' => into.push_str("beta"),
        'γ' => into.push_str("gamma"),
        _ => into.push(' '),
    }
}

fn american(word: &str) -> std::borrow::Cow<'_, str> {
    let mut spelt = std::borrow::Cow::Borrowed(word);
    // Each spelling has one of these pairs of letters, and most words have none: looking for all spellings takes ten times as long.
    let is_british = |pair: &[u8]| {
        matches!(
            pair,
            b"ae" | b"oe" | b"uc" | b"lp" | b"ou" | b"br" | b"tr" | b"ei" | b"is"
        )
    };
    if word.len() < 5 || !word.as_bytes().windows(2).any(is_british) {
        return spelt;
    }
    for (british, usual) in SPELLINGS {
        if spelt.contains(british) {
            spelt = spelt.replace(british, usual).into();
        }
    }
    spelt
}

/// The folded words at the beginning of a text, and how many of its own words each stretch of them takes.
pub(crate) struct Folded {
    /// The folded words.
    pub(crate) tokens: Vec<String>,
    /// For each folded word: the count of the text's words that end with it, or 0 inside a word such as `re-do`.
    ends: Vec<usize>,
}

impl Folded {
    pub(crate) fn new(words: &[&str], most: usize) -> Self {
        let (mut tokens, mut ends) = (Vec::new(), Vec::new());
        for (at, word) in words.iter().take(most).enumerate() {
            let folded = fold(word);
            // A word of nothing but punctuation ends every name.
            if folded.is_empty() {
                break;
            }
            for token in folded.split(' ') {
                tokens.push(token.to_owned());
                ends.push(0);
            }
            if let Some(last) = ends.last_mut() {
                *last = at + 1;
            }
        }
        Self { tokens, ends }
    }

    /// How many of the text's words the first `count` folded words are; None where they end inside one.
    pub(crate) fn words_of(&self, count: usize) -> Option<usize> {
        let words = *self.ends.get(count.checked_sub(1)?)?;
        (words > 0).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_two_countries_fold_to_one() {
        assert_eq!(fold("Anaemia"), fold("anemia"));
        assert_eq!(fold("Diarrhoea"), "diarrhea");
        assert_eq!(fold("Ménière’s disease"), "meniere disease");
        assert_eq!(fold("community-acquired"), "community acquired");
        assert_eq!(fold("γ-GT"), "gamma gt");
        assert_eq!(fold("b.i.d."), "b.i.d");
    }

    #[test]
    fn a_name_that_ends_inside_a_word_has_no_count_of_words() {
        let folded = Folded::new(&["co-codamol", "tablets"], 5);
        assert_eq!(folded.tokens, ["co", "codamol", "tablets"]);
        assert_eq!(folded.words_of(1), None);
        assert_eq!(folded.words_of(2), Some(1));
        assert_eq!(folded.words_of(3), Some(2));
        assert_eq!(folded.words_of(0), None);
    }
}

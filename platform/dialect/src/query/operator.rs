//! The words for operators, and their SQL.

/// Whether a word begins a comparison.
pub(super) fn is_known(word: &str) -> bool {
    matches!(word, "is" | "in" | "isdistinct")
        || operator(word).is_some()
        || like(word).is_some()
        || text_search(word).is_some()
}

pub(super) fn operator(word: &str) -> Option<&'static str> {
    Some(match word {
        "eq" => "=",
        "neq" => "<>",
        "gt" => ">",
        "gte" => ">=",
        "lt" => "<",
        "lte" => "<=",
        "match" => "~",
        "imatch" => "~*",
        "cs" => "@>",
        "cd" => "<@",
        "ov" => "&&",
        "sl" => "<<",
        "sr" => ">>",
        "nxr" => "&<",
        "nxl" => "&>",
        "adj" => "-|-",
        _ => return None,
    })
}

pub(super) fn is_quantifiable(word: &str) -> bool {
    matches!(
        word,
        "eq" | "gt" | "gte" | "lt" | "lte" | "match" | "imatch"
    )
}

pub(super) fn like(word: &str) -> Option<&'static str> {
    match word {
        "like" => Some("like"),
        "ilike" => Some("ilike"),
        _ => None,
    }
}

pub(super) fn text_search(word: &str) -> Option<&'static str> {
    match word {
        "fts" => Some("to_tsquery"),
        "plfts" => Some("plainto_tsquery"),
        "phfts" => Some("phraseto_tsquery"),
        "wfts" => Some("websearch_to_tsquery"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_of_one_kind() {
        for word in ["eq", "neq", "adj", "like", "ilike", "fts", "wfts"] {
            let kinds = [operator(word), like(word), text_search(word)];
            assert_eq!(kinds.iter().flatten().count(), 1, "{word}");
        }
        assert!(!is_known("zzz"));
        assert!(!is_known(""));
    }

    #[test]
    fn containment_cannot_be_quantified() {
        assert!(is_quantifiable("eq"));
        assert!(!is_quantifiable("cs"));
    }
}

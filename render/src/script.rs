//! Which way a text runs and in which language, as far as its letters tell.

/// What typst needs to know to set a text well: hyphenation, quotes and direction follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) lang: &'static str,
    pub(crate) is_rtl: bool,
}

/// By a language tag where one is given, else by the letters that occur most.
pub(crate) fn of(tag: Option<&str>, text: &str) -> Script {
    let lang = tag.and_then(known).unwrap_or_else(|| guess(text));
    Script {
        lang,
        is_rtl: matches!(lang, "ar" | "he" | "fa" | "ur"),
    }
}

fn known(tag: &str) -> Option<&'static str> {
    let primary = tag.split(['-', '_']).next()?.to_ascii_lowercase();
    const KNOWN: [&str; 18] = [
        "en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ru", "uk", "ar", "he", "fa", "ur",
        "zh", "ja", "ko",
    ];
    KNOWN.into_iter().find(|lang| *lang == primary)
}

fn guess(text: &str) -> &'static str {
    let mut counts = [
        ("en", 0_usize),
        ("ar", 0),
        ("he", 0),
        ("zh", 0),
        ("ko", 0),
        ("ru", 0),
    ];
    let mut kana = 0;
    for letter in text.chars() {
        let at = match letter {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' => 0,
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{fb50}'..='\u{fdff}' => 1,
            '\u{590}'..='\u{5ff}' => 2,
            '\u{3040}'..='\u{30ff}' => {
                kana += 1;
                3
            }
            '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => 3,
            '\u{ac00}'..='\u{d7af}' => 4,
            '\u{400}'..='\u{4ff}' => 5,
            _ => continue,
        };
        // A Han character is a word where a Latin letter is a letter.
        counts[at].1 += if at == 3 { 3 } else { 1 };
    }
    let most = counts
        .iter()
        .max_by_key(|(lang, count)| (*count, *lang == "en"));
    match most {
        Some(("zh", _)) if kana > 0 => "ja",
        Some((lang, count)) if *count > 0 => lang,
        _ => "en",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_language_and_direction() {
        let of = |text| super::of(None, text);
        assert_eq!(of("Jane Doe, engineer").lang, "en");
        assert_eq!(
            of(""),
            Script {
                lang: "en",
                is_rtl: false
            }
        );
        assert_eq!(
            of("ليلى حداد مهندسة برمجيات (Go, Rust)"),
            Script {
                lang: "ar",
                is_rtl: true
            }
        );
        assert_eq!(
            of("מהנדסת תוכנה בכירה"),
            Script {
                lang: "he",
                is_rtl: true
            }
        );
        assert_eq!(of("王小明 软件工程师 Kubernetes").lang, "zh");
        assert_eq!(of("山田花子 ソフトウェアエンジニア").lang, "ja");
        assert_eq!(of("김민준 소프트웨어 엔지니어").lang, "ko");
    }

    #[test]
    fn a_tag_outweighs_the_letters_and_an_unknown_one_does_not_count() {
        assert_eq!(of(Some("de-AT"), "Jane").lang, "de");
        assert_eq!(of(Some("xx"), "Jane").lang, "en");
    }
}

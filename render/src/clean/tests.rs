use super::*;

#[test]
fn text_that_people_write_stays_as_it_is() {
    for text in [
        "Plain text,  two spaces, a\ttab\nand a line.",
        // Vietnamese, composed and decomposed.
        "Nguyễn Thị Hằng",
        "Nguye\u{302}\u{303}n Thi\u{323} Ha\u{306}\u{300}ng",
        // Hebrew with vowels and cantillation: five marks on one letter.
        "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים",
        "שּׁ\u{5b8}\u{596}\u{5bd}",
        // Arabic with harakat, Persian with a zero-width non-joiner, a Latin name kept apart by marks and isolates.
        "بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ",
        "می\u{200c}خواهم",
        "ליד \u{200e}C++\u{200e} ו-Go",
        "اسمي \u{2068}Ada\u{2069} وأعمل",
        "before \u{202b}שלום Ada\u{202c} after",
        // Indic conjuncts with joiners, Thai, Burmese, Khmer, the Tibetan monogram with eight letters below one.
        "क्\u{200d}ष ශ්\u{200d}රී ක්\u{200d}ෂ",
        "ที่นี่ น้ำ ကျွန်ုပ် ស្ត្រី",
        "ཧྐྵྨླྺྼྻྂ",
        // Families, skins, flags of two letters and of tags, variation selectors, keycaps.
        "👨🏽\u{200d}👩🏽\u{200d}👧🏽\u{200d}👦🏽 👩\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈 🇩🇪 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 1\u{fe0f}\u{20e3} ❤\u{fe0e}",
        "葛\u{e0100}城市",
        "한국어 ᄒᆞᆫ글",
        // Words that may be broken.
        "Donau\u{ad}dampf\u{ad}schiff\u{ad}fahrt",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn a_letter_keeps_sixteen_marks_and_the_rest_is_left_out() {
    let piled = format!("a{}b", "\u{301}".repeat(340_000));
    assert_eq!(clean(&piled), format!("a{}b", "\u{301}".repeat(MOST_MARKS)));
    let without_a_letter = "\u{301}".repeat(340_000);
    assert_eq!(clean(&without_a_letter).chars().count(), MOST_MARKS);
    let mixed = format!(
        "a{}",
        "\u{301}\u{200d}\u{fe0f}\u{200b}\u{34f}".repeat(70_000)
    );
    assert_eq!(clean(&mixed).chars().count(), 1 + MOST_MARKS);
}

#[test]
fn soft_hyphens_stay_only_between_letters_and_one_at_a_time() {
    let many = "\u{ad}".repeat(340_000);
    assert_eq!(clean(&many), "");
    assert_eq!(clean(&format!("ab{many}cd")), "ab\u{ad}cd");
    assert_eq!(clean(&format!("{many}ab {many}cd{many}")), "ab cd");
}

#[test]
fn direction_controls_stay_only_in_pairs_that_hold_something() {
    for control in [
        '\u{202a}', '\u{202b}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}',
    ] {
        let many: String = std::iter::repeat_n(control, 340_000).collect();
        assert!(clean(&format!("a{many}b")).chars().count() <= 2 + 2 * DEEPEST_NESTING);
        let close = if control < '\u{2066}' {
            POP
        } else {
            POP_ISOLATE
        };
        let pairs = format!("{control}{close}").repeat(100_000);
        assert_eq!(clean(&format!("a{pairs}b")), "ab");
    }
    assert_eq!(
        clean(&format!("a{}b", "\u{202c}\u{2069}".repeat(100_000))),
        "ab"
    );
    assert_eq!(
        clean(&"\u{200e}\u{200f}".repeat(100_000)).chars().count(),
        MOST_MARKS
    );
    assert_eq!(
        clean("a\u{2067}b\u{202a}c"),
        "a\u{2067}b\u{202a}c\u{202c}\u{2069}"
    );
    assert_eq!(clean("\u{2067}b\nc"), "\u{2067}b\u{2069}\nc");
    let with_marks = "\u{2066}\u{301}\u{2069}".repeat(100_000);
    assert!(clean(&with_marks).chars().count() <= 3 * MOST_MARKS);
}

#[test]
fn an_override_does_not_turn_letters_around() {
    assert_eq!(clean("gpj.\u{202e}fdp.exe\u{202c} x"), "gpj.fdp.exe x");
}

#[test]
fn what_shows_nothing_on_paper_is_left_out() {
    assert_eq!(
        clean("a\u{0}b\u{1b}[31m\r\nc\u{feff}\u{fffe}\u{2062}\u{fffc}\u{e0001}d\u{85}"),
        "ab[31m\ncd"
    );
    assert_eq!(
        clean(&format!("a{}b", " ".repeat(100_000))).len(),
        2 + MOST_SPACES
    );
    assert_eq!(
        clean(&format!("a{}b", "\n".repeat(100_000))).len(),
        2 + MOST_SPACES
    );
}

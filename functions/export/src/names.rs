//! File names from titles: safe on every system, and none twice.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

/// Longest name of an entry, in bytes, without its ending.
const LONGEST: usize = 120;

/// Names that Windows gives to devices, in any folder and with any ending.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// A safe name for each; a second of one name gets a number.
pub(crate) fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    names
        .map(|name| {
            let stem = safe(name);
            let mut candidate = format!("{stem}.pdf");
            let mut number = 2;
            // Some file systems do not tell cases apart.
            while !taken.insert(candidate.to_lowercase()) {
                candidate = format!("{stem} ({number}).pdf");
                number += 1;
            }
            candidate
        })
        .collect()
}

/// A safe name with its ending.
pub(crate) fn with_ending(name: &str) -> String {
    format!("{}.pdf", safe(name))
}

// NFKC first: a full-width slash would become a slash on some systems only after it was looked at.
fn safe(name: &str) -> String {
    let name = name.strip_suffix(".pdf").unwrap_or(name);
    let mut plain = String::new();
    for letter in name.nfkc() {
        let letter = match letter {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '-',
            letter if letter.is_control() || is_invisible(letter) => continue,
            letter => letter,
        };
        if plain.len() + letter.len_utf8() > LONGEST {
            break;
        }
        plain.push(letter);
    }
    let plain = plain.trim_matches(|letter: char| letter == '.' || letter.is_whitespace());
    let stem = plain.split('.').next().unwrap_or_default();
    if plain.is_empty() {
        "document".to_owned()
    } else if RESERVED.contains(&stem.trim().to_lowercase().as_str()) {
        format!("_{plain}")
    } else {
        plain.to_owned()
    }
}

// Directions and joiners that make a name look like another one.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_its_folder_or_names_a_device() {
        for (title, name) in [
            ("../../etc/passwd", "-..-etc-passwd"),
            ("..", "document"),
            ("", "document"),
            ("   ", "document"),
            ("a/b\\c:d", "a-b-c-d"),
            ("CON", "_CON"),
            ("nul.txt", "_nul.txt"),
            ("com1 .x", "_com1 .x"),
            ("line\r\nbreak\0", "linebreak"),
            ("．．／up", "-up"),
            ("\u{202e}fdp.exe", "fdp.exe"),
            ("Lebenslauf Müller.pdf", "Lebenslauf Müller"),
            ("履歴書", "履歴書"),
        ] {
            assert_eq!(safe(title), name, "{title:?}");
        }
        assert!(safe(&"é".repeat(500)).len() <= LONGEST);
    }

    #[test]
    fn no_name_comes_twice_in_any_case() {
        let names = unique(["Resume", "resume", "Resume.pdf", "Resume (2)"].into_iter());
        assert_eq!(
            names,
            [
                "Resume.pdf",
                "resume (2).pdf",
                "Resume (3).pdf",
                "Resume (2) (2).pdf"
            ]
        );
    }
}

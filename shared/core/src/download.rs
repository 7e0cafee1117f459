//! Files on their way to whoever saves them: the name under which, and which part of the bytes (RFC 6266, 8187, 9110).

use std::ops::RangeInclusive;

/// What Content-Disposition says for a file that is saved under a name: an ASCII form for old clients, and the name itself.
pub fn attachment(name: &str) -> String {
    // A separator would be taken for a folder by some clients, and a control character ends nothing here.
    let name: String = name
        .chars()
        .filter(|letter| !letter.is_control())
        .map(|letter| match letter {
            '/' | '\\' => '-',
            letter => letter,
        })
        .collect();
    let name = name.trim();
    if name.is_empty() {
        return "attachment".to_owned();
    }
    let plain: String = name
        .chars()
        .map(|letter| match letter {
            '"' | '%' | ';' => '_',
            letter if letter.is_ascii() => letter,
            _ => '_',
        })
        .collect();
    let mut encoded = String::new();
    for byte in name.bytes() {
        // attr-char of RFC 8187, but for those that some parsers stumble over.
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

/// Which bytes of a file an answer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    Whole,
    /// 206: these, both ends included.
    Some(RangeInclusive<u64>),
    /// 416: none of what was asked for exists.
    None,
}

impl Part {
    /// What the headers Range and If-Range ask for of a file with this size and tag. One range is served; several, or one that cannot be
    /// read, are answered with the whole file, as RFC 9110 allows.
    pub fn asked(range: Option<&str>, if_range: Option<&str>, etag: &str, size: u64) -> Self {
        let Some(range) = range.and_then(parse) else {
            return Self::Whole;
        };
        // A date never matches: we compare tags alone, and strongly.
        if if_range.is_some_and(|wanted| wanted.trim() != etag) {
            return Self::Whole;
        }
        let (first, last) = match range {
            (Some(first), last) => (first, last.unwrap_or(u64::MAX).min(size.saturating_sub(1))),
            (None, Some(length)) => (size.saturating_sub(length), size.saturating_sub(1)),
            (None, None) => return Self::Whole,
        };
        if first >= size || range == (None, Some(0)) {
            return Self::None;
        }
        Self::Some(first..=last)
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::Whole => 200,
            Self::Some(_) => 206,
            Self::None => 416,
        }
    }

    /// The first byte and how many.
    pub fn span(&self, size: u64) -> (u64, u64) {
        match self {
            Self::Whole => (0, size),
            Self::Some(bytes) => (*bytes.start(), bytes.end() - bytes.start() + 1),
            Self::None => (0, 0),
        }
    }

    /// What Content-Range says.
    pub fn content_range(&self, size: u64) -> Option<String> {
        match self {
            Self::Whole => None,
            Self::Some(bytes) => Some(format!("bytes {}-{}/{size}", bytes.start(), bytes.end())),
            Self::None => Some(format!("bytes */{size}")),
        }
    }
}

// bytes=FIRST-LAST, bytes=FIRST- or bytes=-LENGTH.
fn parse(header: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (unit, ranges) = header.split_once('=')?;
    let (first, last) = ranges.trim().split_once('-')?;
    let number = |text: &str| match text.trim() {
        "" => Some(None),
        text if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            // A number that is too large for us is larger than every file.
            Some(Some(text.parse().unwrap_or(u64::MAX)))
        }
        _ => None,
    };
    let range = (number(first)?, number(last)?);
    let is_backward = matches!(range, (Some(first), Some(last)) if last < first);
    let is_bytes = unit.trim().eq_ignore_ascii_case("bytes");
    (is_bytes && !is_backward && range != (None, None)).then_some(range)
}

/// Whether If-None-Match names this tag, so that the answer is 304. It compares weakly.
pub fn is_seen(if_none_match: Option<&str>, etag: &str) -> bool {
    if_none_match.unwrap_or_default().split(',').any(|given| {
        let given = given.trim();
        given == "*" || given.trim_start_matches("W/") == etag
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_letters_and_cannot_end_the_header() {
        assert_eq!(
            attachment("Lebenslauf Müller.pdf"),
            "attachment; filename=\"Lebenslauf M_ller.pdf\"; filename*=UTF-8''Lebenslauf%20M%C3%BCller.pdf"
        );
        for name in [
            "a\"; x=\"b.pdf",
            "a\r\nset-cookie: x.pdf",
            "../../etc/passwd",
            "50%.pdf",
        ] {
            let header = attachment(name);
            assert!(
                header.bytes().all(|byte| (b' '..=b'~').contains(&byte)),
                "{header}"
            );
            assert_eq!(header.matches('"').count(), 2, "{header}");
            assert!(!header.contains('/') || !name.contains('/'), "{header}");
        }
        assert_eq!(attachment(" \n"), "attachment");
    }

    #[test]
    fn one_range_is_served_and_what_cannot_be_read_is_the_whole_file() {
        let part = |range| Part::asked(Some(range), None, "\"t\"", 100);
        assert_eq!(part("bytes=0-9"), Part::Some(0..=9));
        assert_eq!(part("bytes=90-"), Part::Some(90..=99));
        assert_eq!(part("bytes=-10"), Part::Some(90..=99));
        assert_eq!(part("bytes=-1000"), Part::Some(0..=99));
        assert_eq!(part("bytes=0-99999999999999999999999"), Part::Some(0..=99));
        assert_eq!(part("bytes=100-"), Part::None);
        assert_eq!(part("bytes=-0"), Part::None);
        for odd in [
            "bytes=0-1,5-6",
            "bytes=9-0",
            "items=0-1",
            "bytes=a-b",
            "bytes=-",
            "bytes",
            "",
        ] {
            assert_eq!(part(odd), Part::Whole, "{odd}");
        }
        assert_eq!(Part::asked(Some("bytes=0-"), None, "\"t\"", 0), Part::None);
        assert_eq!(Part::asked(None, None, "\"t\"", 0), Part::Whole);
    }

    #[test]
    fn a_range_of_another_version_gets_the_whole_file() {
        let part = |if_range| Part::asked(Some("bytes=5-"), Some(if_range), "\"t\"", 10);
        assert_eq!(part("\"t\""), Part::Some(5..=9));
        assert_eq!(part("\"other\""), Part::Whole);
        assert_eq!(part("W/\"t\""), Part::Whole);
        assert_eq!(part("Wed, 21 Oct 2015 07:28:00 GMT"), Part::Whole);
    }

    #[test]
    fn what_was_seen_is_recognised_weakly() {
        assert!(is_seen(Some("W/\"t\""), "\"t\""));
        assert!(is_seen(Some("\"a\", \"t\""), "\"t\""));
        assert!(is_seen(Some("*"), "\"t\""));
        assert!(!is_seen(Some("\"a\""), "\"t\"") && !is_seen(None, "\"t\""));
    }
}

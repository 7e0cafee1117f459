//! Reads `pdftotext -bbox-layout`: what a born-digital PDF says of itself, a word and its box a line.

use super::model::{Page, Word};

/// Below this a page counts as a scan: a stamp or a page number is no text layer.
const FEWEST_WORDS: usize = 5;

/// The pages; none in the place of one that has no text worth the name.
pub(super) fn pages(xml: &str) -> Vec<Option<Page>> {
    let mut pages = Vec::new();
    let mut size = (1.0, 1.0);
    let mut words: Vec<Word> = Vec::new();
    let mut line = 0;
    for row in xml.lines().map(str::trim) {
        if row.starts_with("<page ") {
            size = (number(row, "width"), number(row, "height"));
            words.clear();
        } else if row.starts_with("<line ") {
            line += 1;
        } else if let Some(text) = row
            .strip_prefix("<word ")
            .and_then(|rest| rest.split_once('>'))
        {
            let text = unescape(text.1.trim_end_matches("</word>"));
            let sides = [
                number(row, "xMin") / size.0,
                number(row, "yMin") / size.1,
                number(row, "xMax") / size.0,
                number(row, "yMax") / size.1,
            ];
            if !text.trim().is_empty() {
                words.push(Word {
                    text,
                    place: sides.map(|side| side.clamp(0.0, 1.0)),
                    confidence: None,
                    line: Some(line),
                });
            }
        } else if row == "</page>" {
            let found = std::mem::take(&mut words);
            let at = pages.len() as u32 + 1;
            pages.push(
                (found.len() >= FEWEST_WORDS)
                    .then(|| Page::new(at, "text_layer", size.0, size.1, found)),
            );
        }
    }
    pages
}

fn number(row: &str, name: &str) -> f32 {
    let value = row
        .split(&format!("{name}=\""))
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    value
        .and_then(|text| text.parse().ok())
        .filter(|number: &f32| number.is_finite())
        .unwrap_or(1.0)
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_with_their_boxes_and_a_bare_page_is_a_scan() {
        let word = |at: u32| {
            format!(
                "<word xMin=\"{at}.0\" yMin=\"20.0\" xMax=\"30.0\" yMax=\"40.0\">R&amp;D</word>\n"
            )
        };
        let words: String = (1..=5).map(word).collect();
        let xml = format!(
            "<page width=\"100.0\" height=\"200.0\">\n<line xMin=\"1\">\n{words}</line>\n</page>\n<page width=\"1\" height=\"1\">\n</page>\n"
        );
        let pages = pages(&xml);
        let first = pages[0].as_ref().unwrap();
        assert_eq!(first.words[0].text, "R&D");
        assert_eq!(first.words[0].place, [0.01, 0.1, 0.3, 0.2]);
        assert!(pages[1].is_none());
    }
}

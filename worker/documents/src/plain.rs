//! Plain text as pages with words and places, as if a typewriter had made them. Lazily: a text of millions of words is
//! known to have too many pages long before all of them are made.

use super::model::{Page, Word};

const LINES: usize = 60;
// A line is as high as two letters are wide: the page is 100 by 120.
const COLUMNS: usize = 100;

/// Pages of sixty lines, or where the text says so itself. Longer lines are wrapped, longer words cut.
pub(super) fn pages(text: &str) -> impl Iterator<Item = Page> {
    let pages = text.split('\u{c}').flat_map(|part| {
        let mut rows = part.lines().flat_map(wrapped);
        std::iter::from_fn(move || {
            let page: Vec<Vec<_>> = rows.by_ref().take(LINES).collect();
            (!page.is_empty()).then_some(page)
        })
    });
    pages
        .enumerate()
        .map(|(at, rows)| page(at as u32 + 1, &rows))
}

fn page(number: u32, rows: &[Vec<(usize, &str)>]) -> Page {
    let mut words = Vec::new();
    for (row, line) in rows.iter().enumerate() {
        let top = row as f32 / LINES as f32;
        for (column, word) in line {
            let right = column + word.chars().count();
            let place = [
                *column as f32 / COLUMNS as f32,
                top,
                right as f32 / COLUMNS as f32,
                top + 0.8 / LINES as f32,
            ];
            words.push(Word {
                text: (*word).to_owned(),
                place: place.map(|side| side.clamp(0.0, 1.0)),
                confidence: None,
                line: Some(row as u32),
            });
        }
    }
    Page::new(number, "plain", COLUMNS as f32, 2.0 * LINES as f32, words)
}

// A line as the rows that it takes; an empty one takes one too.
fn wrapped(line: &str) -> impl Iterator<Item = Vec<(usize, &str)>> {
    let mut words = words(line).peekable();
    let mut is_first = true;
    std::iter::from_fn(move || {
        let begins = if is_first {
            0
        } else {
            words.peek().map_or(0, |(column, _)| *column)
        };
        let mut row = Vec::new();
        while let Some((column, word)) = words.next_if(|(column, word)| {
            row.is_empty() || column - begins + word.chars().count() <= COLUMNS
        }) {
            row.push((column - begins, word));
        }
        let was_first = std::mem::take(&mut is_first);
        (was_first || !row.is_empty()).then_some(row)
    })
}

// Words with their columns.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut rest, mut column) = (line, 0);
    std::iter::from_fn(move || {
        let begins = rest.trim_start();
        column += rest[..rest.len() - begins.len()].chars().count();
        let end = begins
            .char_indices()
            .enumerate()
            .find(|(count, (_, letter))| *count == COLUMNS || letter.is_whitespace())
            .map_or(begins.len(), |(_, (at, _))| at);
        let (word, after) = begins.split_at(end);
        let at = column;
        column += word.chars().count();
        rest = after;
        (!word.is_empty()).then_some((at, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_pages_lines_and_places() {
        let pages: Vec<Page> = pages("Name: Ann\n  Glucose 90\u{c}Second page").collect();
        assert_eq!(pages.len(), 2);
        assert_eq!(pages[0].text, "Name: Ann\nGlucose 90");
        assert_eq!(pages[0].words[2].place[0], 0.02);
        assert_eq!(pages[1].number, 2);
    }

    #[test]
    fn a_paragraph_in_one_line_is_wrapped_and_stays_on_its_page() {
        let text = "word ".repeat(60);
        let page = pages(&text).next().unwrap();
        assert_eq!(page.words.len(), 60);
        assert_eq!(page.text.lines().count(), 3);
        assert!(page.words.iter().all(|word| word.place[0] < 1.0));
        let cut = pages(&"x".repeat(250)).next().unwrap();
        assert_eq!(cut.words.len(), 3);
    }

    #[test]
    fn a_flood_of_words_is_not_read_to_its_end_to_be_refused() {
        let text = "a ".repeat(20_000_000);
        assert_eq!(pages(&text).take(301).count(), 301);
    }
}

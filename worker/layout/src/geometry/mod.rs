//! Geometry: words become lines by the height they stand at, lines become cells by the gaps in them. Where a page has
//! two columns, one is read after the other.

mod blocks;
mod columns;

pub use blocks::blocks;

use crate::model::{Box4, Page, Word, around};

/// Cells of a row are this many times the height of a line apart. A space is a third of one.
const CELL_GAP: f32 = 1.2;

/// Words at one height, from left to right.
#[derive(Debug, Clone)]
pub struct Line {
    /// The number of its page.
    pub page: u32,
    /// From left to right.
    pub words: Vec<Word>,
    /// Around its words.
    pub place: Box4,
    /// Height over width of the page.
    pub aspect: f32,
    /// Which stretch of the page: changes where columns begin, change or end.
    pub stretch: u32,
    /// The right edge of the column that it stands in.
    pub margin: f32,
}

/// A part of a line with wide gaps around it.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Words of the line, from and to.
    pub words: std::ops::Range<usize>,
    /// Around its words.
    pub place: Box4,
}

impl Line {
    fn new(page: &Page, words: Vec<Word>, stretch: u32) -> Self {
        let place = around(words.iter().map(|word| word.place));
        Self {
            page: page.number,
            place,
            aspect: page.height / page.width,
            words,
            stretch,
            margin: 1.0,
        }
    }

    /// The height of its words: the middle one of all.
    pub fn height(&self) -> f32 {
        let mut heights: Vec<f32> = self
            .words
            .iter()
            .map(|word| word.place[3] - word.place[1])
            .collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(0.01)
    }

    /// Its words with one space between them.
    pub fn text(&self) -> String {
        text(&self.words)
    }

    /// Its cells, from left to right.
    pub fn cells(&self) -> Vec<Cell> {
        // Heights are fractions of the page's height, gaps of its width.
        let gap = self.height() * self.aspect * CELL_GAP;
        let mut cells: Vec<Cell> = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            match cells.last_mut() {
                Some(cell) if word.place[0] - cell.place[2] < gap => {
                    cell.words.end = at + 1;
                    cell.place = around([cell.place, word.place]);
                }
                _ => cells.push(Cell {
                    words: at..at + 1,
                    place: word.place,
                }),
            }
        }
        cells
    }
}

/// Words with one space between them.
pub fn text(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

/// The lines of a page in the order in which they are read.
pub fn lines(page: &Page) -> Vec<Line> {
    let tilt = tilt(page);
    let mut lines = columns::ordered(page, tilt);
    let widths: Vec<(u32, f32)> = lines
        .iter()
        .map(|line| (line.stretch, line.place[2]))
        .collect();
    for line in &mut lines {
        let rights = widths
            .iter()
            .filter(|(stretch, _)| *stretch == line.stretch);
        line.margin = rights.map(|(_, right)| *right).fold(0.0, f32::max);
    }
    lines
}

fn middle(word: &Word, tilt: f32) -> f32 {
    (word.place[1] + word.place[3]) / 2.0 - tilt * (word.place[0] + word.place[2]) / 2.0
}

// What the reader says is a line may be half of one: only places count.
fn grouped(page: &Page, words: &[Word], tilt: f32, stretch: u32) -> Vec<Line> {
    let mut words: Vec<&Word> = words.iter().collect();
    words.sort_by(|a, b| middle(a, tilt).total_cmp(&middle(b, tilt)));
    let mut lines: Vec<(f32, Vec<Word>)> = Vec::new();
    for word in words {
        let (at, height) = (middle(word, tilt), word.place[3] - word.place[1]);
        match lines.last_mut() {
            Some((mean, members)) if (at - *mean).abs() < height.clamp(0.006, 0.03) * 0.6 => {
                *mean += (at - *mean) / (members.len() + 1) as f32;
                members.push(word.clone());
            }
            _ => lines.push((at, vec![word.clone()])),
        }
    }
    let sorted = |mut words: Vec<Word>| {
        words.sort_by(|a, b| a.place[0].total_cmp(&b.place[0]));
        words
    };
    let lines = lines.into_iter().map(|(_, words)| sorted(words));
    lines.map(|words| Line::new(page, words, stretch)).collect()
}

/// How much lines fall across the page, by the reader's own lines: a skewed scan has long ones that tell.
fn tilt(page: &Page) -> f32 {
    let mut slopes = Vec::new();
    for pair in page.words.windows(2) {
        let across = pair[1].place[0] - pair[0].place[0];
        if pair[0].line == pair[1].line && across > 0.02 {
            // Bottoms: the height of a word depends on its letters, its foot hardly.
            slopes.push((pair[1].place[3] - pair[0].place[3]) / across);
        }
    }
    slopes.sort_by(f32::total_cmp);
    let slope = slopes.get(slopes.len() / 2).copied();
    slope.filter(|slope| slope.abs() < 0.1).unwrap_or(0.0)
}

#[cfg(test)]
mod tests;

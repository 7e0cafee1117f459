//! Tells two columns from a table of two columns: columns are told by headings, by prose that wraps on both sides, or by
//! lines that do not stand at one height.

use gristmill_dictionary as dictionary;

use super::{Line, grouped, text};
use crate::model::{Page, Word};
use crate::sections;

/// Half the width of the white strip between two columns.
const STRIP: f32 = 0.009;
/// Fewer lines with words on both sides of a strip say nothing.
const FEWEST: usize = 3;

/// A white strip: where it is, which lines stand beside it, and how many of them on the side with fewer.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Strip {
    x: f32,
    from: usize,
    to: usize,
    sided: usize,
}

pub(super) fn ordered(page: &Page, tilt: f32) -> Vec<Line> {
    let lines = grouped(page, &page.words, tilt, 0);
    for strip in strips(&lines).into_iter().take(12) {
        let within = &lines[strip.from..strip.to];
        let side = |is_left: bool| {
            let words = within.iter().flat_map(|line| &line.words);
            let words: Vec<Word> = words
                .filter(|word| ((word.place[0] + word.place[2]) / 2.0 < strip.x) == is_left)
                .cloned()
                .collect();
            grouped(page, &words, tilt, if is_left { 1 } else { 2 })
        };
        let (left, right) = (side(true), side(false));
        if are_columns(within, &left, &right, strip.x) {
            return spliced(lines, strip, left, right);
        }
    }
    lines
}

fn spliced(lines: Vec<Line>, strip: Strip, left: Vec<Line>, right: Vec<Line>) -> Vec<Line> {
    let below = lines[strip.to..].iter().cloned().map(|mut line| {
        line.stretch = 3;
        line
    });
    let above = lines[..strip.from].iter().cloned();
    above.chain(left).chain(right).chain(below).collect()
}

/// The white strips of a page, those with the most lines beside them first.
fn strips(lines: &[Line]) -> Vec<Strip> {
    let mut found: Vec<(usize, Strip)> = Vec::new();
    for step in 0..=80 {
        let x = 0.3 + step as f32 * 0.005;
        for strip in strips_at(lines, x) {
            // Next to each other they are one strip; its middle counts.
            match found.iter_mut().find(|(last, known)| {
                *last + 1 == step
                    && (known.from, known.to, known.sided) == (strip.from, strip.to, strip.sided)
            }) {
                Some((last, known)) => {
                    *last = step;
                    known.x += 0.0025;
                }
                None => found.push((step, strip)),
            }
        }
    }
    let mut strips: Vec<Strip> = found.into_iter().map(|(_, strip)| strip).collect();
    strips.sort_by(|a, b| {
        b.sided
            .cmp(&a.sided)
            .then((a.x - 0.5).abs().total_cmp(&(b.x - 0.5).abs()))
    });
    strips
}

fn strips_at(lines: &[Line], x: f32) -> Vec<Strip> {
    let mut found = Vec::new();
    let mut from = 0;
    let crosses = |line: &Line| {
        line.words
            .iter()
            .any(|word| word.place[0] < x + STRIP && word.place[2] > x - STRIP)
    };
    for to in 0..=lines.len() {
        if to < lines.len() && !crosses(&lines[to]) {
            continue;
        }
        let run = &lines[from..to];
        let two_sided = |line: &Line| line.place[0] < x && line.place[2] > x;
        // Lines on one side alone, above the first that has both, belong to the page.
        if let Some(lead) = run.iter().position(two_sided) {
            let run = &run[lead..];
            let left = run.iter().filter(|line| line.place[0] < x).count();
            let right = run.iter().filter(|line| line.place[2] > x).count();
            if left.min(right) >= FEWEST {
                found.push(Strip {
                    x,
                    from: from + lead,
                    to,
                    sided: left.min(right),
                });
            }
        }
        from = to + 1;
    }
    found
}

fn are_columns(within: &[Line], left: &[Line], right: &[Line], x: f32) -> bool {
    if are_tables(within, x) {
        return true;
    }
    // Most lines that have both sides are rows of three cells and more: a table, whatever its last column says.
    let both: Vec<&Line> = within
        .iter()
        .filter(|line| line.place[0] < x && line.place[2] > x)
        .collect();
    let rows = both.iter().filter(|line| line.cells().len() >= 3).count();
    if rows * 5 > both.len() * 2 {
        return false;
    }
    let first = right.iter().map(|line| line.place[0]).fold(1.0, f32::min);
    let aligned = right
        .iter()
        .filter(|line| line.place[0] - first < 0.06)
        .count();
    if aligned * 10 < right.len() * 6 {
        return false;
    }
    // A pair of labels and values on each line is read line by line just as well.
    let single = |side: &[Line]| side.iter().filter(|line| line.cells().len() == 1).count();
    if single(left) * 2 < left.len() || single(right) * 2 < right.len() {
        return false;
    }
    let headings = |side: &[Line]| side.iter().filter(|line| is_heading(line)).count();
    let in_table = within.iter().any(|line| is_heading_row(line, x));
    if headings(right) >= 1 && headings(left) >= 1 && !in_table {
        return true;
    }
    let prose = |side: &[Line]| {
        let wraps = |line: &&Line| {
            line.words.len() >= 4 && line.words[0].text.starts_with(char::is_lowercase)
        };
        side.iter().filter(wraps).count() >= 2
    };
    if prose(left) && prose(right) {
        return true;
    }
    // Rows of a table stand at one height; two columns do so by chance.
    let lonely = |side: &[Line], other: &[Line]| {
        let has_mate = |line: &&Line| {
            let near = line.height() * 0.25;
            other
                .iter()
                .any(|mate| (mate.place[3] - line.place[3]).abs() < near)
        };
        side.iter().filter(|line| !has_mate(line)).count()
    };
    let (on_left, on_right) = (lonely(left, right), lonely(right, left));
    on_left * 10 >= left.len() * 3
        && on_right * 10 >= right.len() * 3
        && on_left >= 2
        && on_right >= 2
        && left.len() <= right.len() * 3
        && right.len() <= left.len() * 3
}

/// Two tables side by side: on most lines a name and a number stand left of the strip, and again right of it.
fn are_tables(within: &[Line], x: f32) -> bool {
    let has_number = |words: &[Word]| {
        words.iter().any(|word| {
            word.text
                .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '<' | '>'))
        })
    };
    let is_named = |words: &[Word]| {
        let texts: Vec<&str> = words
            .iter()
            .map(|word| word.text.trim_matches(|c: char| !c.is_alphanumeric()))
            .take(4)
            .collect();
        (1..=texts.len()).any(|count| dictionary::analyte(&texts[..count].join(" ")).is_some())
    };
    let sides = within.iter().map(|line| {
        let at = line.words.partition_point(|word| word.place[0] < x);
        line.words.split_at(at)
    });
    let both: Vec<_> = sides
        .filter(|(left, right)| !left.is_empty() && !right.is_empty())
        .collect();
    let twice = both
        .iter()
        .filter(|(left, right)| {
            is_named(left) && has_number(left) && is_named(right) && has_number(right)
        })
        .count();
    twice >= 3 && twice * 2 > both.len()
}

fn is_heading(line: &Line) -> bool {
    let text = line.text();
    let text = text.trim_end_matches(':');
    line.words.len() <= 5 && line.cells().len() == 1 && sections::named(text).is_some()
}

// "Test  Result" over a table: what stands on the right is the head of a column and no section.
fn is_heading_row(line: &Line, x: f32) -> bool {
    let right: Vec<Word> = line
        .words
        .iter()
        .filter(|word| word.place[0] > x)
        .cloned()
        .collect();
    let right = text(&right).to_lowercase();
    matches!(
        right.trim(),
        "result"
            | "results"
            | "value"
            | "dose"
            | "directions"
            | "reaction"
            | "details"
            | "frequency"
            | "instructions"
            | "date"
    )
}

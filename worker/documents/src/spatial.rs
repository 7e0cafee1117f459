//! Where does it say so? Words become lines by the height they stand at, lines become rows of cells by the gaps in
//! them, neighbours become blocks, and what has a label becomes a pair.

use serde_json::{Value, json};

use super::model::{Block, Box4, Page, Word, around};
use super::{Stage, Trouble};

/// Cells of a row are this many times the height of a line apart. A space is a third of one.
const CELL_GAP: f32 = 1.2;
/// Lines of one block are no further apart than this many heights.
const BLOCK_GAP: f32 = 1.1;

pub(super) async fn run(stage: &Stage<'_>) -> Result<(), Trouble> {
    #[derive(serde::Deserialize)]
    struct Content {
        pages: Vec<Page>,
    }
    let content: Content = stage
        .context
        .rpc
        .document_content(stage.document.id, &["pages", "words"])
        .await?;
    let blocks: Vec<Block> = content.pages.iter().flat_map(blocks).collect();
    let kept = json!({ "blocks": blocks.len() });
    stage.finish(&json!({ "blocks": blocks }), &kept).await
}

struct Line {
    words: Vec<Word>,
    place: Box4,
}

impl Line {
    fn height(&self) -> f32 {
        let mut heights: Vec<f32> = self
            .words
            .iter()
            .map(|word| word.place[3] - word.place[1])
            .collect();
        heights.sort_by(f32::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(0.01)
    }

    fn text(&self) -> String {
        text(&self.words)
    }
}

fn text(words: &[Word]) -> String {
    words
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Everything that geometry says of a page.
pub(super) fn blocks(page: &Page) -> Vec<Block> {
    let lines = lines(page);
    let aspect = page.height / page.width;
    let mut found = Vec::new();
    for line in &lines {
        let block = |kind: &str, text: String, content: Value, place: Box4| Block {
            kind: kind.to_owned(),
            page: page.number,
            text,
            content,
            place,
        };
        let cells = cells(line, aspect);
        found.push(block("line", line.text(), Value::Null, line.place));
        for cell in &cells {
            let (text, place) = (text(cell), around(cell.iter().map(|word| word.place)));
            if let Some((key, value)) = pair(&text) {
                found.push(block(
                    "pair",
                    text.clone(),
                    json!({ "key": key, "value": value }),
                    place,
                ));
            }
        }
        if cells.len() >= 3 {
            let cells: Vec<Value> = cells.iter().map(|cell| json!({ "text": text(cell), "box": around(cell.iter().map(|word| word.place)) })).collect();
            found.push(block(
                "row",
                line.text(),
                json!({ "cells": cells }),
                line.place,
            ));
        }
    }
    found.extend(paragraphs(page.number, &lines));
    found
}

// What the reader says is a line may be half of one: only places count.
fn lines(page: &Page) -> Vec<Line> {
    let tilt = tilt(page);
    let middle = |word: &Word| {
        (word.place[1] + word.place[3]) / 2.0 - tilt * (word.place[0] + word.place[2]) / 2.0
    };
    let mut words: Vec<Word> = page.words.clone();
    words.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let mut lines: Vec<(f32, Vec<Word>)> = Vec::new();
    for word in words {
        let (at, height) = (middle(&word), word.place[3] - word.place[1]);
        match lines.last_mut() {
            Some((mean, members)) if (at - *mean).abs() < height.max(0.006) * 0.6 => {
                *mean += (at - *mean) / (members.len() + 1) as f32;
                members.push(word);
            }
            _ => lines.push((at, vec![word])),
        }
    }
    lines
        .into_iter()
        .map(|(_, mut words)| {
            words.sort_by(|a, b| a.place[0].total_cmp(&b.place[0]));
            let place = around(words.iter().map(|word| word.place));
            Line { words, place }
        })
        .collect()
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
    slopes
        .get(slopes.len() / 2)
        .copied()
        .filter(|slope| slope.abs() < 0.1)
        .unwrap_or(0.0)
}

fn cells(line: &Line, aspect: f32) -> Vec<Vec<Word>> {
    // Heights are fractions of the page's height, gaps of its width.
    let gap = line.height() * aspect * CELL_GAP;
    let mut cells: Vec<Vec<Word>> = Vec::new();
    for word in &line.words {
        match cells.last_mut() {
            Some(cell)
                if cell
                    .last()
                    .is_some_and(|last| word.place[0] - last.place[2] < gap) =>
            {
                cell.push(word.clone())
            }
            _ => cells.push(vec![word.clone()]),
        }
    }
    cells
}

fn pair(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let (key, value) = (key.trim(), value.trim());
    let is_label = !key.is_empty()
        && key.len() <= 40
        && key.split_whitespace().count() <= 4
        && key.chars().any(char::is_alphabetic);
    (is_label && !value.is_empty()).then_some((key, value))
}

fn paragraphs(page: u32, lines: &[Line]) -> Vec<Block> {
    let mut groups: Vec<Vec<&Line>> = Vec::new();
    for line in lines {
        let joins = groups
            .last()
            .and_then(|group| group.last())
            .is_some_and(|above| {
                let gap = line.place[1] - above.place[3];
                gap < above.height() * BLOCK_GAP && (line.place[0] - above.place[0]).abs() < 0.05
            });
        match groups.last_mut() {
            Some(group) if joins => group.push(line),
            _ => groups.push(vec![line]),
        }
    }
    let block = |group: &Vec<&Line>| Block {
        kind: "block".to_owned(),
        page,
        text: group
            .iter()
            .map(|line| line.text())
            .collect::<Vec<_>>()
            .join("\n"),
        content: Value::Null,
        place: around(group.iter().map(|line| line.place)),
    };
    groups.iter().map(block).collect()
}

#[cfg(test)]
mod tests;

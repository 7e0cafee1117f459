//! Lines, cells and paragraphs as rows that are kept: what the console draws and what a model is given.

use serde_json::{Value, json};

use super::{Line, lines, text};
use crate::model::{Block, Box4, Page, around};

/// Lines of one block are no further apart than this many heights.
const BLOCK_GAP: f32 = 1.1;

/// Everything that geometry says of a page.
pub fn blocks(page: &Page) -> Vec<Block> {
    let lines = lines(page);
    let mut found = Vec::new();
    for line in &lines {
        let block = |kind: &str, text: String, content: Value, place: Box4| Block {
            kind: kind.to_owned(),
            page: page.number,
            text,
            content,
            place,
        };
        let cells = line.cells();
        found.push(block("line", line.text(), Value::Null, line.place));
        for cell in &cells {
            let text = text(&line.words[cell.words.clone()]);
            if let Some((key, value)) = pair(&text) {
                let content = json!({ "key": key, "value": value });
                found.push(block("pair", text.clone(), content, cell.place));
            }
        }
        if cells.len() >= 3 {
            let cells: Vec<Value> = cells
                .iter()
                .map(|cell| json!({ "text": text(&line.words[cell.words.clone()]), "box": cell.place }))
                .collect();
            let content = json!({ "cells": cells });
            found.push(block("row", line.text(), content, line.place));
        }
    }
    found.extend(paragraphs(page.number, &lines));
    found
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
        let above = groups.last().and_then(|group| group.last());
        let joins = above.is_some_and(|above| {
            let gap = line.place[1] - above.place[3];
            line.stretch == above.stretch
                && gap < above.height() * BLOCK_GAP
                && (line.place[0] - above.place[0]).abs() < 0.05
        });
        match groups.last_mut() {
            Some(group) if joins => group.push(line),
            _ => groups.push(vec![line]),
        }
    }
    let block = |group: &Vec<&Line>| {
        let texts: Vec<String> = group.iter().map(|line| line.text()).collect();
        Block {
            kind: "block".to_owned(),
            page,
            text: texts.join("\n"),
            content: Value::Null,
            place: around(group.iter().map(|line| line.place)),
        }
    };
    groups.iter().map(block).collect()
}

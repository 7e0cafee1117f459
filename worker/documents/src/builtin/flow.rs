//! A page as running text that still knows where each part of it stands.

use crate::model::{Block, Box4, around};

pub(super) struct Flow<'a> {
    pub(super) page: u32,
    /// The lines from top to bottom, a line feed after each.
    pub(super) text: String,
    lines: Vec<(usize, &'a Block)>,
}

/// One flow a page, from the lines that geometry found.
pub(super) fn flows(blocks: &[Block]) -> Vec<Flow<'_>> {
    let mut flows: Vec<Flow<'_>> = Vec::new();
    for block in blocks.iter().filter(|block| block.kind == "line") {
        if flows.last().is_none_or(|flow| flow.page != block.page) {
            flows.push(Flow {
                page: block.page,
                text: String::new(),
                lines: Vec::new(),
            });
        }
        if let Some(flow) = flows.last_mut() {
            flow.lines.push((flow.text.len(), block));
            flow.text.push_str(&block.text);
            flow.text.push('\n');
        }
    }
    flows
}

impl Flow<'_> {
    /// Where a part of the text stands: around the lines that it touches.
    pub(super) fn place(&self, from: usize, to: usize) -> Box4 {
        let touched = self.lines.iter().enumerate().filter(|(at, (start, _))| {
            let end = self
                .lines
                .get(at + 1)
                .map_or(self.text.len(), |(next, _)| *next);
            *start < to && end > from
        });
        around(touched.map(|(_, (_, block))| block.place))
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = (&str, Box4)> {
        self.lines
            .iter()
            .map(|(_, block)| (block.text.as_str(), block.place))
    }
}

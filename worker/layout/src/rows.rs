//! Rows of tables and of labels: put together where a cell goes on below, parted where labels share a line.

use crate::geometry::{self, Line};
use crate::sections;

/// A cell whose text goes on in the next line is one cell.
pub(crate) fn rows(lines: Vec<Line>) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for line in lines {
        if let Some(above) = found.last_mut()
            && let Some(words) = wrapped(above, &line)
        {
            above.place = crate::model::around([above.place, line.place]);
            above.words = words;
            continue;
        }
        found.push(line);
    }
    found
}

fn wrapped(above: &Line, line: &Line) -> Option<Vec<crate::model::Word>> {
    let (cells, below) = (above.cells(), line.cells());
    if cells.len() < 3 || below.len() >= cells.len() || above.stretch != line.stretch {
        return None;
    }
    let last = above
        .words
        .iter()
        .map(|word| word.place[3])
        .fold(0.0, f32::max);
    let gap = (line.place[3] - last) / above.height().max(0.004);
    let goes_on = |cell: &geometry::Cell| {
        let first = line.words[cell.words.start].text.as_str();
        first.starts_with(char::is_lowercase) || first.starts_with('(')
    };
    let mate = |cell: &geometry::Cell| {
        cells
            .iter()
            .position(|own| (own.place[0] - cell.place[0]).abs() < 0.012)
    };
    if !(0.5..2.6).contains(&gap)
        || !below
            .iter()
            .all(|cell| goes_on(cell) && mate(cell).is_some())
    {
        return None;
    }
    let mut words = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        words.extend_from_slice(&above.words[cell.words.clone()]);
        for more in below.iter().filter(|more| mate(more) == Some(at)) {
            words.extend_from_slice(&line.words[more.words.clone()]);
        }
    }
    Some(words)
}

/// Labels with values that share a line are lines of their own.
pub(crate) fn split(line: &Line) -> Vec<Line> {
    let cells = line.cells();
    let labelled = |cell: &geometry::Cell| {
        let text = geometry::text(&line.words[cell.words.clone()]);
        text.split_once(':').is_some_and(|(key, value)| {
            sections::is_section_label(key) && value.chars().any(char::is_alphanumeric)
        })
    };
    if cells.len() < 2
        || !cells.iter().any(labelled)
        || !cells
            .iter()
            .skip(1)
            .all(|cell| geometry::text(&line.words[cell.words.clone()]).contains(':'))
    {
        return vec![line.clone()];
    }
    let part = |cell: &geometry::Cell| Line {
        words: line.words[cell.words.clone()].to_vec(),
        place: cell.place,
        ..line.clone()
    };
    cells.iter().map(part).collect()
}

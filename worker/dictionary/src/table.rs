//! Reads the text files of `data/`.

/// A line's columns, which are separated by tabs. A line that begins with `#` is a comment.
pub(crate) fn rows(text: &'static str) -> impl Iterator<Item = Row> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(Row)
}

/// One record.
#[derive(Clone, Copy)]
pub(crate) struct Row(&'static str);

impl Row {
    /// A column by its place, empty where the line has none.
    pub(crate) fn column(self, at: usize) -> &'static str {
        self.0.split('\t').nth(at).unwrap_or("")
    }

    /// A column, or None where it is empty.
    pub(crate) fn some(self, at: usize) -> Option<&'static str> {
        Some(self.column(at)).filter(|text| !text.is_empty())
    }

    /// The parts of a column, which are separated by semicolons.
    pub(crate) fn list(self, at: usize) -> impl Iterator<Item = &'static str> {
        self.column(at).split(';').filter(|part| !part.is_empty())
    }
}

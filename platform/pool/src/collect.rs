//! Puts the rows of a statement together, and notices when they become too much.

use std::collections::VecDeque;

use bytes::{BufMut, Bytes, BytesMut};

use gristmill_dialect::Layout;

use super::wire::Row;
use crate::limits::{Full, Share};
use gristmill_dialect::refusal::Refusal;

/// Answers are collected in pieces of this size, so that no piece is copied when the next one comes.
const PIECE: usize = 64 * 1024;

/// Answers up to here are not counted: their number is bounded by that of the connections.
const UNCOUNTED: usize = 16 * 1024;

/// What a row costs beyond its text: the message around it.
const ROW_OVERHEAD: usize = 64;

/// What is done when an answer becomes too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Excess {
    /// The query is cancelled: nothing it does is kept.
    Cancel,
    /// The rest is read and dropped: the query writes, and might have committed already when a cancel arrives.
    Drop,
}

/// The bounds of one answer.
pub(crate) struct Bounds {
    pub most: usize,
    pub share: Share,
    pub excess: Excess,
}

/// Why an answer is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    Answer,
    Memory(Full),
}

/// An answer under construction.
pub(super) struct Collector {
    layout: Layout,
    bounds: Bounds,
    pieces: VecDeque<Bytes>,
    last: BytesMut,
    length: usize,
    rows: i64,
    total: Option<i64>,
    too_much: Option<TooMuch>,
}

/// A body, and the memory it holds until it is sent.
#[derive(Default)]
pub struct Collected {
    pub pieces: VecDeque<Bytes>,
    pub length: usize,
    pub share: Option<Share>,
}

impl Collected {
    /// The first piece: all there is, of what one row has answered.
    pub fn first(&self) -> &[u8] {
        self.pieces.front().map_or(&[], |piece| piece)
    }
}

impl Collector {
    pub(super) fn new(layout: Layout, bounds: Bounds) -> Self {
        Self {
            layout,
            bounds,
            pieces: VecDeque::new(),
            last: BytesMut::new(),
            length: 0,
            rows: 0,
            total: None,
            too_much: None,
        }
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn excess(&self) -> Excess {
        self.bounds.excess
    }

    pub(super) fn too_much(&self) -> Option<TooMuch> {
        self.too_much
    }

    /// How large a row's message may be, so that it is worth reading.
    pub(super) fn room(&self) -> usize {
        let left = self.bounds.most.saturating_sub(self.length);
        left.saturating_add(ROW_OVERHEAD)
    }

    /// A row is larger than the room.
    pub(super) fn overflow(&mut self) {
        self.give_up(TooMuch::Answer);
    }

    fn give_up(&mut self, why: TooMuch) {
        self.too_much.get_or_insert(why);
        self.pieces.clear();
        self.last = BytesMut::new();
        self.bounds.share.shrink(usize::MAX);
    }

    /// Takes a row that was answered with. Once it is too much, rows are only counted.
    pub(super) fn take(&mut self, row: &Row) -> std::io::Result<()> {
        let [text, names, total] = row.first_three()?;
        if let Some(total) = total.and_then(number) {
            self.total = Some(total);
        }
        // Only a total came: there is no row.
        let Some(text) = text else {
            return Ok(());
        };
        self.rows += 1;
        if self.too_much.is_some() {
            return Ok(());
        }
        match self.layout {
            Layout::Whole | Layout::Count => {}
            Layout::First if self.rows > 1 => {}
            Layout::First => self.put(text),
            Layout::Array => {
                self.put(if self.rows == 1 { b"[" } else { b", \n " });
                self.put(text);
            }
            Layout::Csv => {
                if let Some(names) = names {
                    self.put(names);
                }
                self.put(b"\n");
                self.put(text);
            }
        }
        Ok(())
    }

    fn put(&mut self, mut bytes: &[u8]) {
        if self.too_much.is_some() {
            return;
        }
        let before = self.length;
        self.length += bytes.len();
        if self.length > self.bounds.most {
            self.give_up(TooMuch::Answer);
            return;
        }
        if self.length > UNCOUNTED {
            let uncounted = if before <= UNCOUNTED { before } else { 0 };
            self.count(uncounted + bytes.len());
            if self.too_much.is_some() {
                return;
            }
        }
        // A large row becomes a piece of its own.
        while !bytes.is_empty() {
            let free = PIECE.saturating_sub(self.last.len());
            if free == 0 {
                let full = std::mem::take(&mut self.last);
                self.pieces.push_back(full.freeze());
                continue;
            }
            let (fits, rest) = bytes.split_at(free.min(bytes.len()));
            self.last.put_slice(fits);
            bytes = rest;
        }
    }

    /// Takes memory for more of the answer. Where the query is not cancelled the memory is taken anyway:
    /// the function has run, and its answer should not be lost because others hold much.
    fn count(&mut self, bytes: usize) {
        let share = &mut self.bounds.share;
        match self.bounds.excess {
            Excess::Drop => share.grow_regardless(bytes),
            Excess::Cancel => {
                if let Err(full) = share.grow(bytes) {
                    self.give_up(TooMuch::Memory(full));
                }
            }
        }
    }

    /// The refusal to send, if there is one.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        Some(match self.too_much? {
            TooMuch::Answer => Refusal::AnswerTooLarge {
                most: self.bounds.most,
                committed: self.bounds.excess == Excess::Drop,
            },
            TooMuch::Memory(Full::Caller) => Refusal::CallerMemory,
            TooMuch::Memory(Full::Everybody) => Refusal::Memory,
        })
    }

    /// Ends the body, and says how many rows there were and the total if it was counted.
    pub(super) fn finish(mut self) -> (Collected, i64, Option<i64>) {
        match self.layout {
            Layout::Array if self.rows == 0 => self.put(b"[]"),
            Layout::Array => self.put(b"]"),
            Layout::First if self.rows == 0 => self.put(b"null"),
            Layout::Csv if self.rows == 0 => self.put(b"\n"),
            _ => {}
        }
        if !self.last.is_empty() {
            let last = std::mem::take(&mut self.last);
            self.pieces.push_back(last.freeze());
        }
        let collected = Collected {
            pieces: self.pieces,
            length: self.length,
            share: Some(self.bounds.share),
        };
        (collected, self.rows, self.total)
    }

    /// The one value of a statement that answers with one row.
    pub(super) fn finish_whole(mut self, body: Bytes) -> Collected {
        if body.len() > UNCOUNTED {
            self.bounds.share.grow_regardless(body.len());
        }
        Collected {
            length: body.len(),
            pieces: VecDeque::from([body]),
            share: Some(self.bounds.share),
        }
    }
}

fn number(bytes: &[u8]) -> Option<i64> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::wire::row_of;
    use super::*;
    use crate::limits::{Budget, Callers};

    fn collector(layout: Layout, most: usize, excess: Excess) -> Collector {
        let visit = Callers::new(1, 1).enter(Some("a")).unwrap();
        let share = Budget::of_answers(1 << 20, 1 << 19).share(&visit);
        let bounds = Bounds {
            most,
            share,
            excess,
        };
        Collector::new(layout, bounds)
    }

    fn collected(layout: Layout, rows: &[&[Option<&str>]]) -> (String, i64, Option<i64>) {
        let mut collector = collector(layout, 1 << 18, Excess::Cancel);
        for row in rows {
            collector.take(&row_of(row)).unwrap();
        }
        let (body, rows, total) = collector.finish();
        let bytes: Vec<u8> = body.pieces.iter().flatten().copied().collect();
        assert_eq!(bytes.len(), body.length);
        (String::from_utf8(bytes).unwrap(), rows, total)
    }

    #[test]
    fn rows_become_an_array_an_object_or_lines() {
        let rows: [&[Option<&str>]; 2] = [&[Some("1"), Some("n,m")], &[Some("2"), None]];
        let is = |text: &str, rows| (text.to_owned(), rows, None);
        assert_eq!(collected(Layout::Array, &rows), is("[1, \n 2]", 2));
        assert_eq!(collected(Layout::Array, &[]), is("[]", 0));
        assert_eq!(collected(Layout::First, &rows), is("1", 2));
        assert_eq!(collected(Layout::First, &[]), is("null", 0));
        assert_eq!(collected(Layout::Csv, &rows), is("n,m\n1\n2", 2));
        assert_eq!(collected(Layout::Csv, &[]), is("\n", 0));
        assert_eq!(collected(Layout::Count, &rows), is("", 2));
    }

    #[test]
    fn a_total_without_a_row_is_no_row() {
        let found = collected(Layout::Array, &[&[None, None, Some("7")]]);
        assert_eq!(found, ("[]".to_owned(), 0, Some(7)));
    }

    #[test]
    fn pieces_join_to_the_whole() {
        let long = "x".repeat(PIECE - 3);
        let row: &[Option<&str>] = &[Some(&long)];
        let (text, ..) = collected(Layout::Array, &[row, row, row]);
        assert_eq!(text, format!("[{long}, \n {long}, \n {long}]"));
    }

    #[test]
    fn past_the_bound_nothing_is_held_and_rows_are_still_counted() {
        for excess in [Excess::Cancel, Excess::Drop] {
            let mut collector = collector(Layout::Array, 100_000, excess);
            let long = "x".repeat(40_000);
            for _ in 0..5 {
                collector.take(&row_of(&[Some(&long)])).unwrap();
            }
            assert_eq!(collector.too_much(), Some(TooMuch::Answer));
            assert!(collector.pieces.is_empty() && collector.last.is_empty());
            assert_eq!(collector.rows, 5);
            let refusal = collector.refusal().unwrap();
            let kept = excess == Excess::Drop;
            assert!(
                matches!(refusal, Refusal::AnswerTooLarge { committed, .. } if committed == kept)
            );
        }
    }

    #[test]
    fn a_caller_that_holds_too_much_gets_no_more() {
        let visit = Callers::new(1, 1).enter(Some("a")).unwrap();
        let budget = Budget::of_answers(8 << 16, 1);
        let mut before = budget.share(&visit);
        before.grow(1 << 16).unwrap();
        let bounds = Bounds {
            most: 1 << 20,
            share: budget.share(&visit),
            excess: Excess::Cancel,
        };
        let mut collector = Collector::new(Layout::Array, bounds);
        let long = "x".repeat(UNCOUNTED);
        collector.take(&row_of(&[Some(&long)])).unwrap();
        let refusal = collector.refusal().unwrap();
        assert!(matches!(refusal, Refusal::CallerMemory));
    }
}

//! Takes out of a text what nobody sees and what makes typst slow: control characters, repeated invisible characters,
//! direction controls without a partner, and stacks of marks that no script has.
//!
//! A line of text ends where it is as wide as the column. Characters without a width never fill a line, so typst tries
//! every one of them as the end of every line: 340,000 soft hyphens in a row kept it busy for minutes. After this module
//! each visible character is followed by a bounded number of characters without a width.

use unicode_normalization::char::is_combining_mark;

/// The most characters without a width that stay after a visible one. Of the scripts that we know Tibetan stacks the
/// most (eight), the longest emoji sequences without a visible part in between are flags (seven). Unicode's Stream-Safe
/// Text Format (UAX #15, D4) allows 30.
pub(crate) const MOST_MARKS: usize = 16;

/// The most direction controls that may be open at once. Unicode allows 125; people nest two or three.
pub(crate) const DEEPEST_NESTING: usize = 8;

/// The most spaces, tabs or line breaks in a row. A paragraph ends at two line breaks; more of them show nothing.
pub(crate) const MOST_SPACES: usize = 64;

const SOFT_HYPHEN: char = '\u{ad}';
const POP: char = '\u{202c}';
const POP_ISOLATE: char = '\u{2069}';

/// The text without what nobody sees.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaner = Cleaner::new(text.len());
    for letter in text.chars() {
        cleaner.take(letter);
    }
    cleaner.end()
}

/// Whether a character is set on top of, inside or beside another without taking room of its own.
pub(crate) fn takes_no_room(letter: char) -> bool {
    is_combining_mark(letter) || is_joiner(letter) || letter == SOFT_HYPHEN || is_direction(letter)
}

// Joins, parts or selects: part of Arabic, Indic and emoji sequences.
fn is_joiner(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

fn is_direction(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

// Shows nothing and means nothing on paper. U+FFFC stands for an object that is not there, and typst uses it for its own.
fn is_dropped(letter: char) -> bool {
    (letter.is_control() && letter != '\n' && letter != '\t')
        || matches!(letter, '\u{2061}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fdd0}'..='\u{fdef}'
            | '\u{fff0}'..='\u{fffc}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e001f}'
            | '\u{e0080}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
        || u32::from(letter) & 0xfffe == 0xfffe
}

/// A direction control that waits for its end.
struct Open {
    is_isolate: bool,
    /// Where it stands in the text that was written; none when it was left out.
    at: Option<usize>,
}

struct Cleaner {
    out: String,
    last: Option<char>,
    marks: usize,
    spaces: usize,
    /// A soft hyphen counts only between two visible characters, so it waits for the second.
    hyphen: bool,
    open: Vec<Open>,
    /// Controls that were opened below the deepest level, and whose ends are left out with them.
    too_deep: usize,
}

impl Cleaner {
    fn new(bytes: usize) -> Self {
        Self {
            out: String::with_capacity(bytes),
            last: None,
            marks: 0,
            spaces: 0,
            hyphen: false,
            open: Vec::new(),
            too_deep: 0,
        }
    }

    fn take(&mut self, letter: char) {
        match letter {
            // Most letters of most texts: the shortest way.
            '!'..='~' => self.show(letter),
            _ if is_dropped(letter) => {}
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => self.direct(letter),
            SOFT_HYPHEN => self.hyphen = self.last.is_some_and(|last| !last.is_whitespace()),
            _ if letter.is_whitespace() => self.space(letter),
            _ if takes_no_room(letter) => self.mark(letter),
            _ => self.show(letter),
        }
    }

    fn show(&mut self, letter: char) {
        if std::mem::take(&mut self.hyphen) {
            self.out.push(SOFT_HYPHEN);
        }
        self.marks = 0;
        self.spaces = 0;
        self.push(letter);
    }

    fn space(&mut self, letter: char) {
        self.hyphen = false;
        if letter == '\n' {
            // A direction ends with its line.
            self.close_all();
        }
        self.spaces += 1;
        if self.spaces <= MOST_SPACES {
            self.marks = 0;
            self.push(letter);
        }
    }

    fn mark(&mut self, letter: char) {
        // The second of two equal joiners does nothing; two equal accents are two accents.
        let repeats = self.last == Some(letter) && !is_combining_mark(letter);
        self.marks += 1;
        if !repeats && self.marks <= MOST_MARKS {
            self.push(letter);
        }
    }

    fn direct(&mut self, letter: char) {
        match letter {
            POP => match self.open.last() {
                _ if self.too_deep > 0 => self.too_deep -= 1,
                Some(open) if !open.is_isolate => self.close(POP),
                _ => {}
            },
            POP_ISOLATE if self.too_deep > 0 => self.too_deep -= 1,
            POP_ISOLATE => {
                if self.open.iter().any(|open| open.is_isolate) {
                    // An isolate's end also ends what was opened inside it.
                    while self.open.last().is_some_and(|open| !open.is_isolate) {
                        self.close(POP);
                    }
                    self.close(POP_ISOLATE);
                }
            }
            _ if self.open.len() >= DEEPEST_NESTING => self.too_deep += 1,
            _ => {
                // An override shows letters in another order than they are copied and searched in: it is left out.
                let is_override = matches!(letter, '\u{202d}' | '\u{202e}');
                self.open.push(Open {
                    is_isolate: letter >= '\u{2066}',
                    at: (!is_override).then_some(self.out.len()),
                });
                if !is_override {
                    self.out.push(letter);
                }
            }
        }
    }

    fn close(&mut self, with: char) {
        let Some(at) = self.open.pop().and_then(|open| open.at) else {
            return;
        };
        // All controls have three bytes. What holds nothing goes with its end.
        if self.out.len() == at + POP.len_utf8() {
            self.out.truncate(at);
        } else {
            self.out.push(with);
        }
    }

    fn close_all(&mut self) {
        self.too_deep = 0;
        while let Some(open) = self.open.last() {
            self.close(if open.is_isolate { POP_ISOLATE } else { POP });
        }
    }

    fn push(&mut self, letter: char) {
        self.last = Some(letter);
        self.out.push(letter);
    }

    fn end(mut self) -> String {
        self.close_all();
        self.out
    }
}

#[cfg(test)]
mod tests;

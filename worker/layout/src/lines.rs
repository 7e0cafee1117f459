//! Lines become items: headings, rows of tables, entries of lists and paragraphs, each with the section that it stands in.

use std::sync::LazyLock;

use gristmill_dictionary::{self as dictionary, Section};
use regex::Regex;

use crate::geometry::{self, Line};
use crate::model::{Decision, Page};
use crate::passage::Passage;
use crate::pattern;
use crate::rows::{rows, split};
use crate::sections::{self, Around, Head};

/// What a heading says of what stands below it.
#[derive(Debug, Clone)]
pub struct Under {
    /// What the text is about.
    pub section: Section,
    /// The story of a stay: what was given there is not taken now.
    pub is_course: bool,
    /// The heading itself.
    pub heading: Decision,
}

/// A piece of the document that is read as one.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its text, with the place of each word.
    pub passage: Passage,
    /// Where its cells begin and end in the passage; of one-line items alone.
    pub cells: Vec<(usize, usize)>,
    /// Behind a heading on the same line.
    pub body: usize,
    /// The heading that it stands under.
    pub under: Option<Under>,
    /// Whether it is a heading and nothing else.
    pub is_heading: bool,
    /// The left edge.
    pub left: f32,
    /// How far it is below what is above, in the usual distance of lines; large at the top of a page.
    pub gap: f32,
    /// As in lines.
    pub stretch: (u32, u32),
}

impl Item {
    /// What its heading says that it is about.
    pub fn section(&self) -> Section {
        self.under
            .as_ref()
            .map_or(Section::Other, |under| under.section)
    }

    /// Whether it tells the story of a stay.
    pub fn is_course(&self) -> bool {
        self.under.as_ref().is_some_and(|under| under.is_course)
    }

    /// The heading that it stands under.
    pub fn heading(&self) -> Option<Decision> {
        self.under.as_ref().map(|under| under.heading.clone())
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.passage.text
    }
}

/// The items of all pages.
pub fn items(pages: &[Page]) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    let mut under: Option<Under> = None;
    for page in pages {
        let lines: Vec<Line> = rows(geometry::lines(page)).iter().flat_map(split).collect();
        let (usual, pitch) = (usual_height(&lines), usual_pitch(&lines));
        let is_exact = page.words.iter().all(|word| word.confidence.is_none());
        let mut group = Group::default();
        for (at, line) in lines.iter().enumerate() {
            let above = at.checked_sub(1).map(|above| &lines[above]);
            let gap = above.map_or(9.0, |above| gap_between(above, line, pitch));
            let below = lines.get(at + 1);
            let around = Around {
                usual,
                is_exact,
                above: gap,
                below: below.map_or(9.0, |below| gap_between(line, below, pitch)),
                goes_on: below.is_some_and(|below| below.text().starts_with(char::is_lowercase)),
            };
            let head = sections::head(line, &around);
            if let Some(above) = above
                && head.is_none()
                && !group.lines.is_empty()
                && goes_on(above, line, gap, under.as_ref())
            {
                group.lines.push(line.clone());
                continue;
            }
            flush(&mut group, &mut under, &mut found);
            if head.is_none() && gap > 1.9 && is_inline(&found) {
                under = None;
            }
            group.gap = gap;
            match head {
                Some(head) => headed(line, head, &mut group, &mut under, &mut found),
                None => group.lines.push(line.clone()),
            }
        }
        flush(&mut group, &mut under, &mut found);
    }
    found
}

/// Lines that may become one item.
#[derive(Default)]
struct Group {
    lines: Vec<Line>,
    gap: f32,
    /// Where the text behind a heading on the first line begins.
    body: usize,
}

// The section of the last item came from a heading on its own line.
fn is_inline(found: &[Item]) -> bool {
    found.last().is_some_and(|item| item.body > 0)
}

fn headed(
    line: &Line,
    head: Head,
    group: &mut Group,
    under: &mut Option<Under>,
    found: &mut Vec<Item>,
) {
    let passage = Passage::of(line.page, &line.words);
    let has_body = passage.text[head.to..].chars().any(char::is_alphanumeric);
    *under = Some(Under {
        section: head.section,
        is_course: head.is_course,
        heading: passage.decision(0, head.to),
    });
    if has_body {
        // What follows in the next line may belong to it.
        (group.lines, group.body) = (vec![line.clone()], head.to);
    } else {
        let mut item = item(std::slice::from_ref(line), under, group.gap);
        item.is_heading = true;
        found.push(item);
    }
}

fn flush(group: &mut Group, under: &mut Option<Under>, found: &mut Vec<Item>) {
    if group.lines.is_empty() {
        return;
    }
    let mut item = item(&group.lines, under, group.gap);
    item.body = group.body;
    *group = Group::default();
    found.extend(parts(item));
    if let Some(last) = found.last().filter(|last| last.body > 0) {
        under.clone_from(&last.under);
    }
}

/// "PMH: asthma. FH: stroke (mother). Allergies: latex." in one paragraph: each label begins a part of its own.
fn parts(item: Item) -> Vec<Item> {
    let text = item.text();
    let mut starts: Vec<(usize, usize, Section, bool)> = Vec::new();
    for (colon, _) in text.match_indices(": ") {
        let begin = text[..colon].rfind(['.', ';', '|']).map_or(0, |at| at + 1);
        let label = text[begin..colon].trim();
        let from = colon - label.len();
        if begin > 0
            && label.split(' ').count() <= 4
            && let Some((section, is_course)) = sections::named(label)
        {
            starts.push((from, colon + 1, section, is_course));
        }
    }
    if starts.is_empty() || item.cells.len() > 1 {
        return vec![item];
    }
    let mut found = Vec::new();
    let first = starts[0].0;
    if first > item.body {
        found.push(Item {
            passage: item.passage.slice(0, first),
            cells: Vec::new(),
            ..item.clone()
        });
    }
    for (at, (from, to, section, is_course)) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(text.len(), |next| next.0);
        let under = Under {
            section: *section,
            is_course: *is_course,
            heading: item.passage.decision(*from, *to),
        };
        found.push(Item {
            passage: item.passage.slice(*from, end),
            cells: Vec::new(),
            body: to - from,
            under: Some(under),
            ..item.clone()
        });
    }
    found
}

fn item(lines: &[Line], under: &Option<Under>, gap: f32) -> Item {
    let passage = Passage::of_lines(lines);
    let mut cells = Vec::new();
    if let [line] = lines {
        for cell in line.cells() {
            let width = |range: std::ops::Range<usize>| {
                Passage::of(line.page, &line.words[range]).text.len()
            };
            let from = width(0..cell.words.start) + usize::from(cell.words.start > 0);
            cells.push((from, width(0..cell.words.end)));
        }
    }
    let first = &lines[0];
    Item {
        passage,
        cells,
        body: 0,
        under: under.clone(),
        is_heading: false,
        left: first.place[0],
        gap,
        stretch: (first.page, first.stretch),
    }
}

fn usual_height(lines: &[Line]) -> f32 {
    let mut heights: Vec<f32> = lines.iter().map(Line::height).collect();
    heights.sort_by(f32::total_cmp);
    heights.get(heights.len() / 2).copied().unwrap_or(0.01)
}

/// How far a line is below another, in the page's usual distance of lines: 1 within a paragraph.
fn gap_between(above: &Line, line: &Line, pitch: f32) -> f32 {
    if above.stretch != line.stretch || line.place[1] < above.place[1] - 0.002 {
        return 9.0;
    }
    (line.place[3] - above.place[3]) / pitch
}

/// The distance of lines within paragraphs: of all distances one of the small ones.
fn usual_pitch(lines: &[Line]) -> f32 {
    let mut pitches: Vec<f32> = lines
        .windows(2)
        .filter(|pair| pair[0].stretch == pair[1].stretch)
        .map(|pair| pair[1].place[3] - pair[0].place[3])
        .filter(|pitch| *pitch > 0.004)
        .collect();
    pitches.sort_by(f32::total_cmp);
    pitches.get(pitches.len() / 4).copied().unwrap_or(0.02)
}

/// A list's mark at the start of a line.
pub fn is_marked(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("");
    let number = first.trim_end_matches(['.', ')']);
    let is_number = number.len() < first.len()
        && number.len() <= 2
        && number.chars().all(|c| c.is_ascii_digit())
        && !number.is_empty();
    is_number
        || matches!(
            first,
            "-" | "\u{2022}"
                | "*"
                | "\u{2013}"
                | "\u{b7}"
                | "o"
                | ">"
                | "\u{25cf}"
                | "\u{25aa}"
                | "+"
                | "e"
                | "[ ]"
                | "["
                | "\u{25a1}"
                | "#"
        )
        || first.starts_with(['\u{2022}', '\u{25cf}', '\u{b7}'])
}

/// A name that a line's end has cut: "chronic kidney" and "disease".
fn completes(before: &str, text: &str) -> bool {
    let clean = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let before: Vec<String> = before.split_whitespace().map(clean).collect();
    let after: Vec<String> = text.split_whitespace().take(3).map(clean).collect();
    (1..=4.min(before.len())).any(|count| {
        let words: Vec<&str> = before[before.len() - count..]
            .iter()
            .chain(&after)
            .map(String::as_str)
            .collect();
        let longest = [
            dictionary::condition(&words).map(|found| found.0),
            dictionary::drug(&words).map(|found| found.0),
            dictionary::procedure(&words).map(|found| found.0),
            dictionary::vaccine(&words).map(|found| found.0),
            dictionary::frequency(&words).map(|found| found.0),
        ];
        longest.into_iter().flatten().any(|used| used > count)
    })
}

static STRENGTH: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\d\s?(?:mg|mcg|g|units?|puffs?|ml|sprays?|drops?)\b"));

/// Whether a line is the rest of what the line above has begun.
fn goes_on(above: &Line, line: &Line, gap: f32, under: Option<&Under>) -> bool {
    let (before, text) = (above.text(), line.text());
    if gap > 1.4 || above.stretch != line.stretch || is_marked(&text) {
        return false;
    }
    if above.cells().len() >= 2 || line.cells().len() >= 2 {
        return false;
    }
    let first = line.words.first().map_or("", |word| word.text.as_str());
    let width = line
        .words
        .first()
        .map_or(0.0, |word| word.place[2] - word.place[0]);
    let is_lower = first.starts_with(char::is_lowercase);
    let shifts = line.place[0] - above.place[0];
    if shifts < -0.03 && !is_lower {
        return false;
    }
    let ends = before.trim_end().ends_with(['.', ';', '!']);
    let is_open = before.trim_end().ends_with([',', '-', '/', '(']) || {
        let last = before
            .split_whitespace()
            .next_back()
            .unwrap_or("")
            .to_lowercase();
        matches!(
            last.as_str(),
            "of" | "the"
                | "and"
                | "or"
                | "with"
                | "for"
                | "a"
                | "an"
                | "to"
                | "in"
                | "no"
                | "was"
                | "is"
                | "by"
                | "from"
                | "at"
                | "on"
        )
    };
    if is_open {
        return true;
    }
    // "Metformin 500 mg" with a capital begins a line of its own, whatever stands above.
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins_anew = !is_lower
        && dictionary::drug(&words).is_some_and(|(used, _)| {
            words
                .get(used)
                .is_some_and(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))
        });
    if begins_anew {
        return false;
    }
    let wrapped = above.place[2] + width + 0.006 > above.margin - 0.01 && above.words.len() >= 5;
    // "Trimethoprim-sulfamethoxazole" and, in the next line, its dose.
    let is_of_medicines = under.is_some_and(|under| sections::is_medication(under.section));
    if is_of_medicines
        && !ends
        && first.starts_with(|c: char| c.is_ascii_digit())
        && STRENGTH.is_match(&text)
    {
        return true;
    }
    // Each entry of a list of medicines has a strength of its own.
    if is_of_medicines
        && STRENGTH.is_match(&before)
        && STRENGTH.is_match(&text)
        && text.starts_with(char::is_alphabetic)
    {
        return false;
    }
    if is_lower && !ends && completes(&before, &text) {
        return true;
    }
    let is_listed = sections::is_list(under.map(|under| under.section));
    if is_listed
        && shifts < 0.008
        && (!wrapped
            || sections::names_something(&text.split_whitespace().take(4).collect::<Vec<_>>()))
    {
        return false;
    }
    if is_lower && !ends {
        return wrapped
            || shifts.abs() < 0.04 && !sections::is_list(under.map(|under| under.section));
    }
    let is_list = sections::is_list(under.map(|under| under.section));
    let begins_anew =
        sections::names_something(&text.split_whitespace().take(3).collect::<Vec<_>>());
    wrapped
        && above.words.len() >= 7
        && above.place[2] - above.place[0] > 0.25
        && (!is_list || shifts > 0.01)
        && !(begins_anew && ends)
}

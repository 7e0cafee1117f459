//! The ConText algorithm (Harkema, Dowling, Thornblade, Chapman 2009, after NegEx): words that deny, doubt, or speak of
//! the past, of plans or of relatives reach forward or backward, to the end of the sentence or to a word that ends their
//! scope. A pseudo-trigger looks like one and says nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

use gristmill_dictionary::{self as dictionary, Context, Direction};
use regex::Regex;

use crate::model::{Certainty, Decision, Status};
use crate::passage::Passage;
use crate::pattern;

/// What the words around a mention say of it.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    pub(crate) status: Status,
    pub(crate) certainty: Certainty,
    pub(crate) by: Option<Decision>,
    /// Said under a condition: "return if you have fever". It is no fact.
    pub(crate) is_hypothetical: bool,
}

impl Judged {
    pub(crate) fn plain() -> Self {
        Self {
            status: Status::Current,
            certainty: Certainty::Certain,
            by: None,
            is_hypothetical: false,
        }
    }
}

struct Known {
    words: Vec<String>,
    context: Context,
    direction: Direction,
}

/// By their first word, longest first.
static TRIGGERS: LazyLock<HashMap<String, Vec<Known>>> = LazyLock::new(|| {
    let mut found: HashMap<String, Vec<Known>> = HashMap::new();
    for trigger in dictionary::triggers() {
        let words: Vec<String> = trigger
            .words
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        if let Some(first) = words.first() {
            found.entry(first.clone()).or_default().push(Known {
                words: words.clone(),
                context: trigger.context,
                direction: trigger.direction,
            });
        }
    }
    for known in found.values_mut() {
        known.sort_by_key(|known| std::cmp::Reverse(known.words.len()));
    }
    found
});

/// A trigger in a sentence: its tokens, and how far it reaches.
struct Hit {
    from: usize,
    to: usize,
    context: Context,
    direction: Direction,
}

/// The tokens of the sentence around a place of a passage.
pub(crate) fn sentence(passage: &Passage, at: usize) -> std::ops::Range<usize> {
    let mut from = 0;
    for (index, (start, _)) in passage.tokens.iter().enumerate() {
        if index > 0 && ends_between(passage, index - 1) {
            if *start > at {
                return from..index;
            }
            from = index;
        }
    }
    from..passage.tokens.len()
}

/// Whether a sentence ends behind this token.
pub(crate) fn ends_between(passage: &Passage, at: usize) -> bool {
    let (Some((_, end)), Some((next, _))) = (passage.tokens.get(at), passage.tokens.get(at + 1))
    else {
        return true;
    };
    let between = &passage.text[*end..*next];
    if between.contains([';', '!', '\u{2022}']) && between.contains(' ') {
        return true;
    }
    let token = passage.token(at);
    if between.contains('?') && !between.starts_with(' ') {
        return true;
    }
    if !between.contains('.') {
        return false;
    }
    let short = matches!(
        token.to_lowercase().as_str(),
        "dr" | "mr"
            | "mrs"
            | "ms"
            | "prof"
            | "st"
            | "no"
            | "vs"
            | "e.g"
            | "i.e"
            | "approx"
            | "hx"
            | "pt"
            | "fam"
    );
    let next_text = passage.token(at + 1);
    !short && between.contains(' ') && !next_text.starts_with(char::is_lowercase)
        || between.contains(' ') && token.len() > 3 && !short
}

fn hits(passage: &Passage, range: std::ops::Range<usize>) -> Vec<Hit> {
    let mut found: Vec<Hit> = Vec::new();
    for at in range.clone() {
        let first = passage.token(at).to_lowercase().replace('\u{2019}', "'");
        let stands = |known: &&Known| {
            let end = at + known.words.len();
            end <= range.end
                && known
                    .words
                    .iter()
                    .zip(at..end)
                    .skip(1)
                    .all(|(word, own)| passage.token(own).eq_ignore_ascii_case(word))
        };
        let known: Vec<&Known> = TRIGGERS
            .get(&first)
            .into_iter()
            .flatten()
            .filter(stands)
            .collect();
        let longest = known.first().map_or(0, |known| known.words.len());
        // Within a longer trigger a shorter one says nothing; two that overlap in part both speak: "was negative for". One that reaches both
        // ways may stand in the list twice.
        let reached = found.iter().map(|hit| hit.to).max().unwrap_or(0);
        for known in known
            .into_iter()
            .filter(|known| known.words.len() == longest && at + longest > reached)
        {
            found.push(Hit {
                from: at,
                to: at + known.words.len(),
                context: known.context,
                direction: known.direction,
            });
        }
    }
    found
}

/// How far a trigger reaches, in tokens.
fn scope(
    passage: &Passage,
    hit: &Hit,
    all: &[Hit],
    range: &std::ops::Range<usize>,
) -> std::ops::Range<usize> {
    let ends = |other: &&Hit| {
        matches!(other.direction, Direction::Terminate)
            || matches!(other.context, Context::Terminate)
    };
    let is_same = |other: &&Hit| {
        std::mem::discriminant(&other.context) == std::mem::discriminant(&hit.context)
            && !matches!(other.direction, Direction::Pseudo)
    };
    let forward = || {
        let end = all
            .iter()
            .filter(|other| other.from >= hit.to)
            .filter(|other| {
                ends(other) || is_same(other) && matches!(other.direction, Direction::Forward)
            });
        hit.to..end.map(|other| other.from).min().unwrap_or(range.end)
    };
    let backward = || {
        let begin = all
            .iter()
            .filter(|other| other.to <= hit.from)
            .filter(|other| {
                ends(other) || is_same(other) && matches!(other.direction, Direction::Backward)
            });
        begin.map(|other| other.to).max().unwrap_or(range.start)..hit.from
    };
    let _ = passage;
    match hit.direction {
        Direction::Forward => forward(),
        Direction::Backward => backward(),
        Direction::Both => backward().start..forward().end,
        Direction::Terminate | Direction::Pseudo => 0..0,
    }
}

/// What the words around a mention say of it. `from` and `to` are places in the passage.
pub(crate) fn judge(passage: &Passage, from: usize, to: usize) -> Judged {
    let range = sentence(passage, from);
    let first = passage.token_from(from);
    let last = passage
        .token_from(to.saturating_sub(1).max(from))
        .max(first);
    let all = hits(passage, range.clone());
    let mut judged = Judged::plain();
    let mut rank = 0;
    for hit in &all {
        let inside = hit.from >= first && hit.to <= last && last > first;
        let reach = scope(passage, hit, &all, &range);
        if inside || !(first..last.max(first + 1)).any(|token| reach.contains(&token)) {
            continue;
        }
        let words = &passage.text[passage.tokens[hit.from].0..passage.tokens[hit.to - 1].1];
        let (own, status, certainty) = match hit.context {
            Context::Family => (6, Status::Family, Certainty::Certain),
            Context::Negated => (5, Status::RuledOut, Certainty::Certain),
            Context::Hypothetical => (4, Status::Current, Certainty::Possible),
            Context::Possible => (3, Status::Suspected, certainty_of(words)),
            Context::Planned => (2, Status::Planned, Certainty::Certain),
            Context::Historical => (1, Status::Historical, Certainty::Certain),
            Context::Terminate => continue,
        };
        if own > rank {
            rank = own;
            judged = Judged {
                status,
                certainty,
                by: Some(
                    passage.decision(passage.tokens[hit.from].0, passage.tokens[hit.to - 1].1),
                ),
                is_hypothetical: matches!(hit.context, Context::Hypothetical),
            };
        }
    }
    if let Some(found) = RELATIVE
        .captures(&passage.text[to..])
        .and_then(|found| found.get(1))
    {
        return Judged {
            status: Status::Family,
            certainty: Certainty::Certain,
            by: Some(passage.decision(to + found.start(), to + found.end())),
            is_hypothetical: false,
        };
    }
    if let Some((start, end)) = denied_behind(passage, from, to) {
        return Judged {
            status: Status::RuledOut,
            certainty: Certainty::Certain,
            by: Some(passage.decision(start, end)),
            is_hypothetical: false,
        };
    }
    questioned(passage, from, to, judged)
}

static RELATIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^[^.;:]{0,40}?\b(?:in|of) (?:the|his|her|their|a) ((?:(?:maternal|paternal) )?(?:mother|father|brother|sister|aunt|uncle|grandmother|grandfather|grandparent|son|daughter|cousin|parent|sibling)s?)\b",
    )
});
static DENIED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:\s*[:=-]\s*(none|absent|negative|no|nil|not seen|not present|excluded|not detected)\b|[^.;]{0,40},?\s(?:which|that|but this|this) (?:was|were|is|are|has been|came back|returned) ((?:reported )?negative|normal|ruled out|excluded|not found|not seen|unremarkable))",
    )
});

/// "Pneumothorax: none" and "tested for it, which was negative".
fn denied_behind(passage: &Passage, from: usize, to: usize) -> Option<(usize, usize)> {
    let _ = from;
    let found = DENIED.captures(&passage.text[to..])?;
    let words = found.get(1).or(found.get(2))?;
    Some((to + words.start(), to + words.end()))
}

/// "?PE" and "PE?" are how clinicians write a suspicion.
fn questioned(passage: &Passage, from: usize, to: usize, judged: Judged) -> Judged {
    let before = passage.text[..from].trim_end();
    let after = passage.text[to..].trim_start_matches(')');
    let is_asked = passage.text[from..to].starts_with('?')
        || before.ends_with('?')
            && passage.text[..from].ends_with(['?', ' '])
            && (before.len() + 1 >= from)
            && before
                .chars()
                .rev()
                .nth(1)
                .is_none_or(|c| c.is_whitespace() || c == '(')
        || after.starts_with('?');
    if judged.by.is_none() && is_asked {
        return Judged {
            status: Status::Suspected,
            certainty: Certainty::Possible,
            by: Some(passage.decision(from, to)),
            is_hypothetical: false,
        };
    }
    judged
}

pub(crate) fn certainty_of(words: &str) -> Certainty {
    let words = words.to_lowercase();
    let likely = [
        "probabl",
        "likely",
        "consistent",
        "compatible",
        "favor",
        "favour",
        "presum",
        "suggest",
        "in keeping",
        "concerning",
    ];
    if words.contains("unlikely") {
        Certainty::Possible
    } else if likely.iter().any(|word| words.contains(word)) {
        Certainty::Likely
    } else {
        Certainty::Possible
    }
}

//! Words that decide whether something is so: the rules of the ConText family as data.

use std::sync::LazyLock;

use crate::table::rows;

/// What a trigger says of the words in its scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// It is not there: `no evidence of`, `was ruled out`.
    Negated,
    /// It may be there: `possible`, `rule out`.
    Possible,
    /// It may come: `return if`.
    Hypothetical,
    /// It was there: `history of`.
    Historical,
    /// A relative has it: `mother`.
    Family,
    /// The scope of the trigger before ends here: `but`.
    Terminate,
    /// It shall be done: `scheduled for`.
    Planned,
}

/// Where the scope of a trigger lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Behind the trigger.
    Forward,
    /// Before the trigger.
    Backward,
    /// On both sides.
    Both,
    /// The trigger ends the scope of others.
    Terminate,
    /// The words look like a trigger and are none: `no increase`.
    Pseudo,
}

/// A phrase that decides about the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trigger {
    /// The phrase in lower case, words separated by one space.
    pub words: &'static str,
    /// What it says.
    pub context: Context,
    /// Of which words.
    pub direction: Direction,
}

static TRIGGERS: LazyLock<Vec<Trigger>> = LazyLock::new(|| {
    let mut triggers: Vec<Trigger> = rows(include_str!("../data/triggers.tsv"))
        .filter_map(|row| {
            Some(Trigger {
                words: row.column(0),
                context: context(row.column(1))?,
                direction: direction(row.column(2))?,
            })
        })
        .collect();
    triggers.sort_by_key(|trigger| {
        std::cmp::Reverse((trigger.words.split(' ').count(), trigger.words.len()))
    });
    triggers
});

/// All triggers, those of most words first.
pub fn triggers() -> &'static [Trigger] {
    &TRIGGERS
}

fn context(name: &str) -> Option<Context> {
    Some(match name {
        "negated" => Context::Negated,
        "possible" => Context::Possible,
        "hypothetical" => Context::Hypothetical,
        "historical" => Context::Historical,
        "family" => Context::Family,
        "terminate" => Context::Terminate,
        "planned" => Context::Planned,
        _ => return None,
    })
}

fn direction(name: &str) -> Option<Direction> {
    Some(match name {
        "forward" => Direction::Forward,
        "backward" => Direction::Backward,
        "both" => Direction::Both,
        "terminate" => Direction::Terminate,
        "pseudo" => Direction::Pseudo,
        _ => return None,
    })
}

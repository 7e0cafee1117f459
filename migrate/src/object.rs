//! An object of the database, as a statement names it, and names as SQL writes them.

use std::fmt;

/// A kind of database object. The text is what `mill.object` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A trigger, named `NAME on SCHEMA.TABLE`.
    Trigger,
    /// A row level security policy, named like a trigger.
    Policy,
    /// A view.
    View,
    /// A function.
    Function,
    /// A procedure.
    Procedure,
    /// A constraint added to a table, named like a trigger.
    Constraint,
    /// An index, named by its schema and name.
    Index,
    /// A column added to a table, named like a trigger.
    Column,
    /// A table.
    Table,
    /// A type or domain.
    Type,
    /// A sequence.
    Sequence,
    /// A schema made for `--schema`.
    Schema,
}

const KINDS: &[(Kind, &str)] = &[
    (Kind::Trigger, "trigger"),
    (Kind::Policy, "policy"),
    (Kind::View, "view"),
    (Kind::Function, "function"),
    (Kind::Procedure, "procedure"),
    (Kind::Constraint, "constraint"),
    (Kind::Index, "index"),
    (Kind::Column, "column"),
    (Kind::Table, "table"),
    (Kind::Type, "type"),
    (Kind::Sequence, "sequence"),
    (Kind::Schema, "schema"),
];

impl Kind {
    /// As `mill.object` has it.
    pub(super) fn as_str(self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or("object", |(_, text)| text)
    }

    /// From the text in `mill.object`.
    pub(super) fn named(text: &str) -> Option<Self> {
        KINDS
            .iter()
            .find(|(_, name)| *name == text)
            .map(|(kind, _)| *kind)
    }

    /// Functions and procedures share their names.
    pub(super) fn is_routine(self) -> bool {
        matches!(self, Self::Function | Self::Procedure)
    }

    /// Tables, views, indexes, sequences and types share their names.
    pub(super) fn is_relation(self) -> bool {
        matches!(
            self,
            Self::Table | Self::View | Self::Index | Self::Sequence | Self::Type
        )
    }

    /// What can be made again from its file without losing data.
    pub(super) fn is_replaceable(self) -> bool {
        matches!(
            self,
            Self::Trigger | Self::Policy | Self::View | Self::Function | Self::Procedure
        )
    }
}

/// An object by kind and name: `SCHEMA.NAME`, or `NAME on SCHEMA.TABLE`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Object {
    /// What it is.
    pub(super) kind: Kind,
    /// Its name, without quotes.
    pub(super) name: String,
}

impl Object {
    pub(super) fn new(kind: Kind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
        }
    }

    pub(super) fn on(kind: Kind, name: &str, table: &str) -> Self {
        Self::new(kind, format!("{name} on {table}"))
    }

    /// The schema that it lies in; of a trigger, that of its table.
    pub(super) fn schema(&self) -> &str {
        let place = self
            .name
            .rsplit_once(" on ")
            .map_or(self.name.as_str(), |(_, table)| table);
        place.split_once('.').map_or("", |(schema, _)| schema)
    }

    /// What follows `drop`, for all but routines, which need their arguments.
    pub(super) fn drop_statement(&self) -> String {
        let on = || {
            self.name
                .rsplit_once(" on ")
                .map_or_else(Default::default, |(name, table)| {
                    (quoted_word(name), quoted(table))
                })
        };
        match self.kind {
            Kind::Trigger | Kind::Policy => {
                let (name, table) = on();
                format!("drop {} if exists {name} on {table}", self.kind.as_str())
            }
            Kind::Constraint | Kind::Column => {
                let (name, table) = on();
                let kind = self.kind.as_str();
                format!("alter table {table} drop {kind} if exists {name}")
            }
            Kind::Schema => format!("drop schema if exists {}", quoted_word(&self.name)),
            kind => format!("drop {} if exists {}", kind.as_str(), quoted(&self.name)),
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.as_str(), self.name)
    }
}

/// `SCHEMA.NAME` with quotes where they are needed.
pub(super) fn quoted(name: &str) -> String {
    name.split_once('.').map_or_else(
        || quoted_word(name),
        |(schema, name)| format!("{}.{}", quoted_word(schema), quoted_word(name)),
    )
}

/// One identifier, always in quotes unless it is plain. No name of ours is a reserved word.
pub(super) fn quoted_word(word: &str) -> String {
    let is_plain = !word.is_empty()
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    match is_plain {
        true => word.to_owned(),
        false => format!("\"{}\"", word.replace('"', "\"\"")),
    }
}

/// A text in single quotes.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

//! What may come to be set: every text is cleaned, and what is longer or more than can be set in time is refused with
//! the name of its field. Nothing that a person would miss is cut silently.

use serde_json::{Map, Value};

use crate::clean::clean;

/// The most characters of one field, after cleaning: some thirty pages.
pub const MOST_LETTERS_OF_A_FIELD: usize = 100_000;
/// The most characters of a document.
pub const MOST_LETTERS: usize = 500_000;
/// The most entries of one list.
pub const MOST_ENTRIES: usize = 500;
/// The most values (texts and numbers) of a document.
pub const MOST_VALUES: usize = 5_000;

/// The longest name of a field that an error repeats.
const LONGEST_NAME: usize = 100;

/// What is too much, and of which field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// A field is too long.
    #[error(
        "the field {field} has {found} characters, at most {most} can be set: shorten it, or split it into several"
    )]
    Letters {
        /// Its name, from the outermost object to it.
        field: String,
        /// How many it has.
        found: usize,
        /// How many it may have.
        most: usize,
    },
    /// A list is too long.
    #[error(
        "the list {field} has {found} entries, at most {most} can be set: remove some, or make several documents"
    )]
    Entries {
        /// Its name, from the outermost object to it.
        field: String,
        /// How many it has.
        found: usize,
        /// How many it may have.
        most: usize,
    },
    /// All fields together are too much.
    #[error(
        "the document has more than {most} {what} (reached at the field {field}): make several documents of it"
    )]
    Document {
        /// Where the limit was reached.
        field: String,
        /// What there are too many of.
        what: &'static str,
        /// How many there may be.
        most: usize,
    },
}

/// The document with every text cleaned, if it is no more than can be set.
pub(crate) fn bounded(data: &Value) -> Result<Value, TooMuch> {
    let mut counts = Counts::default();
    counts.value(data, &Name::Root)
}

/// One text by itself, such as a title.
pub(crate) fn bounded_text(text: &str, field: &str) -> Result<String, TooMuch> {
    Counts::default().text(text, &Name::Field(&Name::Root, field))
}

// A path that is only spelled out when it is needed.
enum Name<'a> {
    Root,
    Field(&'a Name<'a>, &'a str),
    Entry(&'a Name<'a>, usize),
}

impl Name<'_> {
    // A picture and what describes the document are never set: they may be as long as they like.
    fn is_set(&self) -> bool {
        match self {
            Name::Field(Name::Root, "$schema" | "meta") => false,
            Name::Field(Name::Field(Name::Root, "basics"), "image") => false,
            Name::Root => true,
            Name::Field(parent, _) | Name::Entry(parent, _) => parent.is_set(),
        }
    }

    fn spelled(&self) -> String {
        let mut name = String::new();
        self.spell(&mut name);
        if name.chars().count() > LONGEST_NAME {
            name = name.chars().take(LONGEST_NAME).chain(['…']).collect();
        }
        name
    }

    fn spell(&self, into: &mut String) {
        match self {
            Name::Root => {}
            Name::Field(parent, key) => {
                parent.spell(into);
                if !into.is_empty() {
                    into.push('.');
                }
                into.push_str(&clean(key));
            }
            Name::Entry(parent, at) => {
                parent.spell(into);
                into.push_str(&format!("[{at}]"));
            }
        }
    }
}

#[derive(Default)]
struct Counts {
    letters: usize,
    values: usize,
}

impl Counts {
    fn value(&mut self, value: &Value, name: &Name<'_>) -> Result<Value, TooMuch> {
        match value {
            Value::String(text) => {
                self.count_value(name)?;
                self.text(text, name).map(Value::String)
            }
            Value::Array(list) => {
                if list.len() > MOST_ENTRIES && name.is_set() {
                    return Err(TooMuch::Entries {
                        field: name.spelled(),
                        found: list.len(),
                        most: MOST_ENTRIES,
                    });
                }
                list.iter()
                    .enumerate()
                    .map(|(at, item)| self.value(item, &Name::Entry(name, at)))
                    .collect::<Result<Vec<_>, _>>()
                    .map(Value::Array)
            }
            Value::Object(fields) => fields
                .iter()
                .map(|(key, field)| Ok((key.clone(), self.value(field, &Name::Field(name, key))?)))
                .collect::<Result<Map<_, _>, TooMuch>>()
                .map(Value::Object),
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.count_value(name)?;
                Ok(value.clone())
            }
        }
    }

    fn count_value(&mut self, name: &Name<'_>) -> Result<(), TooMuch> {
        self.values += usize::from(name.is_set());
        if self.values > MOST_VALUES {
            return Err(self.too_much(name, "values", MOST_VALUES));
        }
        Ok(())
    }

    fn text(&mut self, text: &str, name: &Name<'_>) -> Result<String, TooMuch> {
        let cleaned = clean(text);
        if !name.is_set() {
            return Ok(cleaned);
        }
        let found = cleaned.chars().count();
        if found > MOST_LETTERS_OF_A_FIELD {
            return Err(TooMuch::Letters {
                field: name.spelled(),
                found,
                most: MOST_LETTERS_OF_A_FIELD,
            });
        }
        self.letters += found;
        if self.letters > MOST_LETTERS {
            return Err(self.too_much(name, "characters", MOST_LETTERS));
        }
        Ok(cleaned)
    }

    fn too_much(&self, name: &Name<'_>, what: &'static str, most: usize) -> TooMuch {
        TooMuch::Document {
            field: name.spelled(),
            what,
            most,
        }
    }
}

#[cfg(test)]
mod tests;

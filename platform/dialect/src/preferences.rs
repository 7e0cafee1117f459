//! The Prefer header (RFC 7240) as PostgREST reads it.

use hyper::HeaderMap;

use crate::Verb;
use crate::refusal::Refusal;

/// What a request would like, where it has said so.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    pub resolution: Option<Resolution>,
    pub missing: Option<Missing>,
    pub representation: Option<Representation>,
    pub count: Option<Count>,
    pub handling: Option<Handling>,
    /// Only kept under strict handling, as PostgREST does.
    pub max_affected: Option<i64>,
}

/// What happens to a row that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    Merge,
    Ignore,
}

/// What a key that a row leaves out becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Default,
    Null,
}

/// What a write answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    Full,
    HeadersOnly,
    Minimal,
}

/// How rows are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    Exact,
    Planned,
    Estimated,
}

/// Whether an unknown preference is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    Strict,
    Lenient,
}

impl Resolution {
    fn word(self) -> &'static str {
        match self {
            Self::Merge => "resolution=merge-duplicates",
            Self::Ignore => "resolution=ignore-duplicates",
        }
    }
}

impl Missing {
    fn word(self) -> &'static str {
        match self {
            Self::Default => "missing=default",
            Self::Null => "missing=null",
        }
    }
}

impl Representation {
    fn word(self) -> &'static str {
        match self {
            Self::Full => "return=representation",
            Self::HeadersOnly => "return=headers-only",
            Self::Minimal => "return=minimal",
        }
    }
}

impl Count {
    fn word(self) -> &'static str {
        match self {
            Self::Exact => "count=exact",
            Self::Planned => "count=planned",
            Self::Estimated => "count=estimated",
        }
    }
}

impl Handling {
    fn word(self) -> &'static str {
        match self {
            Self::Strict => "handling=strict",
            Self::Lenient => "handling=lenient",
        }
    }
}

impl Preferences {
    /// Of two preferences of one kind the first holds.
    pub fn parse(headers: &HeaderMap) -> Result<Self, Refusal> {
        let mut preferences = Self::default();
        let mut unknown = Vec::new();
        let values = headers.get_all("prefer").iter();
        let texts = values.filter_map(|value| value.to_str().ok());
        for text in texts.flat_map(|text| text.split(',')).map(str::trim) {
            if !text.is_empty() && !preferences.take(text) {
                unknown.push(text.to_owned());
            }
        }
        if preferences.handling == Some(Handling::Strict) {
            if !unknown.is_empty() {
                return Err(Refusal::Preferences(unknown.join(", ")));
            }
        } else {
            preferences.max_affected = None;
        }
        Ok(preferences)
    }

    /// What Preference-Applied says about rows that were read.
    pub fn applied_to_read(&self, count: Option<Count>) -> Vec<String> {
        let words = [count.map(Count::word), self.handling.map(Handling::word)];
        words.into_iter().flatten().map(str::to_owned).collect()
    }

    /// What it says about rows that a function answered with.
    pub fn applied_to_call(&self) -> Vec<String> {
        let mut applied = self.applied_to_read(self.count);
        applied.extend(self.max_affected.map(|most| format!("max-affected={most}")));
        applied
    }

    /// What it says about rows that were written.
    pub fn applied_to_write(&self, verb: Verb) -> Vec<String> {
        let inserts = verb == Verb::Post;
        let fills = matches!(verb, Verb::Post | Verb::Patch);
        let words = [
            self.resolution.filter(|_| inserts).map(Resolution::word),
            self.missing.filter(|_| fills).map(Missing::word),
            self.representation.map(Representation::word),
            self.count.map(Count::word),
            self.handling.map(Handling::word),
        ];
        let mut applied: Vec<String> = words.into_iter().flatten().map(str::to_owned).collect();
        if matches!(verb, Verb::Patch | Verb::Delete) {
            applied.extend(self.max_affected.map(|most| format!("max-affected={most}")));
        }
        applied
    }

    /// Notes one preference; false when there is no such.
    fn take(&mut self, text: &str) -> bool {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        match (name.trim(), value.trim()) {
            ("resolution", "merge-duplicates") => first(&mut self.resolution, Resolution::Merge),
            ("resolution", "ignore-duplicates") => first(&mut self.resolution, Resolution::Ignore),
            ("missing", "default") => first(&mut self.missing, Missing::Default),
            ("missing", "null") => first(&mut self.missing, Missing::Null),
            ("return", "representation") => first(&mut self.representation, Representation::Full),
            ("return", "headers-only") => {
                first(&mut self.representation, Representation::HeadersOnly);
            }
            ("return", "minimal") => first(&mut self.representation, Representation::Minimal),
            ("count", "exact") => first(&mut self.count, Count::Exact),
            ("count", "planned") => first(&mut self.count, Count::Planned),
            ("count", "estimated") => first(&mut self.count, Count::Estimated),
            ("handling", "strict") => first(&mut self.handling, Handling::Strict),
            ("handling", "lenient") => first(&mut self.handling, Handling::Lenient),
            // Known, and without effect: by default the server, not the client, ends transactions.
            ("tx", "commit" | "rollback") => {}
            ("max-affected", number) => match number.parse() {
                Ok(number) => first(&mut self.max_affected, number),
                Err(_) => return false,
            },
            _ => return false,
        }
        true
    }
}

fn first<T>(slot: &mut Option<T>, value: T) {
    slot.get_or_insert(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(values: &[&str]) -> Result<Preferences, Refusal> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("prefer", value.parse().unwrap());
        }
        Preferences::parse(&headers)
    }

    #[test]
    fn several_headers_and_several_values_add_up() {
        let preferences =
            parse(&["return=representation, count=exact", "missing=default"]).unwrap();
        assert_eq!(preferences.representation, Some(Representation::Full));
        assert_eq!(preferences.count, Some(Count::Exact));
        assert_eq!(preferences.missing, Some(Missing::Default));
    }

    #[test]
    fn the_first_of_a_kind_holds() {
        let preferences = parse(&["count=planned,count=exact"]).unwrap();
        assert_eq!(preferences.count, Some(Count::Planned));
    }

    #[test]
    fn unknown_preferences_matter_only_under_strict_handling() {
        assert!(parse(&["foo=bar"]).is_ok());
        let refused = parse(&["handling=strict, foo=bar, max-affected=x"]).unwrap_err();
        assert!(
            matches!(refused, Refusal::Preferences(names) if names == "foo=bar, max-affected=x")
        );
    }

    #[test]
    fn max_affected_needs_strict_handling() {
        assert_eq!(parse(&["max-affected=1"]).unwrap().max_affected, None);
        let strict = parse(&["handling=strict,max-affected=1"]).unwrap();
        assert_eq!(strict.max_affected, Some(1));
    }
}

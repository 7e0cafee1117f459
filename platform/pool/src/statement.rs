//! The statements that a connection has prepared.

use std::collections::HashMap;

/// Statements a connection keeps prepared. Each costs the server some 10 to 50 kB.
const KEPT: usize = 256;

/// Longer statements are not kept, neither here nor by the server: a hostile client could make 256 of them as
/// long as its URLs may be.
const LONGEST_KEPT: usize = 16 * 1024;

/// What a connection has prepared, by role: a statement analysed with one role's rights is never
/// executed by another.
#[derive(Default)]
pub(super) struct Prepared {
    by_role: HashMap<String, HashMap<String, Known>>,
    count: usize,
    named: u64,
    /// Nothing may be kept: the next transaction may have another session.
    never: bool,
}

/// What is known of a statement on this connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Asked for once. Only what comes again is worth keeping.
    Once,
    /// Prepared by this name.
    As(String),
}

/// How to execute a statement now.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Parse it without a name.
    Unnamed,
    /// Parse it by this name, and tell [`Prepared::keep`] when the server has done so.
    Name(String),
    /// It is there by this name.
    Reuse(String),
}

impl Prepared {
    /// For a session that is shared with others.
    pub(super) fn never() -> Self {
        Self {
            never: true,
            ..Self::default()
        }
    }

    /// Starts over: what the server has is not known any longer.
    pub(super) fn forget(&mut self) {
        *self = match self.never {
            true => Self::never(),
            false => Self::default(),
        };
    }

    pub(super) fn plan(&mut self, role: &str, text: &str) -> Plan {
        if self.never || text.len() > LONGEST_KEPT {
            return Plan::Unnamed;
        }
        match self.by_role.get(role).and_then(|of_role| of_role.get(text)) {
            Some(Known::As(name)) => Plan::Reuse(name.clone()),
            // A new name each time: if the server's answer was lost, the old one may be taken.
            Some(Known::Once) => Plan::Name(self.next_name()),
            None => {
                self.insert(role, text, Known::Once);
                Plan::Unnamed
            }
        }
    }

    /// Like [`Self::plan`], for what every request repeats.
    pub(super) fn plan_at_once(&mut self, role: &str, text: &str) -> Plan {
        match self.plan(role, text) {
            Plan::Unnamed if !self.never => Plan::Name(self.next_name()),
            planned => planned,
        }
    }

    pub(super) fn keep(&mut self, role: &str, text: &str, name: String) {
        self.insert(role, text, Known::As(name));
    }

    /// Empties the cache once it is full, and answers with the names the server can forget.
    /// Starting over is cruder than evicting the oldest, and costs no bookkeeping on the way that
    /// matters; a real set of statements stays far below the bound.
    pub(super) fn overflow(&mut self) -> Vec<String> {
        if self.count < KEPT {
            return Vec::new();
        }
        self.count = 0;
        let all = std::mem::take(&mut self.by_role);
        let statements = all.into_values().flat_map(HashMap::into_values);
        statements
            .filter_map(|known| match known {
                Known::As(name) => Some(name),
                Known::Once => None,
            })
            .collect()
    }

    fn insert(&mut self, role: &str, text: &str, known: Known) {
        let of_role = self.by_role.entry(role.to_owned()).or_default();
        if of_role.insert(text.to_owned(), known).is_none() {
            self.count += 1;
        }
    }

    fn next_name(&mut self) -> String {
        self.named += 1;
        format!("g{}", self.named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_prepared_from_its_second_use_and_only_for_its_role() {
        let mut prepared = Prepared::default();
        assert_eq!(prepared.plan("a", "select 1"), Plan::Unnamed);
        assert_eq!(prepared.plan("b", "select 1"), Plan::Unnamed);
        assert_eq!(prepared.plan("a", "select 1"), Plan::Name("g1".into()));
        prepared.keep("a", "select 1", "g1".into());
        assert_eq!(prepared.plan("a", "select 1"), Plan::Reuse("g1".into()));
        assert_eq!(prepared.plan("b", "select 1"), Plan::Name("g2".into()));
    }

    #[test]
    fn a_very_long_statement_is_never_kept() {
        let mut prepared = Prepared::default();
        let long = "x".repeat(LONGEST_KEPT + 1);
        for _ in 0..3 {
            assert_eq!(prepared.plan("a", &long), Plan::Unnamed);
        }
        assert_eq!(prepared.count, 0);
    }

    #[test]
    fn nothing_is_named_in_a_session_that_is_shared() {
        let mut prepared = Prepared::never();
        for _ in 0..3 {
            assert_eq!(prepared.plan("a", "select 1"), Plan::Unnamed);
            assert_eq!(prepared.plan_at_once("a", "select 1"), Plan::Unnamed);
            prepared.forget();
        }
    }

    #[test]
    fn a_name_whose_answer_was_lost_is_not_used_again() {
        let mut prepared = Prepared::default();
        prepared.plan("a", "select 1");
        let first = prepared.plan("a", "select 1");
        assert_ne!(first, prepared.plan("a", "select 1"));
    }

    #[test]
    fn the_cache_stays_bounded_and_gives_back_every_name() {
        let mut prepared = Prepared::default();
        let mut given_back = 0;
        for n in 0..10 * KEPT {
            given_back += prepared.overflow().len();
            let text = n.to_string();
            prepared.plan("a", &text);
            prepared.keep("a", &text, format!("g{n}"));
            assert!(prepared.count <= KEPT);
        }
        assert_eq!(given_back, 9 * KEPT);
    }
}

//! Takes a file of SQL apart: its statements, what each creates, and which tables it has to lock.
//!
//! Only what the files of `sql/` use is understood. What a DO block or a called function makes cannot be read from the text
//! and is not Gristmill's to drop by name: it goes with its table, or a function of its part takes it back.

use std::sync::LazyLock;

use regex::Regex;

use super::object::{Kind, Object};

/// How strongly a statement locks a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Writers wait, readers do not: a foreign key to it, a new index.
    ShareRowExclusive,
    /// Everybody waits.
    AccessExclusive,
}

/// What a statement does, as far as `migrate` has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Does {
    /// Creates one object.
    Creates(Object),
    /// Adds constraints or columns to a table.
    Adds(Vec<Object>),
    /// Drops a trigger or policy, to create it anew behind it.
    Drops(Object),
    /// Grants, comments, rows, DO blocks, calls.
    Other,
}

/// One statement.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// As written, with the comments before it, without the semicolon.
    pub(super) text: String,
    /// What it does.
    pub(super) does: Does,
    /// Tables that it locks, if they exist already.
    pub(super) locks: Vec<(String, Strength)>,
}

impl Statement {
    /// The object that it creates, if one.
    pub(super) fn creates(&self) -> Option<&Object> {
        match &self.does {
            Does::Creates(object) => Some(object),
            _ => None,
        }
    }

    /// All objects that it makes: created, or added to a table.
    pub(super) fn makes(&self) -> &[Object] {
        match &self.does {
            Does::Creates(object) => std::slice::from_ref(object),
            Does::Adds(objects) => objects,
            _ => &[],
        }
    }
}

/// The statements of a file in order.
pub(super) fn of(text: &str) -> Vec<Statement> {
    split(text)
        .into_iter()
        .filter_map(|text| {
            let code = code(text);
            (!code.trim().is_empty()).then(|| Statement {
                text: text.trim().to_owned(),
                does: does(&code),
                locks: locks(&code),
            })
        })
        .collect()
}

/// Reads on past one token that may hide a semicolon, and says where it ends and what it is.
fn token(text: &str, at: usize) -> Option<(usize, Token)> {
    let rest = &text[at..];
    let end = |found: Option<usize>, length: usize| found.map_or(text.len(), |i| at + i + length);
    let before = text[..at].chars().next_back();
    if rest.starts_with("--") {
        return Some((end(rest.find('\n'), 1), Token::Comment));
    }
    if rest.starts_with("/*") {
        return Some((end(rest.find("*/"), 2), Token::Comment));
    }
    if rest.starts_with('\'') {
        let escapes = matches!(before, Some('e' | 'E'));
        return Some((at + string_end(rest, '\'', escapes), Token::Text));
    }
    if rest.starts_with('"') {
        return Some((at + string_end(rest, '"', false), Token::Name));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if rest.starts_with('$') && !before.is_some_and(is_word) {
        let tag_end = rest[1..].find(|c: char| !is_word(c))? + 1;
        if rest[tag_end..].starts_with('$') {
            let tag = &rest[..=tag_end];
            let close = rest[tag.len()..].find(tag).map(|i| i + tag.len());
            return Some((end(close, tag.len()), Token::Text));
        }
    }
    None
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Comment,
    Text,
    Name,
}

fn string_end(rest: &str, quote: char, escapes: bool) -> usize {
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((i, letter)) = letters.next() {
        if escapes && letter == '\\' {
            letters.next();
        } else if letter == quote {
            match letters.peek() {
                Some((_, next)) if *next == quote => {
                    letters.next();
                }
                _ => return i + 1,
            }
        }
    }
    rest.len()
}

/// Cuts at each semicolon that ends a statement. A body in standard SQL (`begin atomic … end`) has semicolons of its own.
fn split(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at, mut depth) = (0, 0, 0_usize);
    let mut last_word = "";
    while let Some(letter) = text[at..].chars().next() {
        if let Some((next, _)) = token(text, at) {
            at = next;
        } else if letter.is_alphabetic() || letter == '_' {
            let length = text[at..]
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(text.len() - at);
            let word = &text[at..at + length];
            match word {
                "atomic" if last_word == "begin" => depth = 1,
                "case" if depth > 0 => depth += 1,
                "end" if depth > 0 => depth -= 1,
                _ => {}
            }
            last_word = word;
            at += length;
        } else {
            if letter == ';' && depth == 0 {
                found.push(&text[start..at]);
                start = at + 1;
            }
            at += letter.len_utf8();
        }
    }
    found.push(&text[start..]);
    found
}

/// The statement without comments and the insides of strings, each run of white space as one space.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        match token(text, at) {
            Some((next, kind)) => {
                match kind {
                    Token::Comment => code.push(' '),
                    Token::Text => code.push_str("''"),
                    Token::Name => code.push_str(&text[at..next]),
                }
                at = next;
            }
            None => {
                code.push(letter);
                at += letter.len_utf8();
            }
        }
    }
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

// The patterns are constants, and a test compiles each.
#[allow(clippy::expect_used)]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

const NAME: &str = r#"((?:[a-z_][a-z0-9_]*|"[^"]+")(?:\.(?:[a-z_][a-z0-9_]*|"[^"]+"))?)"#;

static CREATES: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    let plain = |kind, what: &str| (kind, pattern(&format!("^create {what} {NAME}")));
    vec![
        plain(Kind::Function, "(?:or replace )?function"),
        plain(Kind::Procedure, "(?:or replace )?procedure"),
        plain(
            Kind::View,
            "(?:or replace )?(?:materialized |recursive )?view(?: if not exists)?",
        ),
        plain(Kind::Table, "(?:unlogged )?table(?: if not exists)?"),
        plain(Kind::Type, "(?:type|domain)"),
        plain(Kind::Sequence, "(?:unlogged )?sequence(?: if not exists)?"),
    ]
});
static TRIGGER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        "^(create|drop) (?:or replace )?(?:constraint )?(trigger|policy) (?:if exists )?{NAME}(?: .*?)? on {NAME}"
    ))
});
static INDEX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        "^create (?:unique )?index (?:if not exists )?{NAME} on (?:only )?{NAME}"
    ))
});
static ALTER: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("^alter table (?:if exists )?(?:only )?{NAME}")));
static ADDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\badd (constraint|column) (?:if not exists )?{NAME}"
    ))
});
static DROP_TABLE: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!("^(?:drop table|truncate)(?: if exists)? {NAME}")));
static REFERENCES: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"\breferences {NAME}")));

fn bare(name: &str) -> String {
    name.replace('"', "")
}

fn does(code: &str) -> Does {
    if let Some(found) = TRIGGER.captures(code) {
        let kind = match &found[2] {
            "trigger" => Kind::Trigger,
            _ => Kind::Policy,
        };
        let object = Object::on(kind, &bare(&found[3]), &bare(&found[4]));
        return match &found[1] {
            "create" => Does::Creates(object),
            _ => Does::Drops(object),
        };
    }
    if let Some(found) = INDEX.captures(code) {
        let table = bare(&found[2]);
        let schema = table.split_once('.').map_or("public", |(schema, _)| schema);
        let name = format!("{schema}.{}", bare(&found[1]));
        return Does::Creates(Object::new(Kind::Index, name));
    }
    if let Some(found) = ALTER.captures(code) {
        let table = bare(&found[1]);
        let added: Vec<_> = ADDS
            .captures_iter(code)
            .map(|added| {
                let kind = match &added[1] {
                    "constraint" => Kind::Constraint,
                    _ => Kind::Column,
                };
                Object::on(kind, &bare(&added[2]), &table)
            })
            .collect();
        return match added.is_empty() {
            true => Does::Other,
            false => Does::Adds(added),
        };
    }
    CREATES
        .iter()
        .find_map(|(kind, pattern)| {
            let found = pattern.captures(code)?;
            Some(Does::Creates(Object::new(*kind, bare(&found[1]))))
        })
        .unwrap_or(Does::Other)
}

fn locks(code: &str) -> Vec<(String, Strength)> {
    let mut locks = Vec::new();
    if let Some(found) = TRIGGER.captures(code) {
        locks.push((bare(&found[4]), Strength::AccessExclusive));
    } else if let Some(found) = INDEX.captures(code) {
        locks.push((bare(&found[2]), Strength::ShareRowExclusive));
    } else if let Some(found) = ALTER.captures(code).or_else(|| DROP_TABLE.captures(code)) {
        locks.push((bare(&found[1]), Strength::AccessExclusive));
    }
    if code.starts_with("create table") || code.starts_with("alter table") {
        let targets = REFERENCES.captures_iter(code);
        locks.extend(targets.map(|found| (bare(&found[1]), Strength::ShareRowExclusive)));
    }
    locks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Does {
        let mut found = of(text);
        assert_eq!(found.len(), 1, "{text}");
        found.remove(0).does
    }

    #[test]
    fn semicolons_in_strings_bodies_and_comments_end_no_statement() {
        let text = "-- a; b\nselect ';' /* ; */, \"x;y\", e'\\';';\n\
            create function mill.f() returns int language sql as $x$ select 1; $$;$$ $x$;\n\
            create function mill.g() returns int begin atomic select case when true then 1 end; select 2; end;\ngrant x to y;";
        let found = of(text);
        assert_eq!(found.len(), 4);
        assert!(found[2].text.ends_with("select 2; end"));
    }

    #[test]
    fn a_statement_says_what_it_creates() {
        let of_kind = |text: &str| match only(text) {
            Does::Creates(object) => object.to_string(),
            other => format!("{other:?}"),
        };
        for (text, object) in [
            (
                "create or replace function mill.f(a int) returns int as 'x';",
                "function mill.f",
            ),
            (
                "create or replace procedure public.p() as 'x'",
                "procedure public.p",
            ),
            (
                "create or replace view public.v with (security_barrier) as select 1",
                "view public.v",
            ),
            ("create unlogged table mill.t (a int)", "table mill.t"),
            ("create table if not exists mill.t (a int)", "table mill.t"),
            ("create unique index i on mill.t (a)", "index mill.i"),
            ("create type mill.e as enum ('a')", "type mill.e"),
            (
                "create trigger a after insert or update of b, c on mill.t for each row execute function mill.f()",
                "trigger a on mill.t",
            ),
            (
                "create or replace trigger a before insert on mill.t execute function f()",
                "trigger a on mill.t",
            ),
            (
                "create constraint trigger a after insert on mill.t execute function f()",
                "trigger a on mill.t",
            ),
            (
                "-- c\ncreate policy \"a b\" on public.t for select using (true)",
                "policy a b on public.t",
            ),
        ] {
            assert_eq!(of_kind(text), object);
        }
        assert_eq!(
            only("do $$ begin create table mill.x (); end $$"),
            Does::Other
        );
        assert_eq!(
            only("comment on table mill.t is 'create table mill.x ()'"),
            Does::Other
        );
        assert_eq!(
            only("alter table mill.q add column a int, add constraint b check (a > 0)"),
            Does::Adds(vec![
                Object::new(Kind::Column, "a on mill.q"),
                Object::new(Kind::Constraint, "b on mill.q"),
            ])
        );
        assert_eq!(
            only("drop trigger if exists a on mill.t"),
            Does::Drops(Object::new(Kind::Trigger, "a on mill.t"))
        );
    }

    #[test]
    fn a_statement_says_which_tables_it_locks() {
        let locks = |text: &str| of(text).remove(0).locks;
        let strong = |table: &str| (table.to_owned(), Strength::AccessExclusive);
        let weak = |table: &str| (table.to_owned(), Strength::ShareRowExclusive);
        assert_eq!(
            locks("drop trigger if exists a on mill.t"),
            [strong("mill.t")]
        );
        assert_eq!(
            locks("alter table mill.t add a int references mill.u"),
            [strong("mill.t"), weak("mill.u")]
        );
        assert_eq!(locks("create index i on mill.t (a)"), [weak("mill.t")]);
        assert!(
            locks("create or replace function mill.f() returns int as 'alter table mill.t'")
                .is_empty()
        );
    }

    #[test]
    fn an_object_knows_how_it_is_dropped() {
        let drop = |kind, name: &str| Object::new(kind, name).drop_statement();
        assert_eq!(
            drop(Kind::Policy, "it's \"on\" on mill.t"),
            "drop policy if exists \"it's \"\"on\"\"\" on mill.t"
        );
        assert_eq!(drop(Kind::View, "public.v"), "drop view if exists public.v");
        assert_eq!(
            drop(Kind::Column, "a on mill.t"),
            "alter table mill.t drop column if exists a"
        );
    }
}

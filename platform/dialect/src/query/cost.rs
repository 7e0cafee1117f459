//! What a query may cost. The number of terms alone says little: comparing is cheap, but a pattern is held
//! against every character of a column, and each item of a select list can repeat a column of megabytes.

use super::{Condition, Embed, Field, Operation, OrderTerm, Quantifier, Query, Selected};
use crate::refusal::Refusal;

/// Steps of a path into JSON. Postgres takes each by recursion.
const DEEPEST_PATH: usize = 32;
/// Tables embedded in one answer. Each is looked up once per row.
const MOST_EMBEDDED: usize = 8;

/// The most of each kind.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    pub select: usize,
    pub select_repeats: usize,
    pub terms: usize,
    pub patterns: usize,
    pub pattern_length: usize,
}

impl Query {
    /// Refuses what would cost too much, before Postgres hears of it.
    pub fn within(&self, most: &Cost) -> Result<(), Refusal> {
        let mut lists = vec![self.select.as_slice()];
        let mut all = Vec::new();
        while let Some(list) = lists.pop() {
            all.extend(list);
            lists.extend(
                list.iter()
                    .filter_map(embedded)
                    .map(|e| e.select.as_slice()),
            );
            check_repeats(list, most)?;
        }
        check("items in select", all.len(), most.select)?;
        let tables = all.iter().copied().filter_map(embedded).count();
        check("embedded tables", tables, MOST_EMBEDDED)?;
        let columns: Vec<&Field> = all.into_iter().filter_map(field).collect();
        check("terms in order", self.order.len(), most.terms)?;
        let mut seen = Seen::default();
        for condition in &self.conditions {
            seen.add(condition);
        }
        check("terms in filters", seen.terms, most.terms)?;
        check("patterns in filters", seen.patterns, most.patterns)?;
        let what = "characters in a pattern";
        check(what, seen.longest_pattern, most.pattern_length)?;
        let ordered = self.order.iter().map(|OrderTerm { field, .. }| field);
        let selected = columns.iter().map(|field| field.path.len()).max();
        let ordered = ordered.map(|field| field.path.len()).max();
        let deepest = selected.max(ordered).unwrap_or(0).max(seen.deepest_path);
        check("steps in a path", deepest, DEEPEST_PATH)
    }
}

/// A column can be megabytes long: a list reads it a few times at most.
fn check_repeats(list: &[Selected], most: &Cost) -> Result<(), Refusal> {
    let columns: Vec<&Field> = list.iter().filter_map(field).collect();
    for column in &columns {
        let same = columns.iter().filter(|other| other.name == column.name);
        let what = "items in select that read the same column";
        check(what, same.count(), most.select_repeats)?;
    }
    let everything = |item: &&Selected| **item == Selected::Everything;
    let repeats = list.iter().filter(everything).count();
    check("times * in select", repeats, most.select_repeats)?;
    let tables: Vec<&Embed> = list.iter().filter_map(embedded).collect();
    for table in &tables {
        let same = tables.iter().filter(|other| other.target == table.target);
        let what = "items in select that embed the same table";
        check(what, same.count(), most.select_repeats)?;
    }
    Ok(())
}

fn embedded(item: &Selected) -> Option<&Embed> {
    match item {
        Selected::Embedded(embed) => Some(embed),
        _ => None,
    }
}

fn field(item: &Selected) -> Option<&Field> {
    match item {
        Selected::Field { field, .. } => Some(field),
        Selected::Everything | Selected::Embedded(_) => None,
    }
}

fn check(what: &'static str, found: usize, most: usize) -> Result<(), Refusal> {
    match found > most {
        true => Err(Refusal::TooCostly { what, found, most }),
        false => Ok(()),
    }
}

#[derive(Default)]
struct Seen {
    terms: usize,
    patterns: usize,
    longest_pattern: usize,
    deepest_path: usize,
}

impl Seen {
    fn add(&mut self, condition: &Condition) {
        match condition {
            // How deep groups may be nested, the parser has checked.
            Condition::Group { members, .. } => {
                for member in members {
                    self.add(member);
                }
            }
            Condition::Compare {
                field, operation, ..
            } => {
                self.terms += 1;
                self.deepest_path = self.deepest_path.max(field.path.len());
                self.add_pattern(operation);
            }
        }
    }

    fn add_pattern(&mut self, operation: &Operation) {
        let (pattern, quantifier) = match operation {
            Operation::Like {
                pattern,
                quantifier,
                ..
            } => (pattern, *quantifier),
            Operation::Operator {
                sql: "~" | "~*",
                quantifier,
                value,
            } => (value, *quantifier),
            // The search of a text column turns each row's whole text into words first.
            Operation::TextSearch { value, .. } => (value, None),
            _ => return,
        };
        match quantifier {
            None => {
                self.patterns += 1;
                self.longest_pattern = self.longest_pattern.max(pattern.chars().count());
            }
            // An array of patterns: a comma within quotes counts as well, which errs to the safe side.
            Some(Quantifier::Any | Quantifier::All) => {
                let parts = pattern.split(',');
                for part in parts {
                    self.patterns += 1;
                    self.longest_pattern = self.longest_pattern.max(part.chars().count());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Cost = Cost {
        select: 6,
        select_repeats: 3,
        terms: 4,
        patterns: 2,
        pattern_length: 5,
    };

    fn refused(query: &str) -> Option<&'static str> {
        match Query::parse(query).unwrap().within(&MOST) {
            Ok(()) => None,
            Err(Refusal::TooCostly { what, .. }) => Some(what),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_query_within_its_bounds_passes() {
        assert_eq!(refused(""), None);
        assert_eq!(refused("select=a,b,c,d,e,f&a=eq.1&b=like.x*"), None);
        assert_eq!(refused("a=in.(1,2,3,4,5,6,7,8,9)"), None);
    }

    #[test]
    fn a_column_cannot_be_selected_over_and_over() {
        let what = Some("items in select that read the same column");
        assert_eq!(refused("select=a,b:a,c:a::text,d:a->x"), what);
        assert_eq!(refused("select=a,b,c,d,e,f,g"), Some("items in select"));
        assert_eq!(refused("select=*,*,*,*"), Some("times * in select"));
    }

    #[test]
    fn what_is_embedded_counts_too() {
        assert_eq!(refused("select=a,t(b,c),u(d)"), None);
        assert_eq!(refused("select=a,t(b,c,d,e,f)"), Some("items in select"));
        let what = Some("items in select that read the same column");
        assert_eq!(refused("select=t(a,b:a,c:a,d:a)"), what);
        let what = Some("items in select that embed the same table");
        assert_eq!(refused("select=t(),a:t(),b:t(),c:t()"), what);
    }

    #[test]
    fn terms_are_counted_in_every_group() {
        assert_eq!(refused("or=(a.eq.1,b.eq.2,and(c.eq.3,d.eq.4))"), None);
        let what = Some("terms in filters");
        assert_eq!(
            refused("a=eq.0&or=(a.eq.1,b.eq.2,and(c.eq.3,d.eq.4))"),
            what
        );
        assert_eq!(refused("order=a,b,c,d,e"), Some("terms in order"));
    }

    #[test]
    fn patterns_are_counted_one_by_one_and_measured() {
        let what = Some("patterns in filters");
        assert_eq!(refused("a=match.x&b=imatch.y&c=like.z"), what);
        assert_eq!(refused("a=match(any).{x,y,z}"), what);
        assert_eq!(refused("not.or=(a.ilike.x,a.fts.y,a.match.z)"), what);
        let what = Some("characters in a pattern");
        assert_eq!(refused("a=like.*aaaaa"), what);
    }

    #[test]
    fn a_path_has_an_end() {
        let path = "->x".repeat(33);
        assert_eq!(refused(&format!("a{path}=eq.1")), Some("steps in a path"));
        assert_eq!(refused(&format!("select=a{path}")), Some("steps in a path"));
    }
}

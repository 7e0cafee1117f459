//! The query string: filters, columns, order and window, parsed into types that hold no SQL.

mod condition;
mod cost;
mod embed;
mod field;
mod operator;
mod order;
mod scanner;
mod select;

pub use condition::{Condition, IsValue, Operation, Quantifier, looks_like_filter, parse_filter};
pub use cost::Cost;
pub use embed::{Embed, Join};
pub use field::{Arrow, Field, Operand};
pub use order::{OrderTerm, parse_order};
pub use select::{Selected, parse_select};

use crate::refusal::Refusal;
use scanner::Scanner;

/// Everything a query string can ask of a relation or of a function's rows.
#[derive(Debug, Default)]
pub struct Query {
    pub select: Vec<Selected>,
    /// All must hold.
    pub conditions: Vec<Condition>,
    pub order: Vec<OrderTerm>,
    pub limit: Option<i64>,
    pub offset: Option<i64>,
    pub columns: Option<Vec<String>>,
    pub on_conflict: Option<Vec<String>>,
    /// What a function takes as arguments.
    pub arguments: Vec<(String, String)>,
}

impl Query {
    /// Parses the query string of a relation.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::parse_with(text, |_, _| false)
    }

    /// Parses that of a function: what `is_argument` says so is set aside instead of being a filter.
    pub fn parse_with(
        text: &str,
        is_argument: impl Fn(&str, &str) -> bool,
    ) -> Result<Self, Refusal> {
        let mut query = Self::default();
        let mut select = None;
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            match name.as_ref() {
                "select" => select = Some(value.into_owned()),
                "order" => query.order.extend(parse_order(&value)?),
                // Not a number: PostgREST then leaves the window as it is, and so do we.
                "limit" => query.limit = value.parse().ok(),
                "offset" => query.offset = value.parse().ok(),
                "columns" => query.columns = Some(names("columns parameter", &value)?),
                "on_conflict" => {
                    query.on_conflict = Some(names("on_conflict parameter", &value)?);
                }
                "and" | "or" | "not.and" | "not.or" => {
                    query
                        .conditions
                        .push(condition::parse_group(&name, &value)?);
                }
                "" => {}
                _ if is_argument(&name, &value) => {
                    query
                        .arguments
                        .push((name.into_owned(), value.into_owned()));
                }
                _ => query.conditions.push(parse_filter(&name, &value)?),
            }
        }
        query.select = match select {
            Some(list) => parse_select(&list)?,
            None => vec![Selected::Everything],
        };
        Ok(query)
    }
}

/// A comma-separated list of column names.
fn names(what: &str, text: &str) -> Result<Vec<String>, Refusal> {
    let mut scanner = Scanner::new(what, text);
    let mut names = vec![scanner.name()?];
    while scanner.take(',') {
        names.push(scanner.name()?);
    }
    scanner.end("\",\" or end of input")?;
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_without_select_asks_for_everything() {
        let query = Query::parse("id=eq.1&limit=2&offset=3").unwrap();
        assert_eq!(query.select, [Selected::Everything]);
        assert_eq!((query.limit, query.offset), (Some(2), Some(3)));
        assert_eq!(query.conditions.len(), 1);
    }

    #[test]
    fn plus_and_percent_are_decoded() {
        let query = Query::parse("a=eq.x+y%2Bz").unwrap();
        let wanted = parse_filter("a", "eq.x y+z").unwrap();
        assert_eq!(query.conditions, [wanted]);
    }

    #[test]
    fn a_window_that_is_no_number_is_left_out() {
        let query = Query::parse("limit=abc&offset=").unwrap();
        assert_eq!((query.limit, query.offset), (None, None));
    }

    #[test]
    fn arguments_are_set_aside() {
        let query = Query::parse_with("a=1&id=eq.2", |name, _| name == "a").unwrap();
        assert_eq!(query.arguments, [("a".to_owned(), "1".to_owned())]);
        assert_eq!(query.conditions.len(), 1);
    }

    #[test]
    fn lists_of_columns_may_quote_their_names() {
        assert_eq!(names("x", r#"a,"b,c", d"#).unwrap(), ["a", "b,c", "d"]);
        assert!(names("x", "a,").is_err());
        assert!(names("x", "").is_err());
    }
}

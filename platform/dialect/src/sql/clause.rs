//! The clauses that a query string becomes: columns, where, order by, limit and offset.

use super::quote::{identifier, literal, qualified};
use super::writer::Writer;
use crate::catalog::Relation;
use crate::query::{
    Arrow, Condition, Embed, Field, IsValue, Join, Operand, Operation, OrderTerm, Quantifier,
    Selected,
};

/// The part of the rows that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub offset: i64,
    pub limit: Option<i64>,
}

/// Where columns come from: the alias they are read by, and their types where known.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) alias: &'static str,
    pub(super) relation: Option<&'a Relation>,
}

/// The aliases of embedded tables, one for each level. The parser allows no more.
const EMBEDDED: [&str; 3] = ["pgrst_e1", "pgrst_e2", "pgrst_e3"];

impl Source<'_> {
    fn column(self, field: &Field) -> String {
        let column = format!("{}.{}", self.alias, identifier(&field.name));
        if field.path.is_empty() {
            return column;
        }
        let known = self
            .relation
            .and_then(|relation| relation.column(&field.name));
        let is_json = known.is_some_and(|c| matches!(c.sql_type.as_str(), "json" | "jsonb"));
        // Composite values and arrays can be stepped into as well, once they are JSON.
        let mut sql = match is_json {
            true => column,
            false => format!("to_jsonb({column})"),
        };
        for step in &field.path {
            sql.push_str(match step.arrow {
                Arrow::Json => "->",
                Arrow::Text => "->>",
            });
            // Literals rather than parameters: an index on the same path is found by them.
            match &step.operand {
                Operand::Key(key) => sql.push_str(&literal(key)),
                Operand::Index(index) => sql.push_str(&format!("({index})")),
            }
        }
        format!("({sql})")
    }

    /// The list of what is selected. A table that was not found has been refused before.
    pub(super) fn select_list(self, items: &[Selected]) -> String {
        let columns: Vec<String> = items
            .iter()
            .filter_map(|item| match item {
                Selected::Everything => Some(format!("{}.*", self.alias)),
                Selected::Embedded(embed) => self.embedded(embed),
                Selected::Field { field, alias, cast } => {
                    let mut sql = self.column(field);
                    if let Some(cast) = cast {
                        sql = format!("cast({sql} as {cast})");
                    }
                    let name = alias
                        .as_deref()
                        .or(field.path_alias())
                        .unwrap_or(&field.name);
                    Some(format!("{sql} as {}", identifier(name)))
                }
            })
            .collect();
        columns.join(", ")
    }

    /// The row of an embedded table as JSON, looked up for each row. Row-level security of that table holds: a row that
    /// the caller may not see is null. One row at most, whatever a view makes of a key.
    fn embedded(self, embed: &Embed) -> Option<String> {
        let join = embed.join.as_ref().filter(|_| !embed.select.is_empty())?;
        let there = self.below();
        let columns = there.select_list(&embed.select);
        Some(format!(
            "(select row_to_json(pgrst_o) from (select {columns} from {} limit 1) pgrst_o) as {}",
            self.joined(there, join),
            identifier(embed.key())
        ))
    }

    /// `table alias where alias.key = here.column`.
    fn joined(self, there: Self, join: &Join) -> String {
        let pairs: Vec<String> = join
            .on
            .iter()
            .map(|(own, other)| {
                let (own, other) = (identifier(own), identifier(other));
                format!("{}.{other} = {}.{own}", there.alias, self.alias)
            })
            .collect();
        let table = qualified(&join.schema, &join.name);
        format!("{table} {} where {}", there.alias, pairs.join(" and "))
    }

    /// The source of what is embedded in this one, under another alias.
    fn below(self) -> Self {
        let at = EMBEDDED.iter().position(|alias| *alias == self.alias);
        let next = at.map_or(0, |at| at + 1).min(EMBEDDED.len() - 1);
        Self {
            alias: EMBEDDED[next],
            relation: None,
        }
    }

    /// The filter of rows that are read: the conditions, and a row of each table that is embedded with `!inner`.
    pub(super) fn filter_read(
        self,
        writer: &mut Writer,
        conditions: &[Condition],
        select: &[Selected],
    ) -> String {
        let mut all: Vec<String> = conditions
            .iter()
            .map(|condition| self.condition(writer, condition))
            .collect();
        all.extend(select.iter().filter_map(|item| match item {
            Selected::Embedded(embed) if embed.inner => {
                let join = embed.join.as_ref()?;
                let joined = self.joined(self.below(), join);
                Some(format!("exists (select from {joined})"))
            }
            _ => None,
        }));
        match all.is_empty() {
            true => String::new(),
            false => format!(" where {}", all.join(" and ")),
        }
    }

    /// ` where ...`, or nothing.
    pub(super) fn filter(self, writer: &mut Writer, conditions: &[Condition]) -> String {
        self.filter_read(writer, conditions, &[])
    }

    fn condition(self, writer: &mut Writer, condition: &Condition) -> String {
        let (sql, negated) = match condition {
            Condition::Group {
                all,
                negated,
                members,
            } => {
                let word = if *all { " and " } else { " or " };
                let members: Vec<String> = members
                    .iter()
                    .map(|member| self.condition(writer, member))
                    .collect();
                (format!("({})", members.join(word)), *negated)
            }
            Condition::Compare {
                field,
                negated,
                operation,
            } => {
                let column = self.column(field);
                (compare(writer, &column, operation), *negated)
            }
        };
        match negated {
            true => format!("not ({sql})"),
            false => sql,
        }
    }

    /// ` order by ...`, or nothing.
    pub(super) fn order(self, terms: &[OrderTerm]) -> String {
        if terms.is_empty() {
            return String::new();
        }
        let keys: Vec<String> = terms
            .iter()
            .map(|term| {
                let direction = match term.descending {
                    Some(true) => " desc",
                    Some(false) => " asc",
                    None => "",
                };
                let nulls = match term.nulls_first {
                    Some(true) => " nulls first",
                    Some(false) => " nulls last",
                    None => "",
                };
                format!("{}{direction}{nulls}", self.column(&term.field))
            })
            .collect();
        format!(" order by {}", keys.join(", "))
    }
}

/// ` limit $1 offset $2`, each where asked for; never more rows than `most`.
pub(super) fn window(writer: &mut Writer, window: Window, most: Option<i64>) -> String {
    let mut sql = String::new();
    match (window.limit, most) {
        (Some(limit), most) => {
            let limit = most.map_or(limit, |most| limit.min(most));
            let place = writer.bind(limit.to_string());
            sql.push_str(&format!(" limit {place}::bigint"));
        }
        // A literal, so that the planner knows how few rows are wanted.
        (None, Some(most)) => sql.push_str(&format!(" limit {most}")),
        (None, None) => {}
    }
    if window.offset > 0 {
        let place = writer.bind(window.offset.to_string());
        sql.push_str(&format!(" offset {place}::bigint"));
    }
    sql
}

fn compare(writer: &mut Writer, column: &str, operation: &Operation) -> String {
    match operation {
        Operation::Operator {
            sql,
            quantifier,
            value,
        } => {
            let place = writer.bind(value.as_str());
            format!("{column} {sql} {}", quantified(&place, *quantifier))
        }
        Operation::Like {
            sql,
            quantifier,
            pattern,
        } => {
            let place = writer.bind(pattern.replace('*', "%"));
            format!("{column} {sql} {}", quantified(&place, *quantifier))
        }
        Operation::In(values) => {
            let place = writer.bind(array_literal(values));
            format!("{column} = any ({place})")
        }
        Operation::DistinctFrom(value) => {
            let place = writer.bind(value.as_str());
            format!("{column} is distinct from {place}")
        }
        Operation::TextSearch {
            function,
            language,
            value,
        } => {
            let mut arguments = Vec::new();
            if let Some(language) = language {
                arguments.push(writer.bind(language.as_str()) + "::regconfig");
            }
            arguments.push(writer.bind(value.as_str()));
            format!("{column} @@ {function}({})", arguments.join(", "))
        }
        Operation::Is(value) => {
            let word = match value {
                IsValue::Null => "null",
                IsValue::NotNull => "not null",
                IsValue::True => "true",
                IsValue::False => "false",
                IsValue::Unknown => "unknown",
            };
            format!("{column} is {word}")
        }
    }
}

fn quantified(place: &str, quantifier: Option<Quantifier>) -> String {
    match quantifier {
        None => place.to_owned(),
        Some(Quantifier::Any) => format!("any ({place})"),
        Some(Quantifier::All) => format!("all ({place})"),
    }
}

/// `{"a","b"}`, whose elements Postgres reads by the column's type.
fn array_literal(values: &[String]) -> String {
    let quoted: Vec<String> = values
        .iter()
        .map(|value| {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
            format!("\"{escaped}\"")
        })
        .collect();
    format!("{{{}}}", quoted.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    const PLAIN: Source<'_> = Source {
        alias: "t",
        relation: None,
    };

    fn filter(query: &str) -> String {
        let query = Query::parse(query).unwrap();
        PLAIN.filter(&mut Writer::default(), &query.conditions)
    }

    #[test]
    fn values_are_bound_and_names_are_quoted() {
        assert_eq!(filter("a=eq.1'--"), " where t.\"a\" = $1");
        assert_eq!(
            filter("%22a%5C%22b%22=is.null"),
            " where t.\"a\"\"b\" is null"
        );
        assert_eq!(filter("a=not.in.(1,2)"), " where not (t.\"a\" = any ($1))");
        assert_eq!(filter("a=like(any).{x*}"), " where t.\"a\" like any ($1)");
        assert_eq!(
            filter("a=fts(english).cat"),
            " where t.\"a\" @@ to_tsquery($1::regconfig, $2)"
        );
    }

    #[test]
    fn groups_keep_their_parentheses() {
        assert_eq!(
            filter("or=(a.eq.1,not.and(b.gt.2,c.lt.3))&d=eq.4"),
            " where (t.\"a\" = $1 or not ((t.\"b\" > $2 and t.\"c\" < $3))) and t.\"d\" = $4"
        );
    }

    #[test]
    fn paths_are_stepped_as_literals() {
        assert_eq!(
            filter("m->a'b->>0=eq.1"),
            " where (to_jsonb(t.\"m\")->'a''b'->>(0)) = $1"
        );
    }

    #[test]
    fn array_elements_cannot_break_out() {
        let values = ["a\"b".to_owned(), "c\\".to_owned(), "d,}".to_owned()];
        assert_eq!(array_literal(&values), r#"{"a\"b","c\\","d,}"}"#);
    }

    #[test]
    fn selected_columns_go_by_alias_last_key_or_name() {
        let query = Query::parse("select=a,b:c,m->k,n::text,*").unwrap();
        assert_eq!(
            PLAIN.select_list(&query.select),
            "t.\"a\" as \"a\", t.\"c\" as \"b\", (to_jsonb(t.\"m\")->'k') as \"k\", \
             cast(t.\"n\" as text) as \"n\", t.*"
        );
    }

    #[test]
    fn an_embedded_table_is_looked_up_by_its_key_with_quoted_names() {
        let mut query = Query::parse("select=a,x:docs!inner(t,m->k,more(*)),none()").unwrap();
        let join = |name: &str| Join {
            schema: "s".into(),
            name: name.into(),
            on: vec![("d\"oc".into(), "id".into())],
        };
        for item in &mut query.select {
            if let Selected::Embedded(embed) = item {
                embed.join = Some(join(&embed.target));
                for item in &mut embed.select {
                    if let Selected::Embedded(embed) = item {
                        embed.join = Some(join("more"));
                    }
                }
            }
        }
        assert_eq!(
            PLAIN.select_list(&query.select),
            "t.\"a\" as \"a\", (select row_to_json(pgrst_o) from (select pgrst_e1.\"t\" as \"t\", \
             (to_jsonb(pgrst_e1.\"m\")->'k') as \"k\", (select row_to_json(pgrst_o) from (select pgrst_e2.* \
             from \"s\".\"more\" pgrst_e2 where pgrst_e2.\"id\" = pgrst_e1.\"d\"\"oc\" limit 1) pgrst_o) as \"more\" \
             from \"s\".\"docs\" pgrst_e1 where pgrst_e1.\"id\" = t.\"d\"\"oc\" limit 1) pgrst_o) as \"x\""
        );
        assert_eq!(
            PLAIN.filter_read(&mut Writer::default(), &[], &query.select),
            " where exists (select from \"s\".\"docs\" pgrst_e1 where pgrst_e1.\"id\" = t.\"d\"\"oc\")"
        );
    }

    #[test]
    fn order_and_window_are_written_only_where_asked_for() {
        let query = Query::parse("order=a.desc.nullslast,b").unwrap();
        assert_eq!(
            PLAIN.order(&query.order),
            " order by t.\"a\" desc nulls last, t.\"b\""
        );
        let mut writer = Writer::default();
        assert_eq!(window(&mut writer, Window::default(), None), "");
        assert_eq!(window(&mut writer, Window::default(), Some(9)), " limit 9");
        let some = Window {
            offset: 2,
            limit: Some(3),
        };
        assert_eq!(
            window(&mut writer, some, Some(2)),
            " limit $1::bigint offset $2::bigint"
        );
        assert_eq!(writer.finish(String::new()).params[0].as_text(), Some("2"));
    }
}

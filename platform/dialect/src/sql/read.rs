//! Reading a relation.

use super::body::Writing;
use super::clause::{Source, Window, window};
use super::quote::qualified;
use super::writer::Writer;
use crate::Sql;
use crate::catalog::Relation;
use crate::query::Query;

/// What to read, and how to write it down.
pub struct Read<'a> {
    pub schema: &'a str,
    pub name: &'a str,
    pub relation: &'a Relation,
    pub query: &'a Query,
    pub window: Window,
    /// The most rows, whatever the window asks for.
    pub most: Option<i64>,
    pub writing: Writing,
    /// Count the rows outside the window too.
    pub count_all: bool,
}

impl Read<'_> {
    pub fn statement(&self) -> Sql {
        let mut writer = Writer::default();
        let source = self.source();
        let table = qualified(self.schema, self.name);
        let columns = source.select_list(&self.query.select);
        let filter = self.filter(&mut writer);
        let order = source.order(&self.query.order);
        let window = window(&mut writer, self.window, self.most);
        let total = self.count_all.then(|| {
            let filter = self.filter(&mut writer);
            format!("(select count(*) from {table} pgrst_t{filter})")
        });
        let rows = format!("select {columns} from {table} pgrst_t{filter}{order}{window}");
        writer.finish(self.writing.statement("", &rows, total.as_deref()))
    }

    /// Asks the planner how many rows there are.
    pub fn estimate(&self) -> Sql {
        let mut writer = Writer::default();
        let table = qualified(self.schema, self.name);
        let filter = self.filter(&mut writer);
        writer.finish(format!(
            "explain (format json) select 1 from {table} pgrst_t{filter}"
        ))
    }

    fn filter(&self, writer: &mut Writer) -> String {
        let query = self.query;
        self.source()
            .filter_read(writer, &query.conditions, &query.select)
    }

    fn source(&self) -> Source<'_> {
        Source {
            alias: "pgrst_t",
            relation: Some(self.relation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Shape};
    use super::*;

    #[test]
    fn the_total_is_counted_under_the_same_filter_with_its_own_values() {
        let query = Query::parse("a=eq.1&limit=1").unwrap();
        let sql = Read {
            schema: "s",
            name: "t",
            relation: &Relation::default(),
            query: &query,
            window: Window {
                offset: 0,
                limit: Some(1),
            },
            most: Some(1_000),
            writing: Writing {
                format: Format::Json,
                shape: Shape::Rows,
                headers_only: false,
            },
            count_all: true,
        }
        .statement();
        assert_eq!(sql.params.len(), 3);
        assert!(
            sql.text
                .contains("from \"s\".\"t\" pgrst_t where pgrst_t.\"a\" = $3)")
        );
        assert!(sql.text.contains("limit $2::bigint) pgrst_r"));
    }
}

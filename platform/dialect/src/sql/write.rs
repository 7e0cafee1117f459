//! Inserting, updating and deleting rows of a relation.

use bytes::Bytes;

use super::body::{Format, Shape, Writing};
use super::clause::Source;
use super::quote::{identifier, literal, qualified};
use super::writer::Writer;
use super::{LEFT_BEHIND, UPDATED};
use crate::catalog::Relation;
use crate::query::{Query, Selected};
use crate::{Layout, Param, Sql};

/// What to write, and what to answer with.
pub struct Write<'a> {
    pub schema: &'a str,
    pub name: &'a str,
    pub relation: &'a Relation,
    pub query: &'a Query,
    pub change: Change,
    pub answer: WriteAnswer,
}

/// The change itself.
pub enum Change {
    Insert {
        payload: Payload,
        on_conflict: Option<OnConflict>,
        /// PUT: only a payload that matches the filters is inserted.
        only_matching: bool,
    },
    Update(Payload),
    Delete,
}

/// Rows as JSON, with the columns taken from them. Each is known to the relation.
pub struct Payload {
    pub json: Bytes,
    pub is_array: bool,
    pub columns: Vec<String>,
    /// Columns that a row leaves out take their default rather than null.
    pub fill_defaults: bool,
}

/// What happens to a row that is there already.
pub struct OnConflict {
    pub columns: Vec<String>,
    pub merge: bool,
}

/// What the answer needs of the changed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteAnswer {
    Nothing,
    /// The first row's primary key, for the Location header.
    Key,
    Rows(Format),
}

impl WriteAnswer {
    fn writing(format: Format) -> Writing {
        Writing {
            format,
            shape: Shape::Rows,
            headers_only: false,
        }
    }

    /// How the gateway puts the answer together.
    pub fn layout(self) -> Layout {
        match self {
            Self::Rows(format) => Self::writing(format).layout(),
            Self::Nothing | Self::Key => Layout::Whole,
        }
    }
}

/// How many rows a merge updated rather than inserted, counted as they pass by.
const COUNT_UPDATED: &str = "set_config('pgrst.updated', \
     (coalesce(nullif(current_setting('pgrst.updated', true), ''), '0')::bigint + 1)::text, true) \
     is not null";

impl Write<'_> {
    /// Where one row answers, its third column is the number of rows that were updated by a merge.
    pub fn statement(self) -> Sql {
        let mut writer = Writer::default();
        let change = self.change(&mut writer);
        let returning = self.returning();
        let source = match change {
            Some(change) => format!("{change} returning {returning}"),
            None => {
                let table = qualified(self.schema, self.name);
                format!("select {returning} from {table} as pgrst_t where false")
            }
        };
        let with = format!("with pgrst_source as ({source}) ");
        writer.finish(match self.answer {
            WriteAnswer::Nothing => format!(
                "{with}select ''::text, count(*), {UPDATED}, {LEFT_BEHIND} from pgrst_source"
            ),
            WriteAnswer::Key => format!(
                "{with}select (select row_to_json(pgrst_r)::text from pgrst_source pgrst_r limit 1), \
                 count(*), {UPDATED}, {LEFT_BEHIND} from pgrst_source"
            ),
            WriteAnswer::Rows(format) => {
                let columns = self.source().select_list(&self.query.select);
                let order = self.source().order(&self.query.order);
                let rows = format!("select {columns} from pgrst_source pgrst_t{order}");
                WriteAnswer::writing(format).statement(&with, &rows, None)
            }
        })
    }

    fn source(&self) -> Source<'_> {
        Source {
            alias: "pgrst_t",
            relation: Some(self.relation),
        }
    }

    /// None when there is nothing to set, which is no error: no row is touched.
    fn change(&self, writer: &mut Writer) -> Option<String> {
        let table = qualified(self.schema, self.name);
        Some(match &self.change {
            Change::Delete => {
                let filter = self.source().filter(writer, &self.query.conditions);
                format!("delete from {table} as pgrst_t{filter}")
            }
            Change::Update(payload) if payload.columns.is_empty() => return None,
            Change::Update(payload) => {
                let set: Vec<String> = payload
                    .columns
                    .iter()
                    .map(|column| {
                        let column = identifier(column);
                        format!("{column} = pgrst_body.{column}")
                    })
                    .collect();
                let body = self.rows(writer, payload);
                let filter = self.source().filter(writer, &self.query.conditions);
                format!(
                    "update {table} as pgrst_t set {} from (select * from {body} limit 1) \
                     pgrst_body{filter}",
                    set.join(", ")
                )
            }
            Change::Insert {
                payload,
                on_conflict,
                only_matching,
            } => self.insert(
                writer,
                &table,
                payload,
                on_conflict.as_ref(),
                *only_matching,
            ),
        })
    }

    fn insert(
        &self,
        writer: &mut Writer,
        table: &str,
        payload: &Payload,
        on_conflict: Option<&OnConflict>,
        only_matching: bool,
    ) -> String {
        let conflict = on_conflict.map_or_else(String::new, |clause| clause.sql(payload));
        if payload.columns.is_empty() {
            if !payload.is_array {
                return format!("insert into {table} as pgrst_t default values{conflict}");
            }
            let place = writer.bind_param(Param::Body(payload.json.clone()));
            return format!(
                "insert into {table} as pgrst_t \
                 select from json_array_elements({place}::json){conflict}"
            );
        }
        let columns = list(&payload.columns, "");
        let values = list(&payload.columns, "pgrst_body.");
        let body = self.rows(writer, payload);
        let filter = match only_matching {
            true => {
                let payload = Source {
                    alias: "pgrst_body",
                    relation: None,
                };
                payload.filter(writer, &self.query.conditions)
            }
            false => String::new(),
        };
        format!(
            "insert into {table} as pgrst_t ({columns}) select {values} from {body}{filter}{conflict}"
        )
    }

    /// The payload as rows of `pgrst_body`, typed by the relation's columns.
    fn rows(&self, writer: &mut Writer, payload: &Payload) -> String {
        let place = writer.bind_param(Param::Body(payload.json.clone()));
        let columns: Vec<_> = payload
            .columns
            .iter()
            .filter_map(|name| self.relation.column(name))
            .collect();
        let typed: Vec<String> = columns
            .iter()
            .map(|column| format!("{} {}", identifier(&column.name), column.sql_type))
            .collect();
        let typed = typed.join(", ");
        if !payload.fill_defaults {
            let function = match payload.is_array {
                true => "json_to_recordset",
                false => "json_to_record",
            };
            return format!("{function}({place}::json) as pgrst_body({typed})");
        }
        let defaults: Vec<String> = columns
            .iter()
            .filter_map(|column| {
                let default = column.default.as_ref()?;
                Some(format!("{}, {default}", literal(&column.name)))
            })
            .collect();
        let defaults = defaults.join(", ");
        let array = match payload.is_array {
            true => format!("{place}::jsonb"),
            false => format!("jsonb_build_array({place}::jsonb)"),
        };
        format!(
            "jsonb_to_recordset((select jsonb_agg(jsonb_build_object({defaults}) || pgrst_row) \
             from jsonb_array_elements({array}) pgrst_row)) as pgrst_body({typed})"
        )
    }

    /// Only the columns that the answer shows, so that a role needs no more rights than it uses.
    fn returning(&self) -> String {
        match self.answer {
            WriteAnswer::Nothing => "1 as pgrst_one".to_owned(),
            WriteAnswer::Key if self.relation.primary_key.is_empty() => "1 as pgrst_one".to_owned(),
            WriteAnswer::Key => list(&self.relation.primary_key, "pgrst_t."),
            WriteAnswer::Rows(_) => {
                let mut names: Vec<String> = Vec::new();
                let mut need = |name: &String| {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                };
                for item in &self.query.select {
                    match item {
                        Selected::Everything => return "pgrst_t.*".to_owned(),
                        Selected::Field { field, .. } => need(&field.name),
                        Selected::Embedded(embed) => {
                            let on = embed.join.iter().flat_map(|join| &join.on);
                            on.for_each(|(own, _)| need(own));
                        }
                    }
                }
                for term in &self.query.order {
                    need(&term.field.name);
                }
                match names.is_empty() {
                    true => "1 as pgrst_one".to_owned(),
                    false => list(&names, "pgrst_t."),
                }
            }
        }
    }
}

impl OnConflict {
    fn sql(&self, payload: &Payload) -> String {
        let target = list(&self.columns, "");
        if !self.merge || payload.columns.is_empty() {
            return format!(" on conflict ({target}) do nothing");
        }
        let set: Vec<String> = payload
            .columns
            .iter()
            .map(|column| {
                let column = identifier(column);
                format!("{column} = excluded.{column}")
            })
            .collect();
        let set = set.join(", ");
        format!(" on conflict ({target}) do update set {set} where {COUNT_UPDATED}")
    }
}

fn list(names: &[String], prefix: &str) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("{prefix}{}", identifier(name)))
        .collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests;

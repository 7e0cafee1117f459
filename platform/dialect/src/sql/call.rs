//! Calling a function: JSON in by `json_to_record`, JSON out row by row.

use bytes::Bytes;

use super::LEFT_BEHIND;
use super::body::{Format, Shape, Writing};
use super::clause::{Source, Window, window};
use super::quote::{identifier, qualified};
use super::writer::Writer;
use crate::catalog::{Argument, Function, Returns};
use crate::query::Query;
use crate::{Layout, Param, Sql};

/// What the function is given.
pub enum Input {
    /// A JSON object, and which of the function's arguments are among its keys.
    Named { object: Bytes, given: Vec<Argument> },
    /// The body itself, as the only and unnamed argument.
    Whole { body: Bytes, sql_type: String },
}

/// What to call, and how to write the result down.
pub struct Call<'a> {
    pub schema: &'a str,
    pub name: &'a str,
    pub function: &'a Function,
    pub query: &'a Query,
    pub window: Window,
    /// The most rows, whatever the window asks for.
    pub most: Option<i64>,
    pub format: Format,
    pub headers_only: bool,
    /// Count the rows outside the window too.
    pub count_all: bool,
}

impl Call<'_> {
    pub fn statement(&self, input: Input) -> Sql {
        let mut writer = Writer::default();
        if self.is_plain_scalar() {
            return self.scalar_statement(writer, input);
        }
        let rows = Source {
            alias: "pgrst_t",
            relation: None,
        };
        let call = self.call(&mut writer, input);
        let is_composite = self.function.returns == Returns::Composite;
        let columns = match is_composite {
            true => rows.select_list(&self.query.select),
            false => "pgrst_t.*".to_owned(),
        };
        let (conditions, select) = (&self.query.conditions, &self.query.select);
        let filter = rows.filter_read(&mut writer, conditions, select);
        let order = rows.order(&self.query.order);
        let most = self.most.filter(|_| self.function.returns_set);
        let window = window(&mut writer, self.window, most);
        let total = self.count_all.then(|| {
            let filter = rows.filter_read(&mut writer, conditions, select);
            format!("(select count(*) from pgrst_source pgrst_t{filter})")
        });
        let with = format!("with pgrst_source as ({call}) ");
        let rows = format!("select {columns} from pgrst_source pgrst_t{filter}{order}{window}");
        let writing = self.writing();
        writer.finish(writing.statement(&with, &rows, total.as_deref()))
    }

    /// How the gateway puts the answer together.
    pub fn layout(&self) -> Layout {
        match self.is_plain_scalar() {
            true => Layout::Whole,
            false => self.writing().layout(),
        }
    }

    fn writing(&self) -> Writing {
        Writing {
            format: self.format,
            shape: self.shape(),
            headers_only: self.headers_only,
        }
    }

    /// One value and nothing asked of it: by far the most common call.
    fn is_plain_scalar(&self) -> bool {
        let plain_json = matches!(self.format, Format::Json | Format::Object);
        self.shape() == Shape::Scalar
            && plain_json
            && self.window == Window::default()
            && self.query.conditions.is_empty()
            && self.query.order.is_empty()
    }

    /// The same answer without aggregating a single row, which takes a fifth off the server's work.
    fn scalar_statement(&self, mut writer: Writer, input: Input) -> Sql {
        let (from, arguments) = arguments(&mut writer, input);
        let called = qualified(self.schema, self.name);
        let value = match self.function.returns {
            // Void has no JSON form, and no body is sent for it.
            Returns::Nothing => format!("{called}({arguments})::text"),
            _ => format!("coalesce(to_json({called}({arguments}))::text, 'null')"),
        };
        let from = from.map_or_else(String::new, |from| format!(" from {from}"));
        // Left to right: what the call leaves behind is read after it.
        writer.finish(format!(
            "select {value}, 1::bigint, null::bigint, {LEFT_BEHIND}{from}"
        ))
    }

    fn shape(&self) -> Shape {
        match (self.function.returns, self.function.returns_set) {
            (Returns::Composite, true) => Shape::Rows,
            (Returns::Composite, false) => Shape::SingleRow,
            (_, true) => Shape::Scalars,
            (_, false) => Shape::Scalar,
        }
    }

    /// The call as rows: `pgrst_scalar` for a scalar, else the columns. A set is called in `from`, where it
    /// runs to its end: in `select` it would stop at the limit, in the middle of what it writes.
    fn call(&self, writer: &mut Writer, input: Input) -> String {
        let called = qualified(self.schema, self.name);
        let (from, arguments) = arguments(writer, input);
        let is_composite = self.function.returns == Returns::Composite;
        let alias = match is_composite {
            true => "pgrst_call",
            false => "pgrst_call(pgrst_scalar)",
        };
        match (is_composite || self.function.returns_set, from) {
            (true, Some(from)) => {
                format!("select pgrst_call.* from {from}, lateral {called}({arguments}) {alias}")
            }
            (true, None) => format!("select pgrst_call.* from {called}({arguments}) {alias}"),
            (false, Some(from)) => {
                format!("select {called}({arguments}) as pgrst_scalar from {from}")
            }
            (false, None) => format!("select {called}({arguments}) as pgrst_scalar"),
        }
    }
}

/// Where the arguments come from, and the list of them.
fn arguments(writer: &mut Writer, input: Input) -> (Option<String>, String) {
    match input {
        Input::Whole { body, sql_type } if sql_type == "bytea" => {
            let place = writer.bind_param(Param::Binary(body));
            (None, format!("{place}::bytea"))
        }
        Input::Whole { body, sql_type } => {
            let place = writer.bind_param(Param::Body(body));
            (None, format!("{place}::{sql_type}"))
        }
        Input::Named { given, .. } if given.is_empty() => (None, String::new()),
        Input::Named { object, given } => {
            let place = writer.bind_param(Param::Body(object));
            (Some(record(&place, &given)), named_arguments(&given))
        }
    }
}

fn record(place: &str, given: &[Argument]) -> String {
    let columns: Vec<String> = given
        .iter()
        .map(|argument| format!("{} {}", identifier(&argument.name), argument.sql_type))
        .collect();
    let columns = columns.join(", ");
    format!("json_to_record({place}::json) as pgrst_args({columns})")
}

fn named_arguments(given: &[Argument]) -> String {
    let arguments: Vec<String> = given
        .iter()
        .map(|argument| {
            let name = identifier(&argument.name);
            let variadic = if argument.variadic { "variadic " } else { "" };
            format!("{variadic}{name} := pgrst_args.{name}")
        })
        .collect();
    arguments.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::TransactionSettings;

    fn statement(returns: Returns, returns_set: bool, input: Input) -> String {
        let function = Function {
            arguments: vec![],
            returns,
            returns_set,
            volatile: true,
            rows_of: None,
            settings: TransactionSettings::default(),
        };
        let call = Call {
            schema: "s",
            name: "f",
            function: &function,
            query: &Query::parse("").unwrap(),
            window: Window::default(),
            most: Some(1_000),
            format: Format::Json,
            headers_only: false,
            count_all: false,
        };
        call.statement(input).text
    }

    fn named(name: &str, variadic: bool) -> Input {
        Input::Named {
            object: Bytes::from_static(b"{}"),
            given: vec![Argument {
                name: name.to_owned(),
                sql_type: "text[]".into(),
                required: true,
                variadic,
            }],
        }
    }

    #[test]
    fn named_arguments_are_read_from_one_bound_object() {
        let sql = statement(Returns::Scalar, false, named("a\"b", true));
        assert!(sql.contains("json_to_record($1::json) as pgrst_args(\"a\"\"b\" text[])"));
        assert!(sql.contains("\"s\".\"f\"(variadic \"a\"\"b\" := pgrst_args.\"a\"\"b\")"));
    }

    #[test]
    fn sets_are_called_in_from_and_single_values_in_select() {
        let rows = statement(Returns::Composite, true, named("a", false));
        assert!(rows.contains("lateral \"s\".\"f\"("));
        let scalar = statement(Returns::Scalar, false, named("a", false));
        assert!(scalar.starts_with("select coalesce(to_json(\"s\".\"f\"("));
        let scalars = statement(Returns::Scalar, true, named("a", false));
        assert!(scalars.contains(") pgrst_call(pgrst_scalar)"));
    }

    #[test]
    fn a_whole_body_is_cast_to_the_arguments_type() {
        let body = Bytes::from_static(b"{}");
        let sql_type = "jsonb".to_owned();
        let sql = statement(Returns::Scalar, false, Input::Whole { body, sql_type });
        assert!(sql.contains("\"s\".\"f\"($1::jsonb)"));
    }
}

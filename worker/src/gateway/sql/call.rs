//! Calling a function: JSON in by `json_to_record`, JSON out by `json_agg`.

use bytes::Bytes;

use super::RESPONSE_GUCS;
use super::quote::{identifier, qualified};
use super::writer::Writer;
use crate::gateway::catalog::{Argument, Function, Returns};
use crate::gateway::database::{Param, Sql};

/// What the function is given.
pub(crate) enum Input {
    /// A JSON object, and which of the function's arguments are among its keys.
    Named { object: Bytes, given: Vec<Argument> },
    /// The body itself, as the only and unnamed argument.
    Whole { body: Bytes, sql_type: String },
}

/// The call as rows: `pgrst_scalar` for a scalar, else the columns.
fn source(
    writer: &mut Writer,
    schema: &str,
    name: &str,
    function: &Function,
    input: Input,
) -> String {
    let called = qualified(schema, name);
    let (from, arguments) = match input {
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
    };
    let composite = function.returns == Returns::Composite;
    match (composite, from) {
        (true, Some(from)) => {
            format!("select pgrst_call.* from {from}, lateral {called}({arguments}) pgrst_call")
        }
        (true, None) => format!("select pgrst_call.* from {called}({arguments}) pgrst_call"),
        (false, Some(from)) => format!("select {called}({arguments}) as pgrst_scalar from {from}"),
        (false, None) => format!("select {called}({arguments}) as pgrst_scalar"),
    }
}

fn record(place: &str, given: &[Argument]) -> String {
    let columns: Vec<String> = given
        .iter()
        .map(|argument| format!("{} {}", identifier(&argument.name), argument.sql_type))
        .collect();
    format!(
        "json_to_record({place}::json) as pgrst_args({})",
        columns.join(", ")
    )
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

/// The whole statement.
pub(crate) fn call(schema: &str, name: &str, function: &Function, input: Input) -> Sql {
    let mut writer = Writer::default();
    let source = source(&mut writer, schema, name, function, input);
    let body = match (function.returns, function.returns_set) {
        (Returns::Composite, true) => "coalesce(json_agg(pgrst_r), '[]')::text",
        (Returns::Composite, false) => "coalesce((json_agg(pgrst_r) -> 0)::text, 'null')",
        (_, true) => "coalesce(json_agg(pgrst_r.pgrst_scalar), '[]')::text",
        (_, false) => "coalesce((json_agg(pgrst_r.pgrst_scalar) -> 0)::text, 'null')",
    };
    writer.finish(format!(
        "with pgrst_source as ({source}) \
         select {body}, count(*), null::bigint, {RESPONSE_GUCS} from pgrst_source pgrst_r"
    ))
}

//! The root: what the caller's role can use, as a small OpenAPI 2 document. Functions are described as PostgREST describes them, with
//! their arguments; of a relation only its columns are listed.

use std::collections::BTreeSet;

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::Draft;
use super::request::ApiRequest;
use super::session;
use crate::Gateway;
use crate::http::Answer;
use gristmill_dialect::Layout;
use gristmill_dialect::Verb;
use gristmill_dialect::catalog::{Argument, Catalog, Function, Relation};
use gristmill_dialect::refusal::Refusal;
use gristmill_dialect::sql::writer::Writer;
use gristmill_pool::{Access, RowCheck, Transaction};

/// Asked with the role's own rights, so that nobody learns names they could not use.
const USABLE: &str = "
select json_build_object(
  'relations', (
    select coalesce(json_agg(c.relname), '[]')
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1
      and c.relkind in ('r', 'v', 'm', 'p', 'f')
      and has_schema_privilege(n.oid, 'usage')
      and has_any_column_privilege(c.oid, 'select, insert, update')
  ),
  'functions', (
    select coalesce(json_agg(p.oid::bigint), '[]')
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = $2
      and has_schema_privilege(n.oid, 'usage')
      and has_function_privilege(p.oid, 'execute')
  )
)::text, 1::bigint, null::bigint, null::text, null::text, false";

#[derive(Deserialize)]
struct Usable {
    relations: BTreeSet<String>,
    /// By oid: of an overloaded name a role may be able to call one and not the other.
    functions: BTreeSet<u32>,
}

pub(super) async fn serve(
    gateway: &Gateway,
    catalog: &Catalog,
    request: &ApiRequest,
) -> Result<Answer, Refusal> {
    match request.verb {
        Verb::Get | Verb::Head => {}
        Verb::Options => return Ok(Draft::new(StatusCode::OK).allow(&["OPTIONS", "GET", "HEAD"])),
        other => return Err(Refusal::Method(other.name().into())),
    }
    request.accepted.description()?;
    let mut writer = Writer::default();
    writer.bind(request.schema.as_str());
    writer.bind(request.schema.as_str());
    let of_role = catalog.roles.get(&request.identity.role);
    let transaction = Transaction {
        isolation: None,
        role: request.identity.role.clone(),
        authenticated: request.identity.authenticated,
        settings: session::settings(&gateway.settings, request, Access::ReadOnly, of_role),
        statement: writer.finish(USABLE.to_owned()),
        layout: Layout::Whole,
        access: Access::ReadOnly,
        epilogue: None,
        commits_last: false,
        timeout: session::timeout(&gateway.settings, &request.identity, of_role),
        estimate: None,
        check: RowCheck::default(),
    };
    let trusted = request.identity.is_trusted();
    let outcome = gateway
        .pool
        .run(&request.visit, trusted, transaction)
        .await?;
    let usable: Usable =
        serde_json::from_slice(outcome.body.first()).map_err(|_| Refusal::NoSchemaCache)?;
    let text = match request.verb {
        Verb::Head => String::new(),
        _ => describe(catalog, &request.schema, &usable).to_string(),
    };
    let draft = Draft::new(StatusCode::OK);
    Ok(draft.with_document(request, "application/openapi+json; charset=utf-8", text))
}

fn describe(catalog: &Catalog, schema: &str, usable: &Usable) -> Value {
    let mut paths = Map::new();
    let mut definitions = Map::new();
    if let Some(known) = catalog.schemas.get(schema) {
        for name in &usable.relations {
            if let Some(relation) = known.relations.get(name) {
                paths.insert(format!("/{name}"), relation_path(name, relation));
                definitions.insert(name.clone(), definition(relation));
            }
        }
        for (name, overloads) in &known.functions {
            let callable: Vec<_> = overloads
                .iter()
                .filter(|function| usable.functions.contains(&function.oid))
                .collect();
            if !callable.is_empty() {
                paths.insert(format!("/rpc/{name}"), function_path(name, &callable));
            }
        }
    }
    json!({
        "swagger": "2.0",
        "info": {
            "title": schema,
            "description": "Served by gristmill gateway",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "basePath": "/",
        "consumes": ["application/json"],
        "produces": ["application/json", "application/vnd.pgrst.object+json", "text/csv"],
        "paths": paths,
        "definitions": definitions,
    })
}

fn operation(tag: &str) -> Value {
    json!({ "tags": [tag], "responses": { "200": { "description": "OK" } } })
}

fn relation_path(name: &str, relation: &Relation) -> Value {
    let mut methods = Map::new();
    methods.insert("get".into(), operation(name));
    for (method, possible) in [
        ("post", relation.insertable),
        ("patch", relation.updatable),
        ("delete", relation.deletable),
    ] {
        if possible {
            methods.insert(method.into(), operation(name));
        }
    }
    Value::Object(methods)
}

fn function_path(name: &str, overloads: &[&Function]) -> Value {
    let tag = format!("(rpc) {name}");
    let mut methods = Map::new();
    let read_only: Vec<_> = overloads
        .iter()
        .filter(|function| !function.volatile)
        .copied()
        .collect();
    if !read_only.is_empty() {
        let query = arguments(&read_only).into_iter().map(Listed::in_query);
        let parameters = query.collect::<Vec<_>>();
        methods.insert("get".into(), call(&tag, &read_only, parameters));
    }
    let body = json!({
        "name": "args",
        "in": "body",
        "required": true,
        "schema": body_schema(overloads),
    });
    methods.insert("post".into(), call(&tag, overloads, vec![body]));
    Value::Object(methods)
}

/// An operation with its parameters, and the function's comment: the first line is the summary, the rest the description.
fn call(tag: &str, overloads: &[&Function], parameters: Vec<Value>) -> Value {
    let mut operation = operation(tag);
    operation["parameters"] = parameters.into();
    let comment = overloads
        .iter()
        .find_map(|function| function.description.as_deref());
    if let Some(comment) = comment {
        let (summary, rest) = comment.split_once('\n').unwrap_or((comment, ""));
        operation["summary"] = summary.into();
        if !rest.trim().is_empty() {
            operation["description"] = rest.trim_start_matches('\n').into();
        }
    }
    operation
}

/// An argument as the document lists it.
struct Listed<'a> {
    argument: &'a Argument,
    required: bool,
}

/// The named arguments of a function in their order. Of an overloaded one those of all forms; only what each form needs is required.
fn arguments<'a>(overloads: &[&'a Function]) -> Vec<Listed<'a>> {
    let mut listed: Vec<Listed<'a>> = Vec::new();
    for argument in overloads.iter().flat_map(|function| &function.arguments) {
        let is_known = listed
            .iter()
            .any(|known| known.argument.name == argument.name);
        if argument.name.is_empty() || is_known {
            continue;
        }
        let is_needed = |function: &&Function| {
            let mut arguments = function.arguments.iter();
            arguments.any(|other| other.name == argument.name && other.required)
        };
        listed.push(Listed {
            argument,
            required: overloads.iter().all(is_needed),
        });
    }
    listed
}

impl Listed<'_> {
    fn in_query(self) -> Value {
        let mut parameter = described_type(&self.argument.sql_type);
        parameter.insert("name".into(), self.argument.name.as_str().into());
        parameter.insert("in".into(), "query".into());
        parameter.insert("required".into(), self.required.into());
        if self.argument.variadic {
            // The name is given once per value.
            parameter.insert("collectionFormat".into(), "multi".into());
        }
        // OpenAPI 2 knows no parameter of a query without a type.
        parameter.entry("type").or_insert_with(|| "string".into());
        Value::Object(parameter)
    }
}

fn body_schema(overloads: &[&Function]) -> Value {
    // A single argument without a name takes the whole body.
    if let [function] = overloads
        && let [argument] = function.arguments.as_slice()
        && argument.name.is_empty()
    {
        return Value::Object(described_type(&argument.sql_type));
    }
    let listed = arguments(overloads);
    let required: Vec<_> = listed
        .iter()
        .filter(|one| one.required)
        .map(|one| one.argument.name.as_str())
        .collect();
    let mut schema = json!({ "type": "object" });
    // An empty list of required properties is not allowed in OpenAPI 2.
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    let properties = listed.iter().map(|one| {
        let described = described_type(&one.argument.sql_type);
        (one.argument.name.clone(), Value::Object(described))
    });
    schema["properties"] = Value::Object(properties.collect());
    schema
}

/// A type of Postgres in the words of JSON, with its own name as the format. JSON has no type here: it may be anything.
fn described_type(sql_type: &str) -> Map<String, Value> {
    let mut described = Map::new();
    described.insert("format".into(), sql_type.into());
    if let Some(element) = sql_type.strip_suffix("[]") {
        described.insert("type".into(), "array".into());
        described.insert("items".into(), Value::Object(described_type(element)));
    } else if let Some(json_type) = json_type(sql_type) {
        described.insert("type".into(), json_type.into());
    }
    described
}

fn json_type(sql_type: &str) -> Option<&'static str> {
    Some(match sql_type {
        "json" | "jsonb" => return None,
        "boolean" => "boolean",
        "smallint" | "integer" | "bigint" => "integer",
        "numeric" | "real" | "double precision" => "number",
        _ => "string",
    })
}

fn definition(relation: &Relation) -> Value {
    let mut properties = Map::new();
    for column in &relation.columns {
        properties.insert(column.name.clone(), json!({ "format": column.sql_type }));
    }
    json!({ "type": "object", "properties": properties })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_dialect::catalog::{Returns, Schema, TransactionSettings};

    #[test]
    fn only_what_the_role_can_use_is_described() {
        let mut schema = Schema::default();
        for name in ["seen", "hidden"] {
            let relation = Relation::default();
            schema.relations.insert(name.into(), relation);
        }
        let mut catalog = Catalog::default();
        catalog.schemas.insert("api".into(), schema);
        let usable = Usable {
            relations: ["seen".to_owned()].into(),
            functions: BTreeSet::new(),
        };
        let document = describe(&catalog, "api", &usable);
        assert!(document["paths"]["/seen"]["get"].is_object());
        assert!(document["paths"]["/seen"]["post"].is_null());
        assert!(document["paths"]["/hidden"].is_null());
    }

    fn function(oid: u32, arguments: &[(&str, &str, bool)]) -> Function {
        Function {
            oid,
            description: Some("Counts.\nSlowly.".into()),
            arguments: arguments
                .iter()
                .map(|(name, sql_type, required)| Argument {
                    name: (*name).to_owned(),
                    sql_type: (*sql_type).to_owned(),
                    required: *required,
                    variadic: false,
                })
                .collect(),
            returns: Returns::Scalar,
            returns_set: false,
            volatile: true,
            rows_of: None,
            settings: TransactionSettings::default(),
        }
    }

    #[test]
    fn arguments_have_names_types_and_say_which_are_required() {
        let one = function(1, &[("a", "integer", true), ("b", "jsonb[]", false)]);
        let path = function_path("count", &[&one]);
        assert_eq!(
            path["post"]["parameters"][0]["schema"],
            json!({
                "type": "object",
                "required": ["a"],
                "properties": {
                    "a": { "type": "integer", "format": "integer" },
                    "b": { "type": "array", "format": "jsonb[]", "items": { "format": "jsonb" } },
                },
            })
        );
        assert_eq!(path["post"]["summary"], "Counts.");
        assert_eq!(path["post"]["description"], "Slowly.");
        assert!(path["get"].is_null(), "a volatile function is not read");
    }

    #[test]
    fn of_an_overloaded_function_only_what_each_form_needs_is_required() {
        let short = function(1, &[("a", "integer", true)]);
        let long = function(2, &[("a", "integer", true), ("b", "text", true)]);
        let schema = body_schema(&[&short, &long]);
        assert_eq!(schema["required"], json!(["a"]));
        assert_eq!(schema["properties"]["b"]["type"], "string");
    }

    #[test]
    fn an_argument_without_a_name_is_the_whole_body() {
        let one = function(1, &[("", "text", true)]);
        assert_eq!(
            body_schema(&[&one]),
            json!({ "type": "string", "format": "text" })
        );
    }
}

//! The root: what the caller's role can use, as a small OpenAPI 2 document.

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
use gristmill_dialect::catalog::{Catalog, Function, Relation};
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
    select coalesce(json_agg(distinct p.proname), '[]')
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
    functions: BTreeSet<String>,
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
        for name in &usable.functions {
            if let Some(overloads) = known.functions.get(name) {
                paths.insert(format!("/rpc/{name}"), function_path(name, overloads));
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

fn function_path(name: &str, overloads: &[Function]) -> Value {
    let tag = format!("(rpc) {name}");
    let mut methods = Map::new();
    if overloads.iter().any(|function| !function.volatile) {
        methods.insert("get".into(), operation(&tag));
    }
    methods.insert("post".into(), operation(&tag));
    Value::Object(methods)
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
    use gristmill_dialect::catalog::Schema;

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
}

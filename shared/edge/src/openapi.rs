//! OpenAPI 3.1 from routes. Schemas stand in place instead of in a list of their own: a type that is read and
//! written has two, and each endpoint can be read by itself.

use std::collections::BTreeMap;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::idempotency;
use super::route::{Caller, Route, SchemaOf};
use gristmill_core::Code;

/// The document of one function, by the name under which it was called.
pub(super) fn document(function: &str, description: &str, routes: &[&Route]) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for &route in routes {
        let methods = paths.entry(route.path).or_insert_with(|| json!({}));
        methods[route.method.as_ref().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("Gristmill {function}"),
            "description": description,
            "version": env!("CARGO_PKG_VERSION"),
        },
        "servers": [{ "url": "." }],
        "paths": paths,
        "components": {
            "schemas": { "Problem": problem() },
            "securitySchemes": security_schemes(routes),
        },
    })
}

fn operation(route: &Route) -> Value {
    let mut operation = json!({ "summary": route.summary, "responses": responses(route) });
    if let Some(scheme) = scheme(route.caller) {
        operation["security"] = json!([{ scheme: [] }]);
    }
    let parameters = parameters(route);
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = &route.body {
        let schema = body.schema.map_or_else(|| json!({}), read);
        operation["requestBody"] =
            json!({ "required": true, "content": { body.media_type: { "schema": schema } } });
    }
    operation
}

fn parameters(route: &Route) -> Vec<Value> {
    let mut all: Vec<_> = route
        .parameters
        .iter()
        .map(|p| {
            json!({ "in": p.place, "name": p.name, "description": p.description,
                    "required": p.required, "schema": read(p.schema) })
        })
        .collect();
    let query = route.query.map_or(Value::Null, read);
    let required = query["required"].as_array().cloned().unwrap_or_default();
    for (name, schema) in query["properties"].as_object().into_iter().flatten() {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|s| s.remove("description"));
        all.push(json!({ "in": "query", "name": name, "description": description.unwrap_or_default(),
            "required": required.iter().any(|field| field == name), "schema": without_null(schema) }));
    }
    all
}

// A query string cannot say null: an optional field is one that may be absent.
fn without_null(mut schema: Value) -> Value {
    if let Some(types) = schema["type"].as_array() {
        let types: Vec<_> = types
            .iter()
            .filter(|name| *name != "null")
            .cloned()
            .collect();
        schema["type"] = match <[Value; 1]>::try_from(types) {
            Ok([only]) => only,
            Err(several) => Value::Array(several),
        };
    } else if schema["type"].is_null()
        && let Some(object) = schema.as_object_mut()
    {
        object.remove("type");
    }
    schema
}

fn responses(route: &Route) -> Value {
    let mut responses = Map::new();
    for answer in &route.answers {
        let mut response = json!({ "description": answer.description });
        if !answer.media_type.is_empty() {
            let schema = answer.schema.map_or_else(|| json!({}), written);
            response["content"] = json!({ answer.media_type: { "schema": schema } });
        }
        if route.takes_key && (200..300).contains(&answer.status) {
            response["headers"] = json!({ idempotency::REPLAYED: {
                "description": "true when this answer was given before, under the same Idempotency-Key",
                "schema": { "type": "string", "enum": ["true"] } } });
        }
        responses.insert(answer.status.to_string(), response);
    }
    for (status, codes) in refusals(route) {
        let words: Vec<_> = codes.iter().map(|code| code.as_str()).collect();
        let schema = json!({ "allOf": [
            { "$ref": "#/components/schemas/Problem" },
            { "properties": { "code": { "enum": words } } },
        ] });
        let entry = responses
            .entry(status.to_string())
            .or_insert_with(|| json!({}));
        if entry["description"].is_null() {
            entry["description"] = words.join(", ").into();
        }
        entry["content"]["application/problem+json"] = json!({ "schema": schema });
    }
    Value::Object(responses)
}

// What follows from who calls and what is read, and what the route adds.
fn refusals(route: &Route) -> BTreeMap<u16, Vec<Code>> {
    let mut codes = vec![Code::Internal, Code::Misconfigured];
    match route.caller {
        Caller::Anyone => {}
        Caller::User => codes.extend([
            Code::TokenMissing,
            Code::TokenRefused,
            Code::Forbidden,
            Code::DatabaseUnavailable,
            Code::Maintenance,
        ]),
        Caller::Holder(_) => codes.extend([Code::TokenMissing, Code::TokenRefused]),
        Caller::Postgres => codes.extend([Code::BadSignature, Code::DatabaseUnavailable]),
    }
    if let Some(body) = &route.body {
        codes.push(Code::TooLarge);
        if body.schema.is_some() {
            codes.extend([Code::EmptyBody, Code::NotJson, Code::InvalidField]);
        }
    }
    if route.query.is_some() || !route.parameters.is_empty() {
        codes.push(Code::InvalidField);
    }
    if route.path.contains('{') {
        codes.push(Code::NotFound);
    }
    codes.extend_from_slice(&route.refusals);

    let mut by_status: BTreeMap<u16, Vec<Code>> = BTreeMap::new();
    for code in codes {
        let known = by_status.entry(code.status()).or_default();
        if !known.contains(&code) {
            known.push(code);
        }
    }
    by_status
}

const fn scheme(caller: Caller) -> Option<&'static str> {
    match caller {
        Caller::Anyone => None,
        Caller::User => Some("user"),
        Caller::Holder(binding) => Some(binding),
        Caller::Postgres => Some("signature"),
    }
}

fn security_schemes(routes: &[&Route]) -> Value {
    let mut schemes = Map::new();
    for route in routes {
        let described = match route.caller {
            Caller::Anyone => continue,
            Caller::User => json!({ "type": "http", "scheme": "bearer", "bearerFormat": "JWT" }),
            Caller::Holder(_) => json!({ "type": "http", "scheme": "bearer" }),
            Caller::Postgres => {
                json!({ "type": "apiKey", "in": "header", "name": "webhook-signature",
                "description": "Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature" })
            }
        };
        if let Some(name) = scheme(route.caller) {
            schemes.insert(name.to_owned(), described);
        }
    }
    Value::Object(schemes)
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "RFC 9457 problem details; docs/errors.md lists the codes",
        "required": ["type", "title", "status", "code", "detail", "correlation_id"],
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "code": { "type": "string" },
            "detail": { "type": "string" },
            "field": { "type": "string" },
            "correlation_id": { "type": "string" },
        },
    })
}

fn read(schema: SchemaOf) -> Value {
    in_place(SchemaSettings::draft2020_12().for_deserialize(), schema)
}

fn written(schema: SchemaOf) -> Value {
    in_place(SchemaSettings::draft2020_12().for_serialize(), schema)
}

fn in_place(settings: SchemaSettings, schema: SchemaOf) -> Value {
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    schema(&mut SchemaGenerator::new(settings)).to_value()
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::super::route::{get, post};
    use super::super::{Call, Config, Reply};
    use super::*;
    use gristmill_core::Problem;

    #[derive(JsonSchema, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Input {
        kind: String,
        /// Higher first.
        priority: Option<i32>,
    }

    async fn nothing(_: &mut Call, _: &Config) -> Result<Reply, Problem> {
        Reply::json(200, &())
    }

    #[test]
    fn a_route_documents_its_body_its_answers_and_what_follows_from_its_caller() {
        let route = post("/", nothing)
            .by(Caller::User)
            .json::<Input>()
            .answers::<Vec<String>>(202, "Accepted")
            .refuses(&[Code::UnknownKind]);
        let document = document("test", "A test", &[&route]);
        let operation = &document["paths"]["/"]["post"];
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(body["required"], json!(["kind"]));
        assert_eq!(body["additionalProperties"], json!(false));
        assert_eq!(operation["security"], json!([{ "user": [] }]));
        for status in ["202", "400", "401", "403", "413", "422", "500", "503"] {
            assert!(operation["responses"][status].is_object(), "{status}");
        }
        let refused = &operation["responses"]["422"]["content"]["application/problem+json"];
        assert_eq!(
            refused["schema"]["allOf"][1]["properties"]["code"]["enum"],
            json!(["unknown_kind"])
        );
    }

    #[test]
    fn a_repeatable_route_documents_its_key_what_it_refuses_and_the_header_of_a_replay() {
        let route = post("/", nothing).by(Caller::User).json::<Input>();
        let route = route.answers::<Vec<String>>(202, "Accepted").repeatable();
        let document = document("test", "", &[&route]);
        let operation = &document["paths"]["/"]["post"];
        let header = &operation["parameters"][0];
        assert_eq!(
            (
                &header["name"],
                &header["required"],
                &header["schema"]["maxLength"]
            ),
            (&json!("idempotency-key"), &json!(false), &json!(255))
        );
        let answers = &operation["responses"];
        assert!(answers["202"]["headers"]["idempotent-replayed"].is_object());
        for (status, code) in [
            ("409", "still_running"),
            ("422", "other_body"),
            ("429", "too_many_keys"),
        ] {
            let schema = &answers[status]["content"]["application/problem+json"]["schema"];
            assert_eq!(
                schema["allOf"][1]["properties"]["code"]["enum"],
                json!([code])
            );
        }
    }

    #[test]
    fn a_query_is_a_parameter_a_field() {
        let route = get("/{id}", nothing).query::<Input>();
        let document = document("test", "", &[&route]);
        assert_eq!(
            document["paths"]["/{id}"]["get"]["parameters"][1],
            json!({ "in": "query", "name": "priority", "description": "Higher first.", "required": false,
                    "schema": { "type": "integer", "format": "int32" } })
        );
    }
}

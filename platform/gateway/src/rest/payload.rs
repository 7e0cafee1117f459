//! Rows that a client sends: which columns they have, the values left to Postgres.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::media::ContentType;
use gristmill_dialect::catalog::Relation;
use gristmill_dialect::query::Query;
use gristmill_dialect::refusal::Refusal;
use gristmill_dialect::sql::write::Payload;

type Row = BTreeMap<String, IgnoredAny>;

/// Reads the body, and holds its columns against the relation.
pub(super) fn read(
    content_type: &ContentType,
    body: Bytes,
    query: &Query,
    name: &str,
    relation: &Relation,
    fill_defaults: bool,
) -> Result<Payload, Refusal> {
    let (json, is_array, keys) = rows(content_type, body, query.columns.is_none())?;
    let columns = query.columns.clone().unwrap_or(keys);
    for column in &columns {
        if relation.column(column).is_none() {
            return Err(Refusal::NoColumn {
                table: name.to_owned(),
                column: column.clone(),
            });
        }
    }
    Ok(Payload {
        json,
        is_array,
        columns,
        fill_defaults,
    })
}

fn rows(
    content_type: &ContentType,
    body: Bytes,
    uniform: bool,
) -> Result<(Bytes, bool, Vec<String>), Refusal> {
    match content_type {
        ContentType::Json => json_rows(body, uniform),
        ContentType::Form => {
            let mut object = Map::new();
            for (key, value) in form_urlencoded::parse(&body) {
                object.insert(key.into_owned(), value.into_owned().into());
            }
            let keys = object.keys().cloned().collect();
            Ok((Value::Object(object).to_string().into(), false, keys))
        }
        _ => Err(Refusal::Body("Content-Type not acceptable".into())),
    }
}

fn json_rows(body: Bytes, uniform: bool) -> Result<(Bytes, bool, Vec<String>), Refusal> {
    let invalid = |_| Refusal::Body("Empty or invalid json".into());
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'[') {
        let row: Row = serde_json::from_slice(&body).map_err(invalid)?;
        return Ok((body, false, row.into_keys().collect()));
    }
    let rows: Vec<Row> = serde_json::from_slice(&body).map_err(invalid)?;
    let mut rows = rows.into_iter();
    let first = rows.next().unwrap_or_default();
    if uniform && rows.any(|row| !row.keys().eq(first.keys())) {
        return Err(Refusal::Body("All object keys must match".into()));
    }
    Ok((body, true, first.into_keys().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &'static str) -> Result<(Bytes, bool, Vec<String>), Refusal> {
        json_rows(Bytes::from_static(text.as_bytes()), true)
    }

    #[test]
    fn one_object_or_an_array_of_them_is_a_payload() {
        let (_, is_array, keys) = json(r#"{"b":1,"a":null}"#).unwrap();
        assert!(!is_array);
        assert_eq!(keys, ["a", "b"]);
        let (_, is_array, keys) = json(" [{\"a\":1},{\"a\":2}]").unwrap();
        assert!(is_array);
        assert_eq!(keys, ["a"]);
        assert_eq!(json("[]").unwrap().2, [""; 0]);
    }

    #[test]
    fn rows_must_have_the_same_keys() {
        let refused = json(r#"[{"a":1},{"a":1,"b":2}]"#).unwrap_err();
        assert!(matches!(refused, Refusal::Body(text) if text == "All object keys must match"));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "1", "\"a\"", "[1]", "{", "[{]", "null"] {
            assert!(json(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_does_not_exhaust_the_stack() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        // Values are skipped without recursion; how deep they may be is Postgres' to say.
        assert_eq!(json_rows(deep.into(), true).unwrap().2, ["a"]);
    }
}

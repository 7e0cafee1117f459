//! POST, PUT, PATCH and DELETE.

use bytes::Bytes;
use hyper::StatusCode;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use super::{Target, Work};
use crate::http::Answer;
use crate::rest::answer::Draft;
use crate::rest::payload;
use gristmill_dialect::Verb;
use gristmill_dialect::preferences::{Missing, Representation, Resolution};
use gristmill_dialect::query::{Condition, Operation, Query};
use gristmill_dialect::range::content_range;
use gristmill_dialect::refusal::Refusal;
use gristmill_dialect::sql::Format;
use gristmill_dialect::sql::write::{Change, OnConflict, Payload, Write, WriteAnswer};
use gristmill_pool::{Access, Outcome, RowCheck};

pub(super) async fn serve(target: &Target<'_>, body: Bytes) -> Result<Answer, Refusal> {
    let request = target.request;
    let query = target.query()?;
    let format = request.accepted.rows()?;
    if query.limit.is_some() || query.offset.is_some() {
        // PostgREST 13 ignores it on PATCH and DELETE: more rows would change than were meant to.
        return Err(Refusal::LimitNotAllowed(request.verb.name().into()));
    }
    let change = change(target, &query, body)?;
    let representation = request.preferences.representation;
    let returns_rows = representation == Some(Representation::Full);
    let answer = match representation {
        Some(Representation::Full) => WriteAnswer::Rows(format),
        Some(Representation::HeadersOnly) if request.verb == Verb::Post => WriteAnswer::Key,
        _ => WriteAnswer::Nothing,
    };
    let is_put = request.verb == Verb::Put;
    let check = RowCheck {
        singular: format.is_singular() && returns_rows,
        max_affected: match request.verb {
            Verb::Patch | Verb::Delete => request.preferences.max_affected,
            _ => None,
        },
        exactly_one: is_put,
    };
    let statement = Write {
        schema: &request.schema,
        name: target.name,
        relation: target.relation,
        query: &query,
        change,
        answer,
    }
    .statement();
    let work = Work {
        access: Access::ReadWrite,
        statement,
        layout: answer.layout(),
        estimate: None,
        check,
    };
    let outcome = target.run(work).await?;
    respond(target, answer, format, outcome)
}

fn change(target: &Target<'_>, query: &Query, body: Bytes) -> Result<Change, Refusal> {
    let request = target.request;
    let preferences = &request.preferences;
    if request.verb == Verb::Delete {
        return Ok(Change::Delete);
    }
    let payload = payload::read(
        &request.content_type,
        body,
        query,
        target.name,
        target.relation,
        preferences.missing == Some(Missing::Default),
    )?;
    let key = &target.relation.primary_key;
    Ok(match request.verb {
        Verb::Patch => Change::Update(payload),
        Verb::Put => {
            check_put(query, key, &payload)?;
            Change::Insert {
                payload,
                on_conflict: Some(OnConflict {
                    columns: key.clone(),
                    merge: true,
                }),
                only_matching: true,
            }
        }
        _ => {
            let columns = query.on_conflict.as_ref().unwrap_or(key);
            let on_conflict = preferences.resolution.map(|resolution| OnConflict {
                columns: columns.clone(),
                merge: resolution == Resolution::Merge,
            });
            Change::Insert {
                payload,
                // Without a key there is nothing that could be in conflict.
                on_conflict: on_conflict.filter(|_| !columns.is_empty()),
                only_matching: false,
            }
        }
    })
}

/// The filters must name one row by its whole key, and the payload must hold that key.
fn check_put(query: &Query, key: &[String], payload: &Payload) -> Result<(), Refusal> {
    let mut named = Vec::new();
    for condition in &query.conditions {
        match condition {
            Condition::Compare {
                field,
                negated: false,
                operation:
                    Operation::Operator {
                        sql: "=",
                        quantifier: None,
                        ..
                    },
            } if field.path.is_empty() => named.push(&field.name),
            _ => return Err(Refusal::PutFilters),
        }
    }
    let whole = !key.is_empty()
        && named.len() == key.len()
        && key.iter().all(|column| named.contains(&column));
    if !whole {
        return Err(Refusal::PutFilters);
    }
    match key.iter().all(|column| payload.columns.contains(column)) {
        true => Ok(()),
        false => Err(Refusal::PutMismatch),
    }
}

fn respond(
    target: &Target<'_>,
    answer: WriteAnswer,
    format: Format,
    outcome: Outcome,
) -> Result<Answer, Refusal> {
    let request = target.request;
    let preferences = &request.preferences;
    let updated = outcome.total.unwrap_or(0);
    let only_updated = updated > 0 && updated >= outcome.rows;
    let status = match (request.verb, answer) {
        (Verb::Post, _) if only_updated => StatusCode::OK,
        (Verb::Post, _) => StatusCode::CREATED,
        (Verb::Put, WriteAnswer::Rows(_)) if !only_updated => StatusCode::CREATED,
        (_, WriteAnswer::Rows(_)) => StatusCode::OK,
        _ => StatusCode::NO_CONTENT,
    };
    let mut draft = Draft::new(status);
    let counted = preferences.count.map(|_| outcome.rows);
    match request.verb {
        Verb::Patch => draft.header("content-range", &content_range(0, outcome.rows, counted)),
        Verb::Post | Verb::Delete => draft.header("content-range", &content_range(0, 0, counted)),
        _ => {}
    }
    draft.applied(preferences.applied_to_write(request.verb));
    match answer {
        WriteAnswer::Rows(_) => draft.with_rows(request, format, outcome),
        WriteAnswer::Key => {
            if let Some(location) = location(target, &outcome) {
                draft.header("location", &location);
            }
            draft.without_body(&outcome)
        }
        WriteAnswer::Nothing => draft.without_body(&outcome),
    }
}

/// Where the one row that was inserted can be read.
fn location(target: &Target<'_>, outcome: &Outcome) -> Option<String> {
    if outcome.rows != 1 || target.relation.primary_key.is_empty() {
        return None;
    }
    let key: Map<String, Value> = serde_json::from_slice(outcome.body.first()).ok()?;
    let filters: Vec<String> = key
        .iter()
        .map(|(column, value)| {
            let column = utf8_percent_encode(column, NON_ALPHANUMERIC);
            match value {
                Value::Null => format!("{column}=is.null"),
                Value::String(text) => {
                    format!(
                        "{column}=eq.{}",
                        utf8_percent_encode(text, NON_ALPHANUMERIC)
                    )
                }
                other => format!(
                    "{column}=eq.{}",
                    utf8_percent_encode(&other.to_string(), NON_ALPHANUMERIC)
                ),
            }
        })
        .collect();
    let name = utf8_percent_encode(target.name, NON_ALPHANUMERIC).to_string();
    // Underscores are common in names and harmless in a path.
    let name = name.replace("%5F", "_");
    Some(format!("/{name}?{}", filters.join("&").replace("%5F", "_")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(query: &str, columns: &[&str]) -> Result<(), Refusal> {
        let payload = Payload {
            json: Bytes::new(),
            is_array: false,
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            fill_defaults: false,
        };
        let key = ["a".to_owned(), "b".to_owned()];
        check_put(&Query::parse(query).unwrap(), &key, &payload)
    }

    #[test]
    fn a_put_names_its_row_by_the_whole_key_and_nothing_else() {
        assert!(put("a=eq.1&b=eq.2", &["a", "b", "c"]).is_ok());
        for query in [
            "a=eq.1",
            "a=eq.1&b=gt.2",
            "a=eq.1&b=eq.2&c=eq.3",
            "",
            "a=eq.1&a=eq.1",
        ] {
            assert!(
                matches!(put(query, &["a", "b"]), Err(Refusal::PutFilters)),
                "{query}"
            );
        }
        let mismatch = put("a=eq.1&b=eq.2", &["a"]);
        assert!(matches!(mismatch, Err(Refusal::PutMismatch)));
    }
}

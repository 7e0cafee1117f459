//! A data type without code: endpoint, JSON Schema and column map come from its registry row.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value};

use super::asked::TypeRow;
use super::refusal::Refusal;
use super::schema::Schema;

/// What one response may write at the most.
const MOST_ROWS: usize = 1000;

#[derive(Debug)]
pub(super) struct Declared {
    schema: Schema,
    columns: Vec<(String, String)>,
    source_column: Option<String>,
}

impl Declared {
    /// The declared fetcher of a row with its endpoint; none when the row has no endpoint.
    pub(super) fn of(row: &TypeRow) -> Result<Option<(Self, &str)>, Refusal> {
        let (Some(template), Some(schema), Some(map)) = (
            &row.endpoint_template,
            &row.response_schema,
            &row.column_map,
        ) else {
            return Ok(None);
        };
        let schema = serde_json::from_value(schema.clone()).map_err(|error| {
            Refusal::Schema(format!("the schema itself cannot be read: {error}"))
        })?;
        let columns = map
            .iter()
            .map(|(column, pointer)| {
                let pointer = pointer.as_str().unwrap_or_default();
                (column.clone(), pointer.to_owned())
            })
            .collect();
        let source_column = row.source_timestamp_column.clone();
        let declared = Self {
            schema,
            columns,
            source_column,
        };
        Ok(Some((declared, template)))
    }

    pub(super) fn rows(&self, body: &[u8]) -> Result<Vec<Map<String, Value>>, Refusal> {
        let body: Value = serde_json::from_slice(body).map_err(|_| Refusal::NotJson)?;
        self.schema.check(&body).map_err(Refusal::Schema)?;
        let items = match body {
            Value::Array(items) => items,
            item => vec![item],
        };
        if items.len() > MOST_ROWS {
            return Err(Refusal::Insane(format!("more than {MOST_ROWS} rows")));
        }
        Ok(items.iter().map(|item| self.row(item)).collect())
    }

    fn row(&self, item: &Value) -> Map<String, Value> {
        self.columns
            .iter()
            .map(|(column, pointer)| {
                let value = item.pointer(pointer).cloned().unwrap_or(Value::Null);
                let is_source = self.source_column.as_ref() == Some(column);
                (
                    column.clone(),
                    if is_source { moment(value) } else { value },
                )
            })
            .collect()
    }
}

// Seconds or milliseconds of the epoch, or text that is a moment already; anything else stays and is refused later.
fn moment(value: Value) -> Value {
    let time = match &value {
        Value::Number(number) => number.as_f64().and_then(|number| {
            let millis = if number > 1e11 {
                number
            } else {
                number * 1000.0
            };
            DateTime::<Utc>::from_timestamp_millis(millis as i64)
        }),
        Value::String(text) => text.parse::<DateTime<Utc>>().ok(),
        _ => None,
    };
    time.map_or(value, |time| {
        Value::String(time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    })
}

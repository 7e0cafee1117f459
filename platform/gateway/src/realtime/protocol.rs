//! Phoenix's messages as supabase-js writes and reads them: an object in version 1, an array in version 2.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Binding, Event, Filter};

/// How messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Object,
    Array,
}

impl Version {
    pub(super) fn named(name: Option<&str>) -> Self {
        match name {
            Some(name) if name.starts_with('2') => Self::Array,
            _ => Self::Object,
        }
    }

    /// A message to the client.
    pub(super) fn write(
        self,
        join_ref: Option<&str>,
        reference: Option<&str>,
        topic: &str,
        event: &str,
        payload: &Value,
    ) -> String {
        match self {
            Self::Object => {
                json!({ "topic": topic, "event": event, "payload": payload, "ref": reference, "join_ref": join_ref })
            }
            Self::Array => json!([join_ref, reference, topic, event, payload]),
        }
        .to_string()
    }

    pub(super) fn read(self, text: &str) -> Option<Message> {
        match self {
            Self::Object => serde_json::from_str(text).ok(),
            Self::Array => {
                let (join_ref, reference, topic, event, payload) =
                    serde_json::from_str(text).ok()?;
                Some(Message {
                    join_ref,
                    reference,
                    topic,
                    event,
                    payload,
                })
            }
        }
    }
}

/// A message of the client.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) join_ref: Option<String>,
    #[serde(rename = "ref", default)]
    pub(super) reference: Option<String>,
    pub(super) topic: String,
    pub(super) event: String,
    #[serde(default)]
    pub(super) payload: Value,
}

/// What a client asks for when it joins.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Join {
    #[serde(default)]
    config: Config,
    pub(super) access_token: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default)]
    postgres_changes: Vec<Value>,
}

#[derive(Deserialize)]
struct Wanted {
    event: String,
    schema: String,
    table: Option<String>,
    filter: Option<String>,
}

/// Bindings of one channel.
const MOST_BINDINGS: usize = 50;

impl Join {
    /// The bindings, and each as the client wrote it with its id: supabase-js compares what it asked for with what it gets.
    pub(super) fn bindings(
        self,
        mut next_id: impl FnMut() -> u64,
    ) -> Result<(Vec<Binding>, Vec<Value>), String> {
        if self.config.postgres_changes.len() > MOST_BINDINGS {
            return Err(format!("a channel has at most {MOST_BINDINGS} bindings"));
        }
        let mut bindings = Vec::new();
        let mut echoes = Vec::new();
        for mut echo in self.config.postgres_changes {
            let wanted: Wanted = serde_json::from_value(echo.clone())
                .map_err(|error| format!("a binding is not understood: {error}"))?;
            let id = next_id();
            bindings.push(Binding {
                id,
                event: Event::named(&wanted.event)
                    .ok_or_else(|| format!("there is no event {}", wanted.event))?,
                schema: wanted.schema,
                table: wanted.table.filter(|table| table != "*"),
                filter: wanted.filter.as_deref().map(Filter::parse).transpose()?,
            });
            if let Value::Object(fields) = &mut echo {
                fields.insert("id".into(), id.into());
            }
            echoes.push(echo);
        }
        Ok((bindings, echoes))
    }
}

impl Event {
    fn named(name: &str) -> Option<Self> {
        match name {
            "*" => Some(Self::All),
            "INSERT" => Some(Self::Insert),
            "UPDATE" => Some(Self::Update),
            "DELETE" => Some(Self::Delete),
            _ => None,
        }
    }

    pub(super) fn fits(self, kind: &str) -> bool {
        self == Self::All || Self::named(kind) == Some(self)
    }
}

impl Filter {
    fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').and_then(|(column, rest)| {
            let (operator, value) = rest.split_once('.')?;
            Some((column, operator, value))
        });
        match parts {
            Some((
                column,
                operator @ ("eq" | "neq" | "lt" | "lte" | "gt" | "gte" | "in"),
                value,
            )) => Ok(Self {
                column: column.to_owned(),
                operator: operator.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err(format!(
                "the filter {text} is not understood; expected column=eq.value, or neq, lt, lte, gt, gte, in"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_read_and_written() {
        let object = r#"{"topic":"t","event":"e","payload":{"a":1},"ref":"2","join_ref":"1"}"#;
        for (version, text) in [
            (Version::Object, object),
            (Version::Array, r#"["1","2","t","e",{"a":1}]"#),
        ] {
            let message = version.read(text).unwrap();
            assert_eq!((message.topic.as_str(), message.event.as_str()), ("t", "e"));
            let again = version.write(
                message.join_ref.as_deref(),
                message.reference.as_deref(),
                "t",
                "e",
                &message.payload,
            );
            let (again, text): (Value, Value) = (
                serde_json::from_str(&again).unwrap(),
                serde_json::from_str(text).unwrap(),
            );
            assert_eq!(again, text);
        }
        assert!(Version::Array.read("{}").is_none());
        assert_eq!(Version::named(Some("2.0.0")), Version::Array);
        assert_eq!(Version::named(None), Version::Object);
    }

    #[test]
    fn a_binding_comes_back_as_it_was_asked_for_with_its_id() {
        let join: Join = serde_json::from_value(json!({ "config": { "postgres_changes": [
            { "event": "*", "schema": "public", "table": "quotes", "filter": "symbol=eq.BRK.B" },
            { "event": "INSERT", "schema": "public" } ] } }))
        .unwrap();
        let mut id = 0;
        let (bindings, echoes) = join
            .bindings(|| {
                id += 1;
                id
            })
            .unwrap();
        assert_eq!(
            echoes[0],
            json!({ "event": "*", "schema": "public", "table": "quotes", "filter": "symbol=eq.BRK.B", "id": 1 })
        );
        let filter = bindings[0].filter.clone().unwrap();
        assert_eq!(
            (filter.column.as_str(), filter.value.as_str()),
            ("symbol", "BRK.B")
        );
        assert!(bindings[1].table.is_none() && bindings[1].event.fits("INSERT"));
        assert!(!bindings[1].event.fits("DELETE"));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in ["symbol", "symbol=AAPL", "symbol=like.A%"] {
            assert!(Filter::parse(text).is_err(), "{text}");
        }
        let join: Join = serde_json::from_value(
            json!({ "config": { "postgres_changes": [{ "event": "TRUNCATE", "schema": "public" }] } }),
        )
        .unwrap();
        assert!(join.bindings(|| 1).is_err());
    }
}

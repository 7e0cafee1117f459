//! What a caller gives to a function, whichever way it was sent.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::media::ContentType;
use gristmill_dialect::refusal::Refusal;

/// The body or the query string, with the names it gives.
#[derive(Debug)]
pub(super) struct Arguments {
    /// Sorted. None when there are no names: another kind of body, or JSON that is no object.
    pub(super) names: Option<Vec<String>>,
    pub(super) payload: Bytes,
}

impl Arguments {
    /// From the body of a POST.
    pub(super) fn from_body(content_type: &ContentType, body: Bytes) -> Result<Self, Refusal> {
        match content_type {
            ContentType::Json => Self::from_json(body),
            ContentType::Form => {
                let pairs = form_urlencoded::parse(&body).into_owned();
                Ok(Self::from_pairs(pairs, |_| false))
            }
            ContentType::Text | ContentType::Xml | ContentType::Binary => Ok(Self {
                names: None,
                payload: body,
            }),
            ContentType::Csv | ContentType::Other(_) => {
                Err(Refusal::Body("Content-Type not acceptable".into()))
            }
        }
    }

    fn from_json(body: Bytes) -> Result<Self, Refusal> {
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self {
                names: Some(Vec::new()),
                payload: Bytes::from_static(b"{}"),
            });
        }
        // Only the keys are read; the values go to Postgres as they came, digit for digit.
        if let Ok(object) = serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(&body) {
            return Ok(Self {
                names: Some(object.into_keys().collect()),
                payload: body,
            });
        }
        match serde_json::from_slice::<IgnoredAny>(&body) {
            Ok(_) => Ok(Self {
                names: None,
                payload: body,
            }),
            Err(_) => Err(Refusal::Body("Empty or invalid json".into())),
        }
    }

    /// From names and values in text. A variadic argument may be given many times.
    pub(super) fn from_pairs(
        pairs: impl IntoIterator<Item = (String, String)>,
        is_variadic: impl Fn(&str) -> bool,
    ) -> Self {
        let mut object = Map::new();
        for (name, value) in pairs {
            if !is_variadic(&name) {
                object.insert(name, value.into());
                continue;
            }
            let list = object.entry(name).or_insert_with(|| Value::Array(vec![]));
            if let Value::Array(values) = list {
                values.push(value.into());
            }
        }
        Self {
            names: Some(object.keys().cloned().collect()),
            payload: Value::Object(object).to_string().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &'static str) -> Result<Arguments, Refusal> {
        Arguments::from_body(&ContentType::Json, Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn an_objects_keys_are_the_names_and_its_text_is_kept() {
        let arguments = json(r#"{"b":1.10,"a":{"x":[]}}"#).unwrap();
        assert_eq!(arguments.names.unwrap(), ["a", "b"]);
        assert_eq!(arguments.payload, r#"{"b":1.10,"a":{"x":[]}}"#);
    }

    #[test]
    fn an_empty_body_gives_no_arguments() {
        assert_eq!(json(" \n").unwrap().names.unwrap(), [""; 0]);
    }

    #[test]
    fn json_that_is_no_object_has_no_names() {
        assert!(json("[1]").unwrap().names.is_none());
        assert!(json("{bad").is_err());
    }

    #[test]
    fn variadic_values_add_up_and_others_replace() {
        let pairs = [("p", "a"), ("p", "b"), ("q", "1"), ("q", "2")];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let arguments = Arguments::from_pairs(pairs, |name| name == "p");
        assert_eq!(arguments.payload, r#"{"p":["a","b"],"q":"2"}"#);
    }
}

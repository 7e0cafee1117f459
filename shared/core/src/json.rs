//! Reading a body: from bytes to a type, or to a problem that names the field.

use serde::de::DeserializeOwned;

use crate::{Code, Problem};

/// Parses a request body. Unknown fields are refused by the type (`deny_unknown_fields`).
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(Problem::new(Code::EmptyBody, "Send a JSON object."));
    }
    let text = std::str::from_utf8(body)
        .map_err(|_| Problem::new(Code::NotJson, "The body is not valid UTF-8."))?;
    let mut input = serde_json::Deserializer::from_str(text);
    let parsed = serde_path_to_error::deserialize(&mut input).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            let field = if path == "." {
                unknown_or_missing(&inner.to_string())
            } else {
                Some(path)
            };
            let problem = Problem::new(Code::InvalidField, sentence(&inner.to_string()));
            field.into_iter().fold(problem, Problem::at)
        } else {
            not_json(&inner)
        }
    })?;
    input.end().map_err(|error| not_json(&error))?;
    Ok(parsed)
}

/// Parses a query string: one field a parameter.
pub fn parse_query<T: DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = error.path().to_string();
        let message = error.into_inner().to_string();
        let field = if path == "." {
            unknown_or_missing(&message)
        } else {
            Some(path)
        };
        let problem = Problem::new(Code::InvalidField, sentence(&message));
        field.into_iter().fold(problem, Problem::at)
    })
}

fn not_json(error: &serde_json::Error) -> Problem {
    let place = format!("line {}, column {}", error.line(), error.column());
    Problem::new(
        Code::NotJson,
        format!("The body could not be read as JSON at {place}."),
    )
}

// serde names the field of a missing or unknown one only in its message, between back quotes.
fn unknown_or_missing(message: &str) -> Option<String> {
    message.split('`').nth(1).map(str::to_owned)
}

// serde repeats the value that it did not expect; an answer repeats nothing that was sent but the name of a field.
fn sentence(message: &str) -> String {
    let message = message
        .rsplit_once(" at line ")
        .map_or(message, |(head, _)| head);
    let expected = message.rsplit_once(", expected ");
    let message = &expected.map_or_else(
        || message.to_owned(),
        |(_, expected)| format!("expected {expected}"),
    );
    let mut letters = message.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        kind: String,
        priority: Option<i32>,
    }

    fn refuse(body: &[u8]) -> Problem {
        parse::<Sample>(body).unwrap_err()
    }

    #[test]
    fn an_empty_body_is_told_from_bad_json() {
        assert_eq!(refuse(b"").code, Code::EmptyBody);
        assert_eq!(refuse(b" \n").code, Code::EmptyBody);
        assert_eq!(refuse(b"{nope").code, Code::NotJson);
        assert_eq!(refuse(b"\xff\xfe").code, Code::NotJson);
        assert_eq!(refuse(br#"{"kind":"a"} trailing"#).code, Code::NotJson);
    }

    #[test]
    fn a_value_is_not_repeated() {
        let refused = refuse(br#"{"kind":"echo","priority":"Jane Doe, expected tomorrow"}"#);
        assert_eq!(refused.detail, "Expected i32.");
        let refused = parse_query::<Sample>("kind=a&priority=JaneDoe").unwrap_err();
        assert!(!refused.detail.contains("Jane"), "{}", refused.detail);
    }

    #[test]
    fn a_query_is_read_by_type_and_its_bad_field_is_named() {
        let sample: Sample = parse_query("kind=a%20b&priority=-3").unwrap();
        assert_eq!((sample.kind.as_str(), sample.priority), ("a b", Some(-3)));
        for (query, field) in [
            ("kind=a&priority=high", "priority"),
            ("priority=1", "kind"),
            ("kind=a&x=1", "x"),
        ] {
            let refused = parse_query::<Sample>(query).unwrap_err();
            assert_eq!(
                (refused.code, refused.field.as_deref()),
                (Code::InvalidField, Some(field))
            );
        }
    }

    #[test]
    fn a_wrong_missing_or_unknown_field_is_named() {
        let wrong = refuse(br#"{"kind":"echo","priority":"high"}"#);
        assert_eq!(
            (wrong.code, wrong.field.as_deref()),
            (Code::InvalidField, Some("priority"))
        );
        assert_eq!(refuse(br#"{"priority":1}"#).field.as_deref(), Some("kind"));
        assert_eq!(
            refuse(br#"{"kind":"echo","colour":1}"#).field.as_deref(),
            Some("colour")
        );
    }
}

//! JSON Schema for the responses of declared types: the part of 2020-12 that describes plain data.
//!
//! Own code because the libraries weigh more than the function: boon adds 488 KB gzipped, twice the whole processor, for
//! references, regular expressions and Unicode tables. What this does not know is refused, never ignored; a test compares
//! its verdicts with boon's.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate};
use serde::Deserialize;
use serde_json::Value;

/// A schema that was read whole: an unknown keyword is an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Schema {
    r#type: Option<Types>,
    r#enum: Option<Vec<Value>>,
    #[serde(deserialize_with = "present")]
    r#const: Option<Value>,
    properties: BTreeMap<String, Schema>,
    required: Vec<String>,
    additional_properties: Option<Additional>,
    items: Option<Box<Schema>>,
    min_items: Option<u64>,
    max_items: Option<u64>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    exclusive_minimum: Option<f64>,
    exclusive_maximum: Option<f64>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    any_of: Option<Vec<Schema>>,
    format: Option<Format>,
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    #[serde(rename = "title")]
    _title: Option<String>,
    #[serde(rename = "description")]
    _description: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Types {
    One(Type),
    Many(Vec<Type>),
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Type {
    Null,
    Boolean,
    Object,
    Array,
    Number,
    Integer,
    String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Additional {
    Allowed(bool),
    Like(Box<Schema>),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Format {
    Date,
    DateTime,
}

// `"const": null` is a constant too.
fn present<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

impl Schema {
    /// Where the first thing is that does not fit, and what; none when all of it fits.
    pub(super) fn check(&self, value: &Value) -> Result<(), String> {
        self.at(value, "")
    }

    fn at(&self, value: &Value, path: &str) -> Result<(), String> {
        let here = || if path.is_empty() { "/" } else { path };
        let fail = |what: &str| Err(format!("{} {what}", here()));
        let fits = |is: &Type| is.fits(value);
        match &self.r#type {
            Some(Types::One(is)) if !fits(is) => return fail("is of the wrong type"),
            Some(Types::Many(all)) if !all.iter().any(fits) => return fail("is of the wrong type"),
            _ => {}
        }
        if self.r#const.as_ref().is_some_and(|it| !equal(it, value))
            || self
                .r#enum
                .as_ref()
                .is_some_and(|all| !all.iter().any(|it| equal(it, value)))
        {
            return fail("is none of the allowed values");
        }
        if let Some(choices) = &self.any_of
            && !choices.iter().any(|schema| schema.at(value, path).is_ok())
        {
            return fail("fits none of the alternatives");
        }
        match value {
            Value::Number(number) => self
                .number(number.as_f64().unwrap_or(f64::NAN))
                .or_else(fail),
            Value::String(text) => self.text(text).or_else(fail),
            Value::Array(items) => {
                let count = items.len() as u64;
                if self.min_items.is_some_and(|least| count < least)
                    || self.max_items.is_some_and(|most| count > most)
                {
                    return fail("has too few or too many items");
                }
                let Some(schema) = &self.items else {
                    return Ok(());
                };
                items
                    .iter()
                    .enumerate()
                    .try_for_each(|(at, item)| schema.at(item, &format!("{path}/{at}")))
            }
            Value::Object(fields) => {
                if let Some(missing) = self
                    .required
                    .iter()
                    .find(|name| !fields.contains_key(*name))
                {
                    return fail(&format!("lacks {missing}"));
                }
                fields
                    .iter()
                    .try_for_each(|(name, field)| self.field(name, field, path))
            }
            Value::Null | Value::Bool(_) => Ok(()),
        }
    }

    fn field(&self, name: &str, value: &Value, path: &str) -> Result<(), String> {
        let path = format!("{path}/{name}");
        match (self.properties.get(name), &self.additional_properties) {
            (Some(schema), _) => schema.at(value, &path),
            (None, Some(Additional::Like(schema))) => schema.at(value, &path),
            (None, Some(Additional::Allowed(false))) => Err(format!("{path} is not expected")),
            (None, _) => Ok(()),
        }
    }

    fn number(&self, number: f64) -> Result<(), &'static str> {
        let inside = self.minimum.is_none_or(|least| number >= least)
            && self.maximum.is_none_or(|most| number <= most)
            && self.exclusive_minimum.is_none_or(|least| number > least)
            && self.exclusive_maximum.is_none_or(|most| number < most);
        inside.then_some(()).ok_or("is out of bounds")
    }

    fn text(&self, text: &str) -> Result<(), &'static str> {
        let length = text.chars().count() as u64;
        if self.min_length.is_some_and(|least| length < least)
            || self.max_length.is_some_and(|most| length > most)
        {
            return Err("is too short or too long");
        }
        let is_dated = match self.format {
            None => true,
            Some(Format::Date) => text.parse::<NaiveDate>().is_ok(),
            Some(Format::DateTime) => DateTime::parse_from_rfc3339(text).is_ok(),
        };
        is_dated.then_some(()).ok_or("is no date")
    }
}

impl Type {
    fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Object, Value::Object(_))
            | (Self::Array, Value::Array(_))
            | (Self::Number, Value::Number(_))
            | (Self::String, Value::String(_)) => true,
            // 1.0 is an integer.
            (Self::Integer, Value::Number(it)) => {
                it.is_i64() || it.is_u64() || it.as_f64().is_some_and(|it| it.fract() == 0.0)
            }
            _ => false,
        }
    }
}

// 1 and 1.0 are the same number.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests;

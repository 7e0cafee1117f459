use serde_json::{Value, json};

use super::Schema;

fn read(schema: &Value) -> Result<Schema, serde_json::Error> {
    serde_json::from_value(schema.clone())
}

fn boon_says(schema: &Value, value: &Value) -> bool {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler
        .add_resource("http://x/s.json", schema.clone())
        .unwrap();
    let index = compiler.compile("http://x/s.json", &mut schemas).unwrap();
    schemas.validate(value, index).is_ok()
}

#[test]
fn a_keyword_that_is_not_understood_is_refused() {
    for schema in [
        json!({"pattern": "^a"}),
        json!({"$ref": "#/x"}),
        json!({"properties": {"a": {"oneOf": []}}}),
        json!({"type": "decimal"}),
        json!({"format": "email"}),
        json!({"items": true}),
    ] {
        assert!(read(&schema).is_err(), "{schema}");
    }
}

#[test]
fn what_does_not_fit_is_named_by_its_place() {
    let schema = read(
        &json!({"type": "array", "items": {"type": "object", "required": ["a"],
        "additionalProperties": false, "properties": {"a": {"type": "number", "minimum": 0}}}}),
    )
    .unwrap();
    let verdict = |value| schema.check(&value).unwrap_err();
    assert_eq!(
        verdict(json!([{"a": 1}, {"a": -1}])),
        "/1/a is out of bounds"
    );
    assert_eq!(verdict(json!([{}])), "/0 lacks a");
    assert_eq!(verdict(json!([{"a": 1, "b": 2}])), "/0/b is not expected");
    assert_eq!(verdict(json!({})), "/ is of the wrong type");
}

#[test]
fn a_format_is_checked() {
    let day = read(&json!({"format": "date"})).unwrap();
    assert!(day.check(&json!("2026-02-28")).is_ok() && day.check(&json!("2026-02-30")).is_err());
    let moment = read(&json!({"format": "date-time"})).unwrap();
    assert!(
        moment.check(&json!("2026-02-28T10:00:00Z")).is_ok()
            && moment.check(&json!("yesterday")).is_err()
    );
}

// A small generator: the same seed gives the same cases.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.roll(if depth == 0 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => json!(self.roll(2) == 0),
            2 => json!(self.roll(5)),
            3 => json!(self.roll(5) as f64),
            4 => json!(self.roll(10) as f64 / 2.0 - 2.0),
            5 => json!("é".repeat(self.roll(4) as usize)),
            6 => json!("a"),
            7 => Value::Array((0..self.roll(4)).map(|_| self.value(depth - 1)).collect()),
            _ => {
                let mut fields = serde_json::Map::new();
                for key in ["a", "b", "c"] {
                    if self.roll(3) != 0 {
                        fields.insert(key.to_owned(), self.value(depth - 1));
                    }
                }
                Value::Object(fields)
            }
        }
    }

    fn schema(&mut self, depth: u64) -> Value {
        let mut schema = serde_json::Map::new();
        let types = [
            "null", "boolean", "object", "array", "number", "integer", "string",
        ];
        for _ in 0..=self.roll(3) {
            let (key, value) = match self.roll(if depth == 0 { 9 } else { 14 }) {
                0 => ("type", json!(types[self.roll(7) as usize])),
                1 => (
                    "type",
                    json!([
                        types[self.roll(3) as usize],
                        types[3 + self.roll(4) as usize]
                    ]),
                ),
                2 => ("enum", json!([self.value(1), self.value(1), 1])),
                3 => ("const", self.value(1)),
                4 => ("minimum", json!(self.roll(4))),
                5 => ("exclusiveMaximum", json!(self.roll(4))),
                6 => ("maxLength", json!(self.roll(3))),
                7 => ("minItems", json!(self.roll(3))),
                8 => ("required", json!(["a", "b"][..self.roll(3) as usize])),
                9 => ("items", self.schema(depth - 1)),
                10 => ("additionalProperties", json!(self.roll(2) == 0)),
                11 => ("additionalProperties", self.schema(depth - 1)),
                12 => (
                    "anyOf",
                    json!([self.schema(depth - 1), self.schema(depth - 1)]),
                ),
                _ => (
                    "properties",
                    json!({"a": self.schema(depth - 1), "b": self.schema(depth - 1)}),
                ),
            };
            schema.insert(key.to_owned(), value);
        }
        Value::Object(schema)
    }
}

#[test]
fn every_verdict_is_that_of_a_full_validator() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for _ in 0..1500 {
        let schema = dice.schema(2);
        let ours = read(&schema).unwrap();
        for _ in 0..4 {
            let value = dice.value(2);
            let verdict = ours.check(&value).is_ok();
            assert_eq!(
                verdict,
                boon_says(&schema, &value),
                "schema {schema}\nvalue {value}"
            );
            refused += usize::from(!verdict);
        }
    }
    assert!(
        (1000..5000).contains(&refused),
        "both verdicts occur: {refused} of 6000 refused"
    );
}

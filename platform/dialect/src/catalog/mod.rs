//! What is known of the exposed schemas: relations, functions, role settings.

mod origin;
pub mod relationship;

use std::collections::HashMap;
use std::time::Duration;

use crate::Isolation;

/// One reading of the schema.
#[derive(Debug, Default)]
pub struct Catalog {
    pub schemas: HashMap<String, Schema>,
    pub roles: HashMap<String, TransactionSettings>,
}

/// One exposed schema.
#[derive(Debug, Default)]
pub struct Schema {
    pub relations: HashMap<String, Relation>,
    /// By name; several where a name is overloaded.
    pub functions: HashMap<String, Vec<Function>>,
}

/// A table, view, materialized view, foreign or partitioned table.
#[derive(Debug, Default)]
pub struct Relation {
    pub columns: Vec<Column>,
    pub primary_key: Vec<String>,
    pub insertable: bool,
    pub updatable: bool,
    pub deletable: bool,
    /// The rows of other relations that a row here names.
    pub to_one: Vec<ToOne>,
}

/// A foreign key of a table, or of the table that a view shows the columns of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToOne {
    pub constraint: String,
    /// The other relation, which lies in the same schema.
    pub target: String,
    /// Columns here, each with the column there.
    pub on: Vec<(String, String)>,
}

impl Relation {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// A column and its type as SQL spells it, qualified where it has to be.
#[derive(Debug)]
pub struct Column {
    pub name: String,
    pub sql_type: String,
    /// The default's expression, for `Prefer: missing=default`.
    pub default: Option<String>,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub struct Function {
    pub arguments: Vec<Argument>,
    pub returns: Returns,
    pub returns_set: bool,
    pub volatile: bool,
    /// The relation of the same schema whose rows the function returns.
    pub rows_of: Option<String>,
    pub settings: TransactionSettings,
}

/// An argument that a caller may give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Empty when the function gives it none.
    pub name: String,
    pub sql_type: String,
    pub required: bool,
    pub variadic: bool,
}

/// What a function's rows look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    Nothing,
    Scalar,
    Composite,
}

/// Settings that a role or a function brings into the transaction.
#[derive(Clone, Debug, Default)]
pub struct TransactionSettings {
    pub isolation: Option<Isolation>,
    /// What `statement_timeout` among the values says; zero is no bound.
    pub timeout: Option<Duration>,
    pub values: Vec<(String, String)>,
}

impl TransactionSettings {
    /// Takes a setting of a role or a function.
    pub fn add(&mut self, name: &str, value: &str) {
        if name == "default_transaction_isolation" {
            // Too late once the transaction has begun, so it becomes part of `begin`.
            self.isolation = Isolation::named(value);
        } else {
            if name == "statement_timeout" {
                self.timeout = duration(value);
            }
            self.values.push((name.to_owned(), value.to_owned()));
        }
    }
}

/// A time as Postgres writes it in a setting: `8s`, `1500`, `2 min`. Milliseconds where no unit is named.
fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(digits.unwrap_or(text.len()));
    let seconds = match unit.trim() {
        "us" => 1e-6,
        "" | "ms" => 1e-3,
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(number * seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_postgres_writes_them() {
        let millis = |text| duration(text).map(|found| found.as_millis());
        assert_eq!(millis("8s"), Some(8_000));
        assert_eq!(millis("1500"), Some(1_500));
        assert_eq!(millis("2 min"), Some(120_000));
        assert_eq!(millis("1.5h"), Some(5_400_000));
        assert_eq!(millis("0"), Some(0));
        assert_eq!(millis("soon"), None);
        assert_eq!(millis(""), None);
    }

    #[test]
    fn the_later_statement_timeout_wins() {
        let mut settings = TransactionSettings::default();
        settings.add("statement_timeout", "8s");
        settings.add("statement_timeout", "3s");
        assert_eq!(settings.timeout, Some(Duration::from_secs(3)));
    }
}

//! What is known of the exposed schemas: relations, functions, role settings. Read at the start and
//! again on `notify pgrst`.

mod load;
mod origin;
mod relationship;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use super::database::Isolation;
pub(crate) use watch::watch;

/// One reading of the schema.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) schemas: HashMap<String, Schema>,
    pub(crate) roles: HashMap<String, TransactionSettings>,
}

/// One exposed schema.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) relations: HashMap<String, Relation>,
    /// By name; several where a name is overloaded.
    pub(crate) functions: HashMap<String, Vec<Function>>,
}

/// A table, view, materialized view, foreign or partitioned table.
#[derive(Debug, Default)]
pub(crate) struct Relation {
    pub(crate) columns: Vec<Column>,
    pub(crate) primary_key: Vec<String>,
    pub(crate) insertable: bool,
    pub(crate) updatable: bool,
    pub(crate) deletable: bool,
    /// The rows of other relations that a row here names.
    pub(crate) to_one: Vec<ToOne>,
}

/// A foreign key of a table, or of the table that a view shows the columns of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToOne {
    pub(crate) constraint: String,
    /// The other relation, which lies in the same schema.
    pub(crate) target: String,
    /// Columns here, each with the column there.
    pub(crate) on: Vec<(String, String)>,
}

impl Relation {
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// A column and its type as SQL spells it, qualified where it has to be.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) sql_type: String,
    /// The default's expression, for `Prefer: missing=default`.
    pub(crate) default: Option<String>,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) arguments: Vec<Argument>,
    pub(crate) returns: Returns,
    pub(crate) returns_set: bool,
    pub(crate) volatile: bool,
    /// The relation of the same schema whose rows the function returns.
    pub(crate) rows_of: Option<String>,
    pub(crate) settings: TransactionSettings,
}

/// An argument that a caller may give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    /// Empty when the function gives it none.
    pub(crate) name: String,
    pub(crate) sql_type: String,
    pub(crate) required: bool,
    pub(crate) variadic: bool,
}

/// What a function's rows look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    Nothing,
    Scalar,
    Composite,
}

/// Settings that a role or a function brings into the transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransactionSettings {
    pub(crate) isolation: Option<Isolation>,
    /// What `statement_timeout` among the values says; zero is no bound.
    pub(crate) timeout: Option<Duration>,
    pub(crate) values: Vec<(String, String)>,
}

impl TransactionSettings {
    fn add(&mut self, name: &str, value: &str) {
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

/// The current reading, replaced as a whole.
#[derive(Default)]
pub(crate) struct Shared {
    current: RwLock<Option<Arc<Catalog>>>,
    /// True while the watcher is connected and has read the schema.
    ready: std::sync::atomic::AtomicBool,
}

impl Shared {
    pub(crate) fn current(&self) -> Option<Arc<Catalog>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn replace(&self, catalog: Catalog) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::new(catalog));
    }

    fn set_ready(&self, ready: bool) {
        self.ready
            .store(ready, std::sync::atomic::Ordering::Relaxed);
    }
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

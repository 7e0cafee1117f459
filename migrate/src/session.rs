//! One transaction that keeps a script of what it did, so that `--dry-run` can print it.

use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Transaction};

/// The transaction of one attempt.
pub(super) struct Session<'a> {
    transaction: &'a Transaction<'a>,
    script: String,
}

impl<'a> Session<'a> {
    pub(super) fn new(transaction: &'a Transaction<'a>) -> Self {
        Self {
            transaction,
            script: String::new(),
        }
    }

    /// A line in the script that says what comes.
    pub(super) fn note(&mut self, text: &str) {
        self.script.push_str(&format!("\n-- {text}\n"));
    }

    /// Runs statements and keeps them.
    pub(super) async fn run(&mut self, sql: &str) -> Result<(), tokio_postgres::Error> {
        self.transaction.batch_execute(sql).await?;
        self.keep(sql);
        Ok(())
    }

    /// Runs statements that belong to the machinery rather than to the script.
    pub(super) async fn quietly(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        self.transaction.batch_execute(sql).await
    }

    /// Puts statements into the script that were run by [`Self::quietly`].
    pub(super) fn keep(&mut self, sql: &str) {
        self.script.push_str(sql.trim_end());
        if !sql.trim_end().ends_with(';') {
            // On a line of its own: the statement may end in a comment.
            self.script.push_str("\n;");
        }
        self.script.push('\n');
    }

    pub(super) async fn query(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        self.transaction.query(sql, values).await
    }

    /// One text column.
    pub(super) async fn texts(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<String>, tokio_postgres::Error> {
        let rows = self.query(sql, values).await?;
        rows.iter().map(|row| row.try_get(0)).collect()
    }

    /// Whether the query finds a row.
    pub(super) async fn finds(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<bool, tokio_postgres::Error> {
        Ok(!self.query(sql, values).await?.is_empty())
    }

    pub(super) fn into_script(self) -> String {
        self.script
    }
}

//! The console's RPCs over one connection, with the role that the operator gave.

use gristmill_native::database;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio_postgres::Client;
use tokio_postgres::types::ToSql;

use super::Args;

/// Longest that one tool may take in Postgres.
const TIMEOUT: &str = "10s";

/// The RPCs of the console, called as somebody.
pub(crate) struct Console {
    config: database::Config,
    /// None after it was lost: the next call connects again.
    client: Mutex<Option<Client>>,
    url: String,
    headers: String,
    is_read_only: bool,
}

/// Why a tool has no answer. The sentence goes to the assistant.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// Postgres refused, with a sentence and perhaps a hint.
    #[error("{0}")]
    Postgres(String),
    /// It cannot be reached.
    #[error("Postgres cannot be reached: {0}")]
    Away(String),
}

impl From<tokio_postgres::Error> for Refused {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(said) => {
                let hint = said.hint().map(|hint| format!(" {hint}"));
                let code = said.code().code();
                Self::Postgres(format!(
                    "{} ({code}).{}",
                    said.message(),
                    hint.unwrap_or_default()
                ))
            }
            None => Self::Away(error.to_string()),
        }
    }
}

impl Console {
    pub(crate) async fn connect(args: &Args) -> Result<Self, database::Error> {
        let config = database::config(&args.database_url, "gristmill mcp")?;
        let (client, _) = database::connect_session(&config).await?;
        let role = if args.allow_actions {
            "operator"
        } else {
            "viewer"
        };
        Ok(Self {
            config,
            client: Mutex::new(Some(client)),
            url: args.database_url.clone(),
            headers: json!({ "x-gristmill-actor": args.actor, "x-gristmill-console-role": role })
                .to_string(),
            is_read_only: !args.allow_actions,
        })
    }

    /// Where Postgres is: for doctor, which connects by itself.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Calls one RPC, which answers JSON. `statement` selects one value of type jsonb.
    pub(crate) async fn call(
        &self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Value, Refused> {
        let mut held = self.client.lock().await;
        if held.as_ref().is_none_or(|client| client.is_closed()) {
            let connected = database::connect_session(&self.config).await;
            let (client, _) = connected.map_err(|error| Refused::Away(error.to_string()))?;
            *held = Some(client);
        }
        let Some(client) = held.as_mut() else {
            return Err(Refused::Away("no connection".into()));
        };
        let mode = self.is_read_only;
        let transaction = client.build_transaction().read_only(mode).start().await?;
        // The service's own rights and no more, and a role of the console below them.
        transaction
            .execute(
                "select set_config('statement_timeout', $1, true), set_config('request.headers', $2, true), set_config('request.jwt.claims', '{\"role\": \"service_role\"}', true), set_config('role', 'service_role', true)",
                &[&TIMEOUT, &self.headers.as_str()],
            )
            .await?;
        let answer: Option<Value> = transaction
            .query_one(statement, parameters)
            .await?
            .try_get(0)?;
        transaction.commit().await?;
        Ok(answer.unwrap_or(Value::Null))
    }
}

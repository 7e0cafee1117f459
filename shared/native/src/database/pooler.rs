//! Finds out whether a pooler in transaction mode stands in between, where a session is not one's own.

use tokio_postgres::{Client, SimpleQueryMessage};

use super::{Config, Error, Messages, connect, host};

/// How often two connections are compared: another client may take the shared session in between.
const LOOKS: usize = 3;

/// Opens a connection whose session is its own until it ends. Needed for LISTEN, for locks of a session, and for prepared statements.
///
/// Two connections that are open at the same time have two server processes, unless a pooler gives both the same one in turn.
pub async fn connect_session(config: &Config) -> Result<(Client, Messages), Error> {
    let (client, messages) = connect(config).await?;
    // Where a second connection is not to be had, there is nothing to compare.
    let Ok((other, _messages)) = connect(config).await else {
        return Ok((client, messages));
    };
    for _ in 0..LOOKS {
        let first = process(&client).await;
        if first.is_some() && first == process(&other).await {
            return Err(Error::Pooler { host: host(config) });
        }
    }
    Ok((client, messages))
}

/// The number of the server's process, by a query that prepares nothing.
async fn process(client: &Client) -> Option<String> {
    let query = "select pg_catalog.pg_backend_pid()";
    let messages = client.simple_query(query).await.ok()?;
    messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    })
}

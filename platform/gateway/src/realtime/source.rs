//! The connection to Postgres that changes come by, and the question who may see them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_postgres::types::Json;
use tokio_postgres::{AsyncMessage, Client, Row};

use super::{Channel, Filter, Follow, Place, Realtime};
use crate::auth::{self, Identity};
use crate::{Gateway, Settings};
use gristmill_native::database::{Config, Messages};

/// Pause before the next attempt to connect.
const PAUSE: Duration = Duration::from_millis(500);
/// How often a quiet connection is asked whether it still lives.
const HEARTBEAT: Duration = Duration::from_secs(3);
/// How long Postgres may take for any one question.
const ANSWER: Duration = Duration::from_secs(6);
/// Changes that are read at once: a page of large rows must fit into memory.
const PAGE: i32 = 200;
/// Changes that were handed out, so that what is read again after a lost connection is not sent again.
const REMEMBERED: usize = 20_000;
/// How far back is looked after a lost connection: longer than a transaction that was noted and not committed usually runs.
const LOOK_BACK: chrono::TimeDelta = chrono::TimeDelta::seconds(60);

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Connect(#[from] gristmill_native::database::Error),
    #[error(transparent)]
    Postgres(#[from] tokio_postgres::Error),
    #[error("Postgres does not answer")]
    Silent,
    #[error("the connection was closed")]
    Closed,
}

/// Runs for as long as the process does.
pub(crate) async fn follow(
    gateway: Arc<Gateway>,
    config: Config,
    mut follows: mpsc::Receiver<Follow>,
) {
    let Some(realtime) = &gateway.realtime else {
        return;
    };
    let mut memory = Memory::default();
    let mut said = false;
    loop {
        let mut source = Source {
            settings: &gateway.settings,
            realtime,
            memory: &mut memory,
        };
        let Err(error) = source.serve(&config, &mut follows).await;
        if !said {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, "changes are not followed; trying again");
        }
        said = true;
        refuse_for_a_while(&mut follows).await;
    }
}

/// Those who join now are told, and come again.
async fn refuse_for_a_while(follows: &mut mpsc::Receiver<Follow>) {
    let pause = tokio::time::sleep(PAUSE);
    tokio::pin!(pause);
    loop {
        tokio::select! {
            () = &mut pause => return,
            Some(follow) = follows.recv() => {
                let _ = follow.reply.send(Err("Postgres cannot be reached; try again".to_owned()));
            }
        }
    }
}

/// What outlives a connection.
#[derive(Default)]
struct Memory {
    /// The newest time at which the source was known to be complete.
    complete_at: Option<DateTime<Utc>>,
    order: VecDeque<i64>,
    sent: HashSet<i64>,
}

impl Memory {
    /// False for a change that was handed out before.
    fn is_new(&mut self, id: i64) -> bool {
        if !self.sent.insert(id) {
            return false;
        }
        self.order.push_back(id);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.sent.remove(&oldest);
        }
        true
    }
}

struct Source<'a> {
    settings: &'a Settings,
    realtime: &'a Realtime,
    memory: &'a mut Memory,
}

/// One row that changed.
struct Change {
    at: DateTime<Utc>,
    relation: u32,
    schema: String,
    table: String,
    kind: String,
    record: Option<Value>,
    old_record: Option<Value>,
    key: Option<Value>,
}

impl Change {
    fn read(row: &Row) -> Result<(i64, Self), tokio_postgres::Error> {
        let json = |at: usize| -> Result<Option<Value>, tokio_postgres::Error> {
            let value: Option<Json<Value>> = row.try_get(at)?;
            Ok(value.map(|Json(value)| value))
        };
        let change = Self {
            at: row.try_get(1)?,
            relation: row.try_get(2)?,
            schema: row.try_get(3)?,
            table: row.try_get(4)?,
            kind: row.try_get(5)?,
            record: json(6)?,
            old_record: json(7)?,
            key: json(8)?,
        };
        Ok((row.try_get(0)?, change))
    }

    /// The row that the policies and the filter are about.
    fn judged(&self) -> Value {
        let row = self.record.as_ref().or(self.old_record.as_ref());
        row.cloned().unwrap_or_default()
    }
}

/// What a role may see of some rows: {columns, rows}.
#[derive(Default, serde::Deserialize)]
struct Visible {
    columns: Vec<Column>,
    rows: HashSet<usize>,
}

#[derive(serde::Deserialize, serde::Serialize)]
struct Column {
    name: String,
    r#type: String,
}

/// A question that several subscriptions may have in common.
type Question = (String, u32, Option<Filter>);

impl Source<'_> {
    async fn serve(
        &mut self,
        config: &Config,
        follows: &mut mpsc::Receiver<Follow>,
    ) -> Result<std::convert::Infallible, Error> {
        let (mut client, mut messages) = gristmill_native::database::connect(config).await?;
        within(client.batch_execute("listen gristmill_realtime")).await?;
        let row = within(client.query_one("select now()", &[])).await?;
        if let Some(complete_at) = self.memory.complete_at {
            let since = complete_at - LOOK_BACK;
            self.read(&mut client, None, Some(since)).await?;
        }
        self.memory.complete_at = Some(row.try_get(0)?);
        loop {
            tokio::select! {
                message = messages.recv() => self.hear(&mut client, message, &mut messages).await?,
                Some(wanted) = follows.recv() => self.start(&client, wanted).await?,
                () = tokio::time::sleep(HEARTBEAT) => within(client.batch_execute("")).await?,
            }
        }
    }

    async fn start(&self, client: &Client, wanted: Follow) -> Result<(), Error> {
        let call = "select cardinality(realtime.follow($1, $2))";
        let answer = within(client.query_one(call, &[&wanted.schema, &wanted.table])).await;
        let answer = match answer {
            Ok(row) => Ok(usize::try_from(row.try_get::<_, i32>(0)?).unwrap_or(0)),
            // Postgres said no, and the connection goes on.
            Err(Error::Postgres(error)) if error.as_db_error().is_some() => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "a table could not be followed");
                Err("the table cannot be followed; try again".to_owned())
            }
            Err(error) => return Err(error),
        };
        let _ = wanted.reply.send(answer);
        Ok(())
    }

    async fn hear(
        &mut self,
        client: &mut Client,
        message: Option<AsyncMessage>,
        messages: &mut Messages,
    ) -> Result<(), Error> {
        let mut next = Some(message.ok_or(Error::Closed)?);
        while let Some(message) = next {
            if let AsyncMessage::Notification(notification) = message {
                self.read(client, Some(notification.payload()), None)
                    .await?;
            }
            next = messages.try_recv().ok();
        }
        Ok(())
    }

    /// Hands out the changes of one transaction, or of some time, page by page.
    async fn read(
        &mut self,
        client: &mut Client,
        xid: Option<&str>,
        since: Option<DateTime<Utc>>,
    ) -> Result<(), Error> {
        let call = "select * from realtime.changes($1::text::xid8, $2, $3, $4)";
        let mut after = 0_i64;
        loop {
            let rows = within(client.query(call, &[&xid, &since, &after, &PAGE])).await?;
            let is_last = rows.len() < usize::try_from(PAGE).unwrap_or(0);
            let mut changes = Vec::new();
            for row in &rows {
                let (id, change) = Change::read(row)?;
                after = id;
                if self.memory.is_new(id) {
                    self.memory.complete_at = self.memory.complete_at.max(Some(change.at));
                    changes.push(change);
                }
            }
            self.hand_out(client, &changes).await?;
            if is_last {
                return Ok(());
            }
        }
    }

    async fn hand_out(&self, client: &mut Client, changes: &[Change]) -> Result<(), Error> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut answers: HashMap<Question, Visible> = HashMap::new();
        for (place, channel) in self.realtime.all() {
            let token = channel.token().clone();
            let identity = match auth::identify_token(&token, self.settings, String::new) {
                Ok(identity) => identity,
                Err(refusal) => {
                    self.close(&place, &channel, &refusal.to_string());
                    continue;
                }
            };
            for binding in &channel.bindings {
                let tables = changes.iter().filter(|change| binding.is_about(change));
                for relation in tables.map(|change| change.relation).collect::<HashSet<_>>() {
                    let question = (identity.claims.clone(), relation, binding.filter.clone());
                    if let Entry::Vacant(unknown) = answers.entry(question) {
                        let filter = binding.filter.as_ref();
                        let visible = ask(client, &identity, relation, changes, filter).await?;
                        unknown.insert(visible);
                    }
                }
            }
            deliver(&channel, &identity, changes, &answers);
        }
        Ok(())
    }

    /// The token does not hold any longer.
    fn close(&self, place: &Place, channel: &Channel, message: &str) {
        let topic = channel.topic.as_str();
        let join_ref = channel.join_ref.as_deref();
        let payload = json!({ "extension": "system", "status": "error", "message": message,
            "channel": topic.strip_prefix("realtime:").unwrap_or(topic) });
        let outbox = &channel.outbox;
        outbox.send(join_ref, None, topic, "system", &payload);
        outbox.send(join_ref, join_ref, topic, "phx_close", &json!({}));
        self.realtime.channels().remove(place);
    }
}

impl super::Binding {
    fn is_about(&self, change: &Change) -> bool {
        let is_schema = self.schema == "*" || self.schema == change.schema;
        let is_table = self
            .table
            .as_ref()
            .is_none_or(|table| *table == change.table);
        is_schema && is_table && self.event.fits(&change.kind)
    }
}

/// Which changes of a table the subscriber may see: asked as the subscriber's own role, with its claims. Rows of other tables are asked about
/// as null rows, so that the places in the answer are those of `changes`; their answer is not looked at.
async fn ask(
    client: &mut Client,
    identity: &Identity,
    relation: u32,
    changes: &[Change],
    filter: Option<&Filter>,
) -> Result<Visible, Error> {
    let rows = changes
        .iter()
        .map(|change| match change.relation == relation {
            true => change.judged(),
            false => json!({}),
        })
        .collect();
    let column = filter.map(|filter| filter.column.as_str());
    let operator = filter.map(|filter| filter.operator.as_str());
    let value = filter.map(|filter| filter.value.as_str());
    let asked = async {
        let transaction = client.transaction().await?;
        let settings = "select set_config('statement_timeout', '3000', true), set_config('request.jwt.claims', $1, true), \
                        set_config('role', $2, true)";
        transaction
            .query_one(settings, &[&identity.claims, &identity.role])
            .await?;
        let call = "select realtime.visible($1, $2, $3, $4, $5)";
        let row = transaction
            .query_one(
                call,
                &[
                    &relation,
                    &Json(Value::Array(rows)),
                    &column,
                    &operator,
                    &value,
                ],
            )
            .await?;
        transaction.rollback().await?;
        let Json(visible): Json<Visible> = row.try_get(0)?;
        Ok(visible)
    };
    match within(asked).await {
        // A policy that fails, a role that is gone, a value that does not fit its column: nothing is visible.
        Err(Error::Postgres(error)) if error.as_db_error().is_some() => {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "a subscriber's rights could not be judged");
            Ok(Visible::default())
        }
        answer => answer,
    }
}

fn deliver(
    channel: &Channel,
    identity: &Identity,
    changes: &[Change],
    answers: &HashMap<Question, Visible>,
) {
    for (place, change) in changes.iter().enumerate() {
        let mut ids = Vec::new();
        let mut columns: &[Column] = &[];
        for binding in channel.bindings.iter().filter(|one| one.is_about(change)) {
            let question = (
                identity.claims.clone(),
                change.relation,
                binding.filter.clone(),
            );
            if let Some(visible) = answers.get(&question)
                && visible.rows.contains(&place)
            {
                ids.push(binding.id);
                columns = &visible.columns;
            }
        }
        if !ids.is_empty() {
            let payload = json!({ "ids": ids, "data": data(change, columns) });
            channel.outbox.send(
                channel.join_ref.as_deref(),
                None,
                &channel.topic,
                "postgres_changes",
                &payload,
            );
        }
    }
}

/// A change as supabase-js takes it apart. Of the row before it the primary key is sent, as on a hosted platform.
fn data(change: &Change, columns: &[Column]) -> Value {
    let mut data = json!({
        "schema": change.schema,
        "table": change.table,
        "commit_timestamp": change.at.to_rfc3339_opts(SecondsFormat::Millis, true),
        "type": change.kind,
        "columns": columns,
        "errors": null,
    });
    let readable = |row: &Value| -> Value {
        let known = columns.iter().filter_map(|column| {
            let value = row.get(&column.name)?;
            Some((column.name.clone(), value.clone()))
        });
        Value::Object(known.collect::<Map<_, _>>())
    };
    if let Some(record) = &change.record {
        data["record"] = readable(record);
    }
    if change.old_record.is_some() {
        data["old_record"] = change.key.as_ref().map_or_else(|| json!({}), readable);
    }
    data
}

async fn within<T>(
    asked: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Error> {
    match tokio::time::timeout(ANSWER, asked).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Error::Silent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_handed_out_once() {
        let mut memory = Memory::default();
        assert!(memory.is_new(1));
        assert!(!memory.is_new(1));
        for id in 2..=i64::try_from(REMEMBERED).unwrap() + 1 {
            assert!(memory.is_new(id));
        }
        assert_eq!(memory.sent.len(), REMEMBERED);
    }

    #[test]
    fn columns_that_may_not_be_read_are_left_out() {
        let change = Change {
            at: DateTime::UNIX_EPOCH,
            relation: 1,
            schema: "public".into(),
            table: "quotes".into(),
            kind: "UPDATE".into(),
            record: Some(json!({ "symbol": "A", "secret": 1 })),
            old_record: Some(json!({ "symbol": "A", "secret": 0 })),
            key: Some(json!({ "symbol": "A" })),
        };
        let columns = [Column {
            name: "symbol".into(),
            r#type: "text".into(),
        }];
        let data = data(&change, &columns);
        assert_eq!(data["record"], json!({ "symbol": "A" }));
        assert_eq!(data["old_record"], json!({ "symbol": "A" }));
        assert_eq!(data["commit_timestamp"], "1970-01-01T00:00:00.000Z");
    }
}

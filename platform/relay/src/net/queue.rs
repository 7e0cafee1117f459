//! The relay's statements on `net`: what is due, what came back, what is old.

use std::collections::HashSet;

use serde_json::Value;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::limits::Room;

/// The oldest due requests of each target that has room. Stepping from target to target by the index
/// (a recursive query, since Postgres has no skip scan before 18) costs one probe a target, however many
/// requests wait for a target that has no room.
const DUE: &str = "
with recursive target (name) as (
  (
    select coalesce(net._target(url), '') collate \"C\"
    from net.http_request_queue
    order by 1
    limit 1
  )
  union all
  select (
    select coalesce(net._target(q.url), '') collate \"C\"
    from net.http_request_queue q
    where coalesce(net._target(q.url), '') collate \"C\" > target.name
    order by 1
    limit 1
  )
  from target
  where target.name is not null
)
select due.id, upper(due.method), due.url, due.headers, due.body, due.timeout_milliseconds, target.name
from target
left join unnest($1::text[], $2::bigint[]) as known (name, room) on known.name = target.name
cross join lateral (
  select q.id, q.method, q.url, q.headers, q.body, q.timeout_milliseconds
  from net.http_request_queue q
  where coalesce(net._target(q.url), '') collate \"C\" = target.name
    and q.id <> all ($4::bigint[])
  order by q.id
  limit coalesce(known.room, $3::bigint)
) as due
where target.name is not null
order by due.id
limit $5::bigint";

/// The same, of requests above an id below which none waits. It reads none of the dead rows that a long
/// transaction elsewhere keeps vacuum from removing: beside 15,000 of them the query above took 4 ms
/// instead of 0.5.
const FRESH: &str = "
select fresh.id, upper(fresh.method), fresh.url, fresh.headers, fresh.body, fresh.timeout_milliseconds, fresh.name
from (
  select q.*, row_number() over (partition by q.name order by q.id) as place
  from (
    select q.*, coalesce(net._target(q.url), '') collate \"C\" as name
    from net.http_request_queue q
    where q.id > $6::bigint and q.id <> all ($4::bigint[])
    order by q.id
    limit $5::bigint + 1
  ) as q
) as fresh
left join unnest($1::text[], $2::bigint[]) as known (name, room) on known.name = fresh.name
where fresh.place <= coalesce(known.room, $3::bigint)
order by fresh.id
limit $5::bigint";

/// Names one life of the server. A crash, be it of a single backend, empties the unlogged queue and
/// starts its ids over; the checkpointer is then a new process, also where the postmaster is not.
const LIFE: &str = "
select format('%s %s', pg_postmaster_start_time(),
  (select a.backend_start from pg_stat_activity a where a.backend_type = 'checkpointer'))";

/// An answer is recorded only by whoever deletes its request. That makes one answer a request, also when
/// a second relay has sent it again.
const RECORD: &str = "
with answer as (
  select *
  from unnest($1::bigint[], $2::integer[], $3::text[], $4::jsonb[], $5::text[], $6::boolean[], $7::text[])
    as a (id, status_code, content_type, headers, content, timed_out, error_msg)
), answered as (
  delete from net.http_request_queue q using answer a where q.id = a.id returning q.id
)
insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
select a.* from answer a join answered using (id)";

/// Small batches: a prune must never be the long transaction of the database.
const PRUNE: &str = "
delete from net._http_response
where ctid = any (array(
  select r.ctid from net._http_response r
  where r.created < now() - $1::text::interval
  order by r.created
  limit 500
))";

/// One row of the queue.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) id: i64,
    /// GET, POST or DELETE.
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Option<Value>,
    pub(super) body: Option<Vec<u8>>,
    pub(super) timeout_milliseconds: i32,
    /// Scheme, host and port.
    pub(super) target: String,
}

impl Request {
    fn from_row(row: &Row) -> Result<Self, tokio_postgres::Error> {
        Ok(Self {
            id: row.try_get(0)?,
            method: row.try_get(1)?,
            url: row.try_get(2)?,
            headers: row.try_get(3)?,
            body: row.try_get(4)?,
            timeout_milliseconds: row.try_get(5)?,
            target: row.try_get(6)?,
        })
    }
}

/// One row of `net._http_response`.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) id: i64,
    pub(super) target: String,
    pub(super) status_code: Option<i32>,
    pub(super) content_type: Option<String>,
    pub(super) headers: Option<Value>,
    pub(super) content: Option<String>,
    pub(super) timed_out: bool,
    pub(super) error: Option<String>,
}

/// The connection that reads the queue and records answers.
pub(super) struct Queue {
    client: Client,
    due: Statement,
    fresh: Statement,
    record: Statement,
    prune: Statement,
}

impl Queue {
    pub(super) async fn new(client: Client) -> Result<Self, tokio_postgres::Error> {
        // The tables are unlogged, so waiting for the log would buy nothing. Sequential scans are off
        // because an empty queue's statistics make them look cheap until the queue is long.
        client
            .batch_execute("set synchronous_commit = off; set enable_seqscan = off; set statement_timeout = '30s'")
            .await?;
        Ok(Self {
            due: client.prepare(DUE).await?,
            fresh: client.prepare(FRESH).await?,
            record: client.prepare(RECORD).await?,
            prune: client.prepare(PRUNE).await?,
            client,
        })
    }

    /// Which life of the server this connection is to.
    pub(super) async fn life(&self) -> Result<String, tokio_postgres::Error> {
        self.client.query_one(LIFE, &[]).await?.try_get(0)
    }

    /// Requests to start now, of all or of those above an id; they stay in the queue.
    pub(super) async fn due(
        &self,
        room: &Room,
        in_flight: &HashSet<i64>,
        above: Option<i64>,
    ) -> Result<Vec<Request>, tokio_postgres::Error> {
        let (names, rooms): (Vec<&str>, Vec<i64>) = room
            .known
            .iter()
            .map(|(name, room)| (name.as_str(), i64::from(*room)))
            .unzip();
        let in_flight: Vec<i64> = in_flight.iter().copied().collect();
        let (fresh, total) = (i64::from(room.fresh), i64::from(room.total));
        let mut parameters: Vec<&(dyn ToSql + Sync)> =
            vec![&names, &rooms, &fresh, &in_flight, &total];
        let statement = match &above {
            None => &self.due,
            Some(id) => {
                parameters.push(id);
                &self.fresh
            }
        };
        let rows = self.client.query(statement, &parameters).await?;
        rows.iter().map(Request::from_row).collect()
    }

    /// Records answers and removes their requests. An answer that Postgres refuses to store must not
    /// hold up the others, nor be sent again for ever: it is recorded without its content.
    pub(super) async fn record(&self, answers: &[Answer]) -> Result<(), tokio_postgres::Error> {
        match self.insert(answers).await {
            Err(error) if error.code().is_some() => {
                for answer in answers {
                    if self.insert(std::slice::from_ref(answer)).await.is_err() {
                        let bare = Answer {
                            id: answer.id,
                            error: Some("the response could not be stored".to_owned()),
                            ..Answer::default()
                        };
                        self.insert(&[bare]).await?;
                    }
                }
                Ok(())
            }
            outcome => outcome,
        }
    }

    async fn insert(&self, answers: &[Answer]) -> Result<(), tokio_postgres::Error> {
        let ids: Vec<i64> = answers.iter().map(|a| a.id).collect();
        let statuses: Vec<Option<i32>> = answers.iter().map(|a| a.status_code).collect();
        let types: Vec<Option<&str>> = answers.iter().map(|a| a.content_type.as_deref()).collect();
        let headers: Vec<Option<&Value>> = answers.iter().map(|a| a.headers.as_ref()).collect();
        let contents: Vec<Option<&str>> = answers.iter().map(|a| a.content.as_deref()).collect();
        let timed_out: Vec<bool> = answers.iter().map(|a| a.timed_out).collect();
        let errors: Vec<Option<&str>> = answers.iter().map(|a| a.error.as_deref()).collect();
        self.client
            .execute(
                &self.record,
                &[
                    &ids, &statuses, &types, &headers, &contents, &timed_out, &errors,
                ],
            )
            .await?;
        Ok(())
    }

    /// Deletes one batch of expired responses; true when there may be more.
    pub(super) async fn prune(&self, ttl: &str) -> Result<bool, tokio_postgres::Error> {
        Ok(self.client.execute(&self.prune, &[&ttl]).await? == 500)
    }
}

//! Durable steps: what a job has done is kept, so that its next attempt, invocation or worker goes on from there.
//!
//! A job that is put off gives its handler's future up where it waits: the future is dropped, and nothing after the wait runs before the job goes on.

use std::collections::HashMap;
use std::future::{Future, pending};
use std::pin::pin;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::future::{Either, select};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::client::{CallError, Client};
use crate::cx::{Cx, Live, locked};
use crate::job::{Holder, JobId};
use crate::outcome::Failure;
use crate::outcome::Outcome;

/// Such calls say the same when they are made again.
const TRIES: u32 = 6;

/// What an attempt knows of the steps of its job.
#[derive(Default)]
pub(crate) struct Steps {
    known: Option<HashMap<String, Known>>,
    names: HashMap<String, u32>,
    /// Whether this attempt has brought the job forward.
    has_finished: bool,
    /// From then on no step begins, once the attempt has finished one.
    late: Option<DateTime<Utc>>,
    ended: Option<Outcome>,
}

#[derive(Clone, Deserialize)]
struct Known {
    step: String,
    state: String,
    #[serde(default)]
    result: Value,
}

#[derive(Deserialize)]
struct Answer {
    status: String,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    payload: Value,
}

#[derive(Serialize)]
struct Arguments<'a> {
    #[serde(flatten)]
    holder: &'a Holder,
    p_step: &'a str,
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// Runs a handler until it has ended or its job was put off.
pub(crate) async fn until_put_off(running: impl Future<Output = Outcome>, live: &Live) -> Outcome {
    match select(pin!(running), pin!(live.put_off.cancelled())).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(_) => {
            let ended = locked(&live.steps).ended.take();
            ended.unwrap_or(Outcome::Noted { word: "snoozed" })
        }
    }
}

/// The attempt should be over by then; a fifth of its time before, no further step begins.
pub(crate) fn set_longest(live: &Live, longest: Duration) {
    locked(&live.steps).late = Some(Utc::now() + longest * 4 / 5);
}

impl Cx {
    /// Runs `run` once in the life of the job and keeps its result, which has at most 256 KiB as JSON. A later attempt gets the result and runs nothing.
    ///
    /// Names are unique in a job; where one comes again, as in a loop, it is counted. At the edge a job whose time is nearly over goes on in the next
    /// invocation, between two steps.
    ///
    /// ```
    /// # use gristmill::{Cx, Failure};
    /// # use std::time::Duration;
    /// # struct Order { id: u64 }
    /// # async fn charge(_: u64) -> Result<String, Failure> { Ok(String::new()) }
    /// # async fn ship(_: u64) -> Result<(), Failure> { Ok(()) }
    /// async fn order(order: Order, cx: &Cx) -> Result<String, Failure> {
    ///     let receipt: String = cx.step("charge", || charge(order.id)).await?;
    ///     let approved: Option<bool> = cx.wait_for("approved", Some(Duration::from_secs(7 * 86_400))).await?;
    ///     if approved == Some(true) {
    ///         cx.sleep("cooling off", Duration::from_secs(86_400)).await?;
    ///         cx.step("ship", || ship(order.id)).await?;
    ///     }
    ///     Ok(receipt)
    /// }
    /// # let _ = order;
    /// ```
    pub async fn step<T, E, Run, Running>(&self, name: &str, run: Run) -> Result<T, Failure>
    where
        T: Serialize + DeserializeOwned,
        E: Into<Failure>,
        Run: FnOnce() -> Running,
        Running: Future<Output = Result<T, E>>,
    {
        let step = self.name_of(name);
        if let Some(known) = self.known_step(&step).await? {
            return read(&step, known.result);
        }
        if self.is_late() {
            return self.end(Outcome::Released).await;
        }
        let result = run().await.map_err(Into::into)?;
        let result = serde_json::to_value(result).map_err(|error| unreadable(&step, &error))?;
        let mut more = Map::new();
        more.insert("p_result".into(), result.clone());
        let answer = self.call_step("record_step", &step, more).await?;
        locked(&self.live.steps).has_finished = true;
        let kept = match answer.status == "known" {
            true => answer.result,
            false => result,
        };
        read(&step, kept)
    }

    /// Puts the job off for this time, by the clock of the database, without holding a worker, an invocation or a lease. When it goes on, the handler
    /// begins again and passes its steps by.
    pub async fn sleep(&self, name: &str, time: Duration) -> Result<(), Failure> {
        let mut more = Map::new();
        more.insert("p_seconds".into(), json!(time.as_secs_f64()));
        self.put_off("sleep_step", name, more).await?;
        Ok(())
    }

    /// The same, until a time.
    pub async fn sleep_until(&self, name: &str, time: DateTime<Utc>) -> Result<(), Failure> {
        let mut more = Map::new();
        more.insert("p_until".into(), json!(time));
        self.put_off("sleep_step", name, more).await?;
        Ok(())
    }

    /// Waits in the same way for an event of this name that [`Client::send_event`] sends to the job, also before it waits. Its payload; `None` after the
    /// timeout.
    pub async fn wait_for<T: DeserializeOwned>(
        &self,
        event: &str,
        timeout: Option<Duration>,
    ) -> Result<Option<T>, Failure> {
        let mut more = Map::new();
        more.insert("p_event".into(), json!(event));
        if let Some(timeout) = timeout {
            more.insert("p_seconds".into(), json!(timeout.as_secs_f64()));
        }
        match self.put_off("wait_for_event", event, more).await? {
            Some(payload) => Ok(Some(read(event, payload)?)),
            None => Ok(None),
        }
    }

    async fn put_off(
        &self,
        function: &str,
        name: &str,
        mut more: Map<String, Value>,
    ) -> Result<Option<Value>, Failure> {
        let step = self.name_of(name);
        if let Some(known) = self.known_step(&step).await? {
            return Ok((known.state == "finished").then_some(known.result));
        }
        let logs = self.live.take_logs(false);
        if !logs.is_empty() {
            more.insert("p_logs".into(), json!(logs));
        }
        let answer = self.call_step(function, &step, more).await?;
        if answer.status == "suspended" {
            return self.end(Outcome::Noted { word: "snoozed" }).await;
        }
        // Not kept: the job goes on.
        self.live.put_back(logs);
        locked(&self.live.steps).has_finished = true;
        Ok((answer.status != "timed_out").then_some(answer.payload))
    }

    /// The second `page` of a job is `page#2`.
    fn name_of(&self, name: &str) -> String {
        let mut steps = locked(&self.live.steps);
        let count = steps.names.entry(name.to_owned()).or_insert(0);
        *count += 1;
        match *count {
            1 => name.to_owned(),
            count => format!("{name}#{count}"),
        }
    }

    /// What an earlier attempt, or this one, has done of a step.
    async fn known_step(&self, step: &str) -> Result<Option<Known>, CallError> {
        if let Some(known) = &locked(&self.live.steps).known {
            return Ok(known.get(step).cloned());
        }
        let steps: Vec<Known> = self
            .client()
            .call_again("job_steps", &json!({ "p_job": self.id() }), TRIES)
            .await?;
        let is_done = |known: &Known| known.state == "finished" || known.state == "timed_out";
        let known: HashMap<String, Known> = steps
            .into_iter()
            .filter(is_done)
            .map(|known| (known.step.clone(), known))
            .collect();
        let found = known.get(step).cloned();
        locked(&self.live.steps).known = Some(known);
        Ok(found)
    }

    async fn call_step(
        &self,
        function: &str,
        step: &str,
        more: Map<String, Value>,
    ) -> Result<Answer, Failure> {
        let arguments = Arguments {
            holder: self.holder(),
            p_step: step,
            more,
        };
        let answer: Answer = self
            .client()
            .call_again(function, &arguments, TRIES)
            .await?;
        if answer.status == "lost" {
            return self.end(Outcome::Noted { word: "lost" }).await;
        }
        Ok(answer)
    }

    fn is_late(&self) -> bool {
        let steps = locked(&self.live.steps);
        steps.has_finished && steps.late.is_some_and(|late| Utc::now() > late)
    }

    /// Gives the handler up. Whoever runs it drops its future.
    async fn end<T>(&self, outcome: Outcome) -> T {
        locked(&self.live.steps).ended = Some(outcome);
        self.live.put_off.cancel();
        pending().await
    }
}

fn read<T: DeserializeOwned>(step: &str, value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| unreadable(step, &error))
}

/// The code was changed since the step was done, or the result is not what JSON can say.
fn unreadable(step: &str, error: &serde_json::Error) -> Failure {
    Failure::permanent(
        "step",
        format!("the result of the step \"{step}\" is not of its type: {error}"),
    )
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventStatus {
    /// The job was waiting for it, and is due.
    Delivered,
    /// The job does not wait for it yet.
    Kept,
    /// An event with this key was sent to the job before.
    Duplicate,
    /// The job has ended, or there is none.
    NotLive,
}

impl Client {
    /// Sends an event to a job, which [`Cx::wait_for`] receives. With a key the call may be repeated: a second event of the job with the key is a duplicate.
    pub async fn send_event(
        &self,
        job: JobId,
        event: &str,
        payload: &impl Serialize,
        key: Option<&str>,
    ) -> Result<EventStatus, CallError> {
        #[derive(Serialize)]
        struct Sending<'a, T> {
            p_job: JobId,
            p_event: &'a str,
            p_payload: &'a T,
            #[serde(skip_serializing_if = "Option::is_none")]
            p_key: Option<&'a str>,
        }
        #[derive(Deserialize)]
        struct Sent {
            status: EventStatus,
        }
        let sending = Sending {
            p_job: job,
            p_event: event,
            p_payload: payload,
            p_key: key,
        };
        let tries = if key.is_some() { TRIES } else { 1 };
        let sent: Sent = self.call_again("send_event", &sending, tries).await?;
        Ok(sent.status)
    }

    /// The steps of a job in their order, as `job_steps` answers them.
    pub async fn job_steps(&self, job: JobId) -> Result<Vec<Value>, CallError> {
        self.call_again("job_steps", &json!({ "p_job": job }), TRIES)
            .await
    }
}

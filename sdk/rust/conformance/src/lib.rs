//! The handler of the conformance kinds on the Rust library: what it does is in the payload. See tests/conformance/README.md.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gristmill::time::sleep;
use gristmill::{CallError, Cx, Definition, Failure, Job, Jobs, Level, jobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// One instruction. Further fields are ignored.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Instruction {
    r#do: String,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    milliseconds: u64,
    #[serde(default)]
    message: String,
    #[serde(default)]
    times: Option<u32>,
    #[serde(default)]
    r#type: Option<String>,
    #[serde(default)]
    http_status: Option<u16>,
    #[serde(default)]
    provider: Option<String>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    characters: usize,
    #[serde(default)]
    lines: Vec<Line>,
    #[serde(default)]
    then: Option<Box<RawValue>>,
    #[serde(default)]
    percent: u8,
    #[serde(default)]
    to: Value,
    #[serde(default)]
    all: Option<Vec<String>>,
    #[serde(default)]
    options: Option<Options>,
    #[serde(default)]
    plan: Vec<Item>,
}

/// A step, a sleep or a wait.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Item {
    step: String,
    sleep: Option<String>,
    wait: Option<String>,
    seconds: Option<f64>,
    milliseconds: u64,
    result: Value,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Line {
    level: String,
    message: String,
    data: Option<Map<String, Value>>,
}

#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Options {
    name: Option<String>,
    correlation_id: Option<String>,
    category: Option<String>,
    priority: Option<i32>,
    run_at: Option<DateTime<Utc>>,
    max_attempts: Option<u32>,
    dedupe_key: Option<String>,
    unique: Option<bool>,
    group_key: Option<String>,
    owner: Option<uuid::Uuid>,
    traceparent: Option<String>,
}

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "conform")]
#[serde(transparent)]
struct Conform(Instruction);

#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "conform_two")]
#[serde(transparent)]
struct ConformTwo(Instruction);

/// Nobody runs its jobs.
#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "conform_mail", queue = "conform_mail", max_attempts = 8, unique(by = ["to"], within = "1h"))]
struct Mail {
    to: String,
}

/// A mail as Postgres gets it from a program that does not know its type.
#[derive(Job, Serialize, Deserialize, JsonSchema)]
#[job(kind = "conform_mail", queue = "conform_mail")]
struct AnyMail {
    to: Value,
}

/// Both kinds.
pub fn conform() -> Jobs {
    jobs![first, second]
}

async fn first(Conform(job): Conform, cx: &Cx) -> Result<Option<Box<RawValue>>, Failure> {
    obey(job, cx).await
}

async fn second(ConformTwo(job): ConformTwo, cx: &Cx) -> Result<Option<Box<RawValue>>, Failure> {
    obey(job, cx).await
}

async fn obey(mut job: Instruction, cx: &Cx) -> Result<Option<Box<RawValue>>, Failure> {
    while job.r#do == "log" {
        for line in &job.lines {
            let level = serde_json::from_value(json!(line.level)).unwrap_or(Level::Info);
            let data = line.data.clone().unwrap_or_default();
            cx.log().with(level, &line.message, data);
        }
        match &job.then {
            Some(then) => job = serde_json::from_str(then.get())?,
            None => return Ok(None),
        }
    }
    let answer = match job.r#do.as_str() {
        "complete" => return Ok(job.result),
        "nul" => json!("a\u{0}b"),
        "large" => json!("x".repeat(job.characters)),
        "sleep" => {
            sleep(Duration::from_millis(job.milliseconds)).await;
            return Ok(job.result);
        }
        "fail" if cx.attempt() > job.times.unwrap_or(1000) => json!({ "attempt": cx.attempt() }),
        "fail" => return Err(failure(job)),
        "throw" => thrown(&job.message),
        "spin" => spun(),
        "grow" => grown(),
        "retry" => {
            let after = Duration::from_secs_f64(job.seconds);
            return Err(Failure::retryable("retry", job.message).retry_after(after));
        }
        "snooze" => {
            let delay = Duration::from_secs_f64(job.seconds);
            return Err(Failure::snooze(delay, "snoozed", job.message));
        }
        "dead" => return Err(gristmill::dead(job.message)),
        "hang" => std::future::pending().await,
        "wait_stop" => stopped(cx).await,
        "progress" => {
            cx.progress(job.percent);
            stopped(cx).await
        }
        "context" => {
            json!({ "id": cx.id(), "kind": cx.kind(), "queue": cx.queue(), "attempt": cx.attempt(),
            "max_attempts": cx.max_attempts(), "name": cx.name(), "owner": cx.owner(), "group_key": cx.group_key(),
            "correlation_id": cx.correlation_id(), "traceparent": cx.traceparent() })
        }
        "steps" => Value::from(follow(job.plan, cx).await?),
        "enqueue" => enqueue(job, cx).await,
        "register" => json!(
            cx.client()
                .register(&Definition::new().kind::<Mail>())
                .await?
        ),
        other => return Err(gristmill::dead(format!("there is no instruction {other}"))),
    };
    Ok(Some(to_raw_value(&answer)?))
}

async fn follow(plan: Vec<Item>, cx: &Cx) -> Result<Vec<Value>, Failure> {
    let mut results = Vec::new();
    for item in plan {
        if let Some(name) = &item.sleep {
            let time = Duration::from_secs_f64(item.seconds.unwrap_or_default());
            cx.sleep(name, time).await?;
        } else if let Some(event) = &item.wait {
            let timeout = item.seconds.map(Duration::from_secs_f64);
            let received: Option<Value> = cx.wait_for(event, timeout).await?;
            results.push(received.unwrap_or_default());
        } else {
            let Item {
                step,
                milliseconds,
                result,
                ..
            } = item;
            let name = step.clone();
            let run = || async move {
                sleep(Duration::from_millis(milliseconds)).await;
                cx.log().info(format!("did {step}"));
                Ok::<_, Failure>(result)
            };
            results.push(cx.step(&name, run).await?);
        }
    }
    Ok(results)
}

fn failure(job: Instruction) -> Failure {
    // A type is a word of the program; a test's word lives as long as the program.
    let r#type = job.r#type.map_or("failure", |word| &*word.leak());
    let mut failure = Failure::retryable(r#type, job.message);
    failure.http_status = job.http_status;
    failure.provider = job.provider;
    failure
}

#[allow(clippy::panic, reason = "the scenario asks for a mistake in the code")]
fn thrown(message: &str) -> Value {
    panic!("{message}")
}

fn spun() -> Value {
    loop {
        std::hint::spin_loop();
    }
}

// Memory is asked for and never touched: what ends it is the limit of WebAssembly, and not that of the machine.
fn grown() -> Value {
    let mut held = Vec::new();
    loop {
        held.push(Vec::<u8>::with_capacity(64 << 20));
        std::hint::black_box(&held);
    }
}

async fn stopped(cx: &Cx) -> Value {
    cx.cancelled().await;
    println!("conform stopped {}", cx.id());
    Value::Null
}

async fn enqueue(job: Instruction, cx: &Cx) -> Value {
    let refused = |error: CallError| json!({ "code": error.code(), "field": error.field() });
    if let Some(all) = job.all {
        let mails: Vec<Mail> = all.into_iter().map(|to| Mail { to }).collect();
        let answers = cx.client().enqueue_all(&mails).await;
        return answers.map_or_else(refused, |answers| json!(answers));
    }
    let options = job.options.unwrap_or_default();
    let mut enqueue = cx.client().enqueue(&AnyMail { to: job.to });
    macro_rules! set {
        ($($name:ident),*) => {$(
            if let Some(value) = options.$name {
                enqueue = enqueue.$name(value);
            }
        )*};
    }
    set!(
        name,
        correlation_id,
        category,
        priority,
        run_at,
        max_attempts,
        dedupe_key,
        group_key,
        owner,
        traceparent
    );
    if options.unique == Some(false) {
        enqueue = enqueue.even_if_not_unique();
    }
    let answer = enqueue.await;
    answer.map_or_else(refused, |enqueued| json!(enqueued))
}

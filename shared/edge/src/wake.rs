//! Starts the function that serves a job, after the function that took the job has answered.
//!
//! Postgres asks for the same start by pg_net, which rests for a second between batches: jobs that came one after another started 1.0 s late at the
//! median. So the function fetches the signed request that Postgres has written (`claim_wake_up`) and sends it at once. The request carries no work. If sending it
//! fails, pg_net sends it, and whichever arrives second claims nothing (docs/protocol.md).
//!
//! It costs the caller nothing: it begins when the answer is ready, and its failure is a line of the log.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use serde::Deserialize;
use worker::wasm_bindgen::JsValue;
use worker::{Context, Date, Fetch, Headers, Method, RequestInit, RequestRedirect};

use super::Config;
use gristmill_core::job::JobId;
use gristmill_core::{Traceparent, trace, within};
use gristmill_rpc::{Rpc, WakeUp};

/// Longest that Postgres is waited for.
const ASKING: Duration = Duration::from_secs(2);

/// How long one request goes on asking for jobs that others have enqueued meanwhile. After that the next job's own request does it.
const ASKING_FOR_OTHERS_MS: u64 = 10_000;

/// Longest invocation that is started from here. Cloudflare ends what a function does 30 s after its answer, and with it the request; a function whose caller
/// leaves is ended too. Longer invocations are started by Postgres.
const LONGEST_INVOCATION: u32 = 30;

thread_local! {
    static PENDING: RefCell<Pending> = const { RefCell::new(Pending { by_kind: BTreeMap::new(), asking_since: None }) };
    static FAILURES: Cell<u32> = const { Cell::new(0) };
}

/// What this isolate has yet to ask for. One request asks at a time: jobs of one kind that arrive while it does need one question together, because they wait in
/// one queue.
struct Pending {
    by_kind: BTreeMap<String, JobId>,
    /// In milliseconds. A request can be ended by the platform at any time, and then says nothing: after a while it is taken for dead.
    asking_since: Option<u64>,
}

impl Pending {
    /// Whether the caller has to ask; otherwise another request will.
    fn note(&mut self, kind: String, job: JobId, now: u64) -> bool {
        self.by_kind.insert(kind, job);
        let patience = 2 * ASKING.as_millis() as u64;
        let is_asked_for = self
            .asking_since
            .is_some_and(|since| now.saturating_sub(since) < patience);
        if !is_asked_for {
            self.asking_since = Some(now);
        }
        !is_asked_for
    }

    /// What to ask for next; none ends the asking.
    fn next(&mut self, now: u64) -> Option<JobId> {
        let next = self.by_kind.pop_first().map(|(_, job)| job);
        self.asking_since = next.map(|_| now);
        next
    }
}

/// Starts what the request has enqueued, if it has enqueued something.
pub(super) fn after_answer(context: Context, config: &Config, function: &'static str) {
    let Some((kind, job)) = config.take_enqueued() else {
        return;
    };
    let Ok(rpc) = config.service_rpc() else {
        // A deployment from before this function needed the key. Postgres starts the job.
        return;
    };
    let now = Date::now().as_millis();
    if PENDING.with_borrow_mut(|pending| pending.note(kind, job, now)) {
        let context = Rc::new(context);
        let parent = config.traceparent();
        context.wait_until(ask(context.clone(), rpc, parent, function));
    }
}

async fn ask(context: Rc<Context>, rpc: Rpc, parent: Option<Traceparent>, function: &'static str) {
    let begun = Date::now().as_millis();
    loop {
        let now = Date::now().as_millis();
        let is_late = now.saturating_sub(begun) > ASKING_FOR_OTHERS_MS;
        let job = PENDING.with_borrow_mut(|pending| match is_late {
            true => {
                pending.asking_since = None;
                None
            }
            false => pending.next(now),
        });
        let Some(job) = job else {
            return;
        };
        match within(ASKING, rpc.claim_wake_up(job)).await {
            // The next question does not wait for the invocation to end.
            Ok(Ok(Some(wake_up))) if is_short(&wake_up) => context.wait_until(async move {
                if let Err(cause) = send(wake_up, parent).await {
                    failed(function, &cause);
                }
            }),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => failed(function, &error.to_string()),
            Err(_) => failed(function, "claim_wake_up did not answer in time"),
        }
    }
}

fn is_short(wake_up: &WakeUp) -> bool {
    #[derive(Deserialize)]
    struct Invocation {
        seconds: u32,
    }
    serde_json::from_str::<Invocation>(&wake_up.body)
        .is_ok_and(|invocation| invocation.seconds <= LONGEST_INVOCATION)
}

// Waits for the answer: on Cloudflare a function whose caller leaves is ended.
async fn send(wake_up: WakeUp, parent: Option<Traceparent>) -> Result<(), String> {
    let answered = async {
        let headers = Headers::new();
        for (name, value) in &wake_up.headers {
            headers.set(name, value)?;
        }
        if let Some(parent) = parent {
            headers.set(trace::HEADER, &parent.to_string())?;
        }
        let mut init = RequestInit::new();
        init.with_method(Method::Post)
            .with_headers(headers)
            .with_redirect(RequestRedirect::Manual)
            .with_body(Some(JsValue::from_str(&wake_up.body)));
        let request = worker::Request::new_with_init(&wake_up.url, &init)?;
        let mut answer = Fetch::Request(request).send().await?;
        answer.bytes().await?;
        Ok::<u16, worker::Error>(answer.status_code())
    };
    match within(Duration::from_secs(LONGEST_INVOCATION.into()), answered).await {
        Ok(Ok(200..300)) => Ok(()),
        Ok(Ok(status)) => Err(format!("the function answered {status}")),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the function did not answer in time".to_owned()),
    }
}

// No error of the request, which has its answer, and none of the job, which Postgres starts.
fn failed(function: &str, cause: &str) {
    FAILURES.set(FAILURES.get().wrapping_add(1));
    worker::console_log!(
        "{}",
        serde_json::json!({ "function": function, "wake_up": "failed", "cause": cause, "failures": FAILURES.get() })
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "01a1e273-88a8-7a97-9476-25074e8fc71a";
    const B: &str = "01a1e273-88a8-7a97-9476-25074e8fc71b";

    fn pending() -> Pending {
        Pending {
            by_kind: BTreeMap::new(),
            asking_since: None,
        }
    }

    fn id(text: &str) -> JobId {
        text.parse().unwrap()
    }

    #[test]
    fn jobs_of_one_kind_that_arrive_while_one_request_asks_need_one_more_question() {
        let mut pending = pending();
        assert!(pending.note("echo".into(), id(A), 0));
        assert_eq!(pending.next(0), Some(id(A)));
        for at in 1..50 {
            assert!(!pending.note("echo".into(), id(B), at));
        }
        assert_eq!(pending.next(50), Some(id(B)));
        assert_eq!(pending.next(51), None);
        assert!(
            pending.note("echo".into(), id(A), 52),
            "nobody asks any more"
        );
    }

    #[test]
    fn jobs_of_two_kinds_are_both_asked_for() {
        let mut pending = pending();
        assert!(pending.note("one".into(), id(A), 0));
        assert!(!pending.note("two".into(), id(B), 0));
        assert_eq!(
            [pending.next(1), pending.next(2), pending.next(3)],
            [Some(id(A)), Some(id(B)), None]
        );
    }

    #[test]
    fn a_request_that_the_platform_ended_while_it_asked_holds_up_nobody() {
        let mut pending = pending();
        assert!(pending.note("echo".into(), id(A), 0));
        assert!(!pending.note("echo".into(), id(A), 3999));
        assert!(pending.note("echo".into(), id(B), 4000));
    }

    #[test]
    fn an_invocation_that_may_outlive_this_function_s_own_time_is_left_to_postgres() {
        let of = |seconds: u32| WakeUp {
            url: String::new(),
            headers: BTreeMap::new(),
            body: format!(
                r#"{{"invocation": "{A}", "queue": "q", "batch": 1, "seconds": {seconds}}}"#
            ),
        };
        assert!(is_short(&of(30)));
        assert!(!is_short(&of(31)));
    }
}

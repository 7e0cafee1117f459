//! Sends what `net.http_request_queue` holds and records the answers.
//!
//! A request stays in the queue until its answer is recorded, in one statement with its deletion. What
//! is in flight is known to this process only: if it dies, the rows are still there.

mod address;
mod client;
mod failure;
mod limits;
mod pool;
mod queue;
mod timing;

use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use super::{Args, Error};
use client::HttpClient;
use gristmill_native::database::{self, Config};
use limits::Limits;
use queue::{Answer, Queue, Request};

/// Finds rows that were inserted without net.wake(), and covers a lost notification.
const POLL: Duration = Duration::from_secs(1);
/// How often expired responses are looked for.
const PRUNE: Duration = Duration::from_secs(30);
/// Answers recorded by one statement at most.
const RECORD_BATCH: usize = 500;

/// Sends requests; keeps those in flight across lost connections to Postgres.
pub(super) struct Sender {
    http: HttpClient,
    limits: Limits,
    response_ttl: String,
    answers: mpsc::UnboundedReceiver<Answer>,
    answered: mpsc::UnboundedSender<Answer>,
    unrecorded: Vec<Answer>,
    /// The life of the server in which the requests in flight were queued.
    life: Option<String>,
    look: Look,
}

/// Where to look for due requests. A full look finds all, but may have to step over dead rows; after one
/// that left nothing behind, looking above the newest id is enough, but for a transaction that took its
/// ids early and commits late. So both are done, and full ones take a fifth of the time at most.
#[derive(Default)]
struct Look {
    newest: i64,
    nothing_left: bool,
    full_at: Option<Instant>,
}

impl Sender {
    /// A sender with nothing in flight.
    pub(super) fn new(args: &Args) -> Result<Self, Error> {
        // Unbounded, yet never longer than what `limits` lets be in flight.
        let (answered, answers) = mpsc::unbounded_channel();
        Ok(Self {
            http: HttpClient::new(args.allow_private, args.max_response_bytes)?,
            limits: Limits::new(
                args.concurrency,
                args.per_host_concurrency,
                args.per_host_rate,
            ),
            response_ttl: args.response_ttl.clone(),
            answers,
            answered,
            unrecorded: Vec::new(),
            life: None,
            look: Look::default(),
        })
    }

    /// Sends and records until Postgres goes away.
    pub(super) async fn serve(&mut self, config: &Config, wake: &Notify) -> Result<(), Error> {
        let (client, _messages) = database::connect(config).await?;
        let queue = Queue::new(client).await?;
        self.enter(queue.life().await?);
        let mut prune_at = Instant::now();
        let mut look_at = Instant::now();
        loop {
            self.record(&queue).await?;
            if Instant::now() >= look_at {
                look_at = self.send_due(&queue).await?;
            }
            if Instant::now() >= prune_at {
                let more = queue.prune(&self.response_ttl).await?;
                prune_at = Instant::now() + if more { Duration::ZERO } else { PRUNE };
            }
            tokio::select! {
                biased;
                Some(answer) = self.answers.recv() => {
                    // A slot is free again; whether someone waits for it, only the queue can tell.
                    if self.limits.was_exhausted(&answer.target) {
                        look_at = Instant::now();
                    }
                    self.take(answer);
                }
                () = wake.notified() => look_at = Instant::now(),
                () = tokio::time::sleep_until(look_at.min(prune_at)) => {}
            }
        }
    }

    /// Waits for everything in flight and records it.
    pub(super) async fn drain(&mut self, config: &Config) -> Result<(), Error> {
        if self.limits.in_flight().is_empty() && self.unrecorded.is_empty() {
            return Ok(());
        }
        let (client, _messages) = database::connect(config).await?;
        let queue = Queue::new(client).await?;
        self.enter(queue.life().await?);
        loop {
            self.record(&queue).await?;
            if self.limits.in_flight().is_empty() {
                return Ok(());
            }
            if let Some(answer) = self.answers.recv().await {
                self.take(answer);
            }
        }
    }

    /// A restarted server may have given the ids of requests in flight to new ones, so answers to the
    /// old must not be recorded. Where the queue survived, its requests are sent again.
    fn enter(&mut self, life: String) {
        if self.life.as_ref().is_some_and(|before| *before != life) {
            let forgotten = self.limits.in_flight().len();
            tracing::warn!(
                forgotten,
                "Postgres was restarted; answers under way are not recorded"
            );
            (self.answered, self.answers) = mpsc::unbounded_channel();
            self.unrecorded.clear();
            self.limits.forget();
        }
        self.life = Some(life);
        self.look = Look::default();
    }

    /// Starts all that the limits allow; answers when to look again if nothing happens before.
    async fn send_due(&mut self, queue: &Queue) -> Result<Instant, Error> {
        let now = Instant::now();
        let room = self.limits.room(now);
        if room.total == 0 {
            return Ok(now + POLL);
        }
        let above = self.look.above(now);
        let due = queue.due(&room, self.limits.in_flight(), above).await?;
        if above.is_none() {
            self.look.full_at = Some(Instant::now() + 4 * now.elapsed());
        }
        for request in due {
            self.look.newest = self.look.newest.max(request.id);
            self.start(request, now);
        }
        self.look.nothing_left = !self.limits.left_some();
        let again = [self.limits.next_token(now), above.and(self.look.full_at)];
        Ok(again.into_iter().flatten().fold(now + POLL, Instant::min))
    }

    fn start(&mut self, request: Request, now: Instant) {
        self.limits.start(request.id, &request.target, now);
        let (http, answered) = (self.http.clone(), self.answered.clone());
        tokio::spawn(async move {
            let answer = http.send(request).await;
            // Fails only when the relay itself is gone.
            let _ = answered.send(answer);
        });
    }

    /// Takes an answer and, so that one statement records many, whichever others are there.
    fn take(&mut self, answer: Answer) {
        self.unrecorded.push(answer);
        while self.unrecorded.len() < RECORD_BATCH
            && let Ok(answer) = self.answers.try_recv()
        {
            self.unrecorded.push(answer);
        }
    }

    /// Records what is answered. Only then is a request's slot free: until its row is gone, looking for
    /// due requests would find it again.
    async fn record(&mut self, queue: &Queue) -> Result<(), Error> {
        if self.unrecorded.is_empty() {
            return Ok(());
        }
        queue.record(&self.unrecorded).await?;
        for answer in self.unrecorded.drain(..) {
            self.limits.finish(answer.id, &answer.target);
        }
        Ok(())
    }
}

impl Look {
    /// The id above which to look, or none for a full look.
    fn above(&self, now: Instant) -> Option<i64> {
        let rested = self.full_at.is_some_and(|at| now < at);
        (self.nothing_left && rested).then_some(self.newest)
    }
}

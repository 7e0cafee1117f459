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
use tokio_postgres::Config;

use super::{Args, Error};
use crate::database;
use client::HttpClient;
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
        })
    }

    /// Sends and records until Postgres goes away.
    pub(super) async fn serve(&mut self, config: &Config, wake: &Notify) -> Result<(), Error> {
        let (client, _messages) = database::connect(config).await?;
        let queue = Queue::new(client).await?;
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
                    self.take_all();
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
        loop {
            self.record(&queue).await?;
            if self.limits.in_flight().is_empty() {
                return Ok(());
            }
            if let Some(answer) = self.answers.recv().await {
                self.take(answer);
                self.take_all();
            }
        }
    }

    /// Starts all that the limits allow; answers when to look again if nothing happens before.
    async fn send_due(&mut self, queue: &Queue) -> Result<Instant, Error> {
        let now = Instant::now();
        let room = self.limits.room(now);
        if room.total == 0 {
            return Ok(now + POLL);
        }
        for request in queue.due(&room, self.limits.in_flight()).await? {
            self.start(request, now);
        }
        Ok(self
            .limits
            .next_token(now)
            .map_or(now + POLL, |at| at.min(now + POLL)))
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

    fn take_all(&mut self) {
        while self.unrecorded.len() < RECORD_BATCH
            && let Ok(answer) = self.answers.try_recv()
        {
            self.take(answer);
        }
    }

    fn take(&mut self, answer: Answer) {
        self.unrecorded.push(answer);
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

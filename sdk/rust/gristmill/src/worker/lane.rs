//! A lane claims jobs, as many as it has room for, runs them, and reports what has ended together with its next claim.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::attempt::{self, Ended};
use super::leases::Claimed;
use super::{QueueSource, Queues, Shared, Worker};
use crate::client::{CallError, Claim};
use crate::handler::{Handler, Lane};
use crate::job::ClaimedJob;
use crate::outcome::{SettleStatus, Settled, Settlement};
use crate::time::Backoff;

/// Whoever calls tells of one job; what others enqueue in the same tenth of a second they do not call for
/// (sql/engine/invoke/call_worker.sql), so a lane that was woken looks again after this, and then ever later.
const AFTER_A_CALL: Duration = Duration::from_millis(100);

/// How often queues are asked for again: adding one is an INSERT.
const QUEUES_FOR: Duration = Duration::from_secs(60);

/// Outcomes per call.
const MOST: usize = 200;

/// Work is done and only its record is missing: worth trying for as long as a usual lease lasts.
const TRIES: u32 = 12;

struct Claiming {
    shared: Arc<Shared>,
    handlers: HashMap<&'static str, Arc<dyn Handler>>,
    room: usize,
    running: usize,
    queues: Vec<String>,
    source: Option<Arc<dyn QueueSource>>,
    looked_up: Option<Instant>,
    sender: mpsc::UnboundedSender<Ended>,
    ended: mpsc::UnboundedReceiver<Ended>,
    /// What has ended and is not settled yet.
    outcomes: Vec<Settlement>,
}

/// Starts a lane for each sort of handler that there is.
pub(super) fn start(shared: &Arc<Shared>, worker: &Worker) -> JoinSet<()> {
    let mut by_lane: HashMap<Lane, HashMap<&'static str, Arc<dyn Handler>>> = HashMap::new();
    for (kind, handler) in worker.jobs.handlers() {
        let lane = by_lane.entry(handler.lane()).or_default();
        lane.insert(kind, handler.clone());
    }
    let (queues, source) = match &worker.queues {
        Queues::OfTheKinds => (worker.jobs.definition().queue_names(), None),
        Queues::Fixed(queues) => (queues.clone(), None),
        Queues::From(source) => (Vec::new(), Some(source.clone())),
    };
    let mut lanes = JoinSet::new();
    for (lane, handlers) in by_lane {
        let (sender, ended) = mpsc::unbounded_channel();
        let claiming = Claiming {
            shared: shared.clone(),
            handlers,
            room: match lane {
                Lane::Computing => worker.computing,
                Lane::Waiting => worker.concurrency,
            },
            running: 0,
            queues: queues.clone(),
            source: source.clone(),
            looked_up: None,
            sender,
            ended,
            outcomes: Vec::new(),
        };
        lanes.spawn(claiming.run());
    }
    lanes
}

impl Claiming {
    async fn run(mut self) {
        let shared = self.shared.clone();
        let (first, longest) = shared.poll;
        let mut rest = first;
        let mut due = Instant::now();
        loop {
            // Jobs that end at once have ended by now: their outcomes go with the next call.
            tokio::task::yield_now().await;
            let outcomes = self.take_ended();
            let is_stopping = shared.stop.is_cancelled();
            if is_stopping && outcomes.is_empty() && self.running == 0 {
                return;
            }
            // Registered before the claim: what is woken during it is not missed.
            let woken = shared.status.woken.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            if !is_stopping {
                self.look_up_queues().await;
            }
            let free = self.room - self.running;
            let kinds = self.open_kinds();
            let may_claim =
                !is_stopping && free > 0 && !kinds.is_empty() && !self.queues.is_empty();
            if may_claim && (!outcomes.is_empty() || Instant::now() >= due) {
                let reported = !outcomes.is_empty();
                let claimed = self.exchange(outcomes, free, &kinds).await;
                if claimed > 0 {
                    rest = rest.min(first);
                }
                // With outcomes a claim takes what nobody else is about to take: fewer than are due, perhaps. Only nothing at all means rest.
                due = match reported && claimed > 0 {
                    true => Instant::now(),
                    false => Instant::now() + rest,
                };
                continue;
            }
            if !outcomes.is_empty() {
                self.settle(&outcomes).await;
                self.forget(&outcomes);
                continue;
            }
            // With work under way the end of each job wakes this lane; the timer finds what others enqueue. What was not claimed for want of
            // room is looked for when there may be room again.
            let opening = self
                .opening()
                .map_or(due, |opening| due.min(Instant::now() + opening));
            tokio::select! {
                ended = self.ended.recv() => if let Some(ended) = ended { self.note(ended) },
                () = &mut woken, if free > 0 && !is_stopping => {
                    rest = AFTER_A_CALL.min(first);
                    due = Instant::now();
                }
                () = tokio::time::sleep_until(opening), if free > 0 && !is_stopping => {
                    rest = (rest * 2).min(longest);
                    due = Instant::now();
                }
                () = shared.stop.cancelled(), if !is_stopping => {}
            }
        }
    }

    fn note(&mut self, ended: Ended) {
        self.running -= 1;
        match ended.settlement {
            Some(settlement) => self.outcomes.push(settlement),
            None => self.shared.leases.release(ended.id),
        }
    }

    fn take_ended(&mut self) -> Vec<Settlement> {
        while self.outcomes.len() < MOST {
            match self.ended.try_recv() {
                Ok(ended) => self.note(ended),
                Err(_) => break,
            }
        }
        std::mem::take(&mut self.outcomes)
    }

    async fn look_up_queues(&mut self) {
        let Some(source) = &self.source else { return };
        if self.looked_up.is_some_and(|at| at.elapsed() <= QUEUES_FOR) {
            return;
        }
        match source.queues().await {
            Ok(queues) => {
                self.queues = queues;
                self.looked_up = Some(Instant::now());
            }
            Err(error) => self.failed(&error),
        }
    }

    /// Kinds whose handlers have room. All of them are looked at before each claim: it costs less than a claim that is given back.
    fn open_kinds(&self) -> Vec<String> {
        let all = self.handlers.iter();
        let open = all.filter(|(kind, handler)| handler.closed_for(kind).is_none());
        open.map(|(kind, _)| (*kind).to_owned()).collect()
    }

    /// When the first handler that has no room may have some.
    fn opening(&self) -> Option<Duration> {
        let all = self.handlers.iter();
        all.filter_map(|(kind, handler)| handler.closed_for(kind))
            .min()
    }

    /// Reports what has ended and claims as many as are free. Answers how many were claimed.
    async fn exchange(
        &mut self,
        outcomes: Vec<Settlement>,
        free: usize,
        kinds: &[String],
    ) -> usize {
        let shared = self.shared.clone();
        let queues = self.queues.clone();
        let is_every = shared.takes_all_kinds && kinds.len() == self.handlers.len();
        let claim = Claim {
            queues: &queues,
            max: u32::try_from(free.min(1000)).unwrap_or(1000),
            kinds: (!is_every).then_some(kinds),
            leave_external: shared.leaves_external,
        };
        if !outcomes.is_empty() && shared.settles_and_claims.load(Relaxed) {
            let began = Instant::now();
            let answer = shared
                .client
                .settle_and_claim_dated(&shared.name, &outcomes, claim)
                .await;
            match answer {
                Ok(answer) => {
                    self.settled(&outcomes, &answer.answer.settled);
                    self.forget(&outcomes);
                    let claimed = Claimed {
                        began,
                        at: answer.at,
                    };
                    return self.begin(answer.answer.jobs, claimed);
                }
                Err(error) if error.is_unknown_function() => {
                    tracing::info!("this Postgres knows no settle_and_claim: it takes two calls");
                    shared.settles_and_claims.store(false, Relaxed);
                }
                Err(error) if error.is_passing() => {
                    // It may have been heard: to claim again before this is known would leave two batches without a worker.
                    self.failed(&error);
                    tokio::time::sleep(Backoff::of_calls().pause(error.retry_after())).await;
                }
                Err(error) => {
                    tracing::error!(%error, "a batch was refused; it is settled by itself");
                }
            }
        }
        if !outcomes.is_empty() {
            self.settle(&outcomes).await;
            self.forget(&outcomes);
        }
        let began = Instant::now();
        match shared.client.claim_dated(&shared.name, claim, None).await {
            Ok(answer) => {
                let claimed = Claimed {
                    began,
                    at: answer.at,
                };
                self.begin(answer.answer, claimed)
            }
            Err(error) => {
                self.failed(&error);
                0
            }
        }
    }

    fn failed(&self, error: &CallError) {
        self.shared.status.is_connected.store(false, Relaxed);
        self.shared.status.claim_failures.add();
        tracing::warn!(%error, "nothing could be claimed");
    }

    fn begin(&mut self, jobs: Vec<ClaimedJob>, claimed: Claimed) -> usize {
        self.shared.status.is_connected.store(true, Relaxed);
        self.shared.status.claimed.add_many(jobs.len());
        let count = jobs.len();
        for job in jobs {
            self.running += 1;
            let lease = self.shared.leases.hold(&job, claimed);
            let handler = self.handlers.get(job.kind.as_str()).cloned();
            attempt::start(&self.shared, handler, job, lease, self.sender.clone());
        }
        count
    }

    fn forget(&self, outcomes: &[Settlement]) {
        for outcome in outcomes {
            self.shared.leases.release(outcome.id);
        }
    }

    fn settled(&self, outcomes: &[Settlement], answers: &[Settled]) {
        for outcome in outcomes {
            self.shared.status.count(&outcome.outcome);
        }
        for answer in answers {
            if answer.status == SettleStatus::Lost {
                self.shared.status.lost.add();
                tracing::info!(job = %answer.id, "the lease was lost; nothing changed");
            }
        }
    }

    async fn settle(&self, outcomes: &[Settlement]) {
        match self.report(outcomes).await {
            Ok(answers) => self.settled(outcomes, &answers),
            Err(error) if error.is_passing() => tracing::error!(
                jobs = outcomes.len(),
                "gave up settling; the leases will run out and the jobs run again"
            ),
            Err(error) => self.settle_apart(outcomes, &error).await,
        }
    }

    async fn report(&self, outcomes: &[Settlement]) -> Result<Vec<Settled>, CallError> {
        let shared = &self.shared;
        let mut backoff = Backoff::of_calls();
        for _ in 1..TRIES {
            match shared
                .client
                .settle_jobs(&shared.name, outcomes, None)
                .await
            {
                Err(error) if error.is_passing() => {
                    tracing::warn!(%error, jobs = outcomes.len(), "outcomes could not be settled yet");
                    tokio::time::sleep(backoff.pause(error.retry_after())).await;
                }
                answer => return answer,
            }
        }
        shared
            .client
            .settle_jobs(&shared.name, outcomes, None)
            .await
    }

    // One outcome that Postgres cannot take must not hold back the others.
    async fn settle_apart(&self, outcomes: &[Settlement], reason: &CallError) {
        tracing::error!(%reason, jobs = outcomes.len(), "a batch was refused; settling one by one");
        for outcome in outcomes {
            let one = std::slice::from_ref(outcome);
            let answer = match self.report(one).await {
                Err(error) if !error.is_passing() => {
                    tracing::error!(%error, job = %outcome.id, outcome = outcome.outcome.word(), "an outcome was refused");
                    self.report(&[outcome.refused(&error)]).await
                }
                answer => answer,
            };
            match answer {
                Ok(answers) => self.settled(one, &answers),
                Err(error) => {
                    tracing::error!(%error, job = %outcome.id, "gave up settling; the lease will run out");
                }
            }
        }
    }
}

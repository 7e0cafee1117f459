//! Runs what `cron.job` holds when it is due and keeps `cron.job_run_details`.
//!
//! `schedule` reads a schedule, `plan` decides, `run` executes, `job` speaks SQL; here they meet.

mod job;
mod plan;
mod run;
mod schedule;

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Args, Error};
use gristmill_native::database::{self, Config};
use job::{History, Job, JobId, Outcome, RunId};
use plan::Plan;
use run::Runner;

/// Jobs are read again this often even if nobody said that they changed; the clock is compared then too.
const RELOAD: Duration = Duration::from_secs(10);
const PRUNE: Duration = Duration::from_secs(60);

/// Plans and starts runs; remembers across lost connections which minute was the last.
pub(super) struct Scheduler {
    config: Config,
    runner: Runner,
    plan: Plan,
    most_running: u32,
    run_history: String,
    /// How far the database's clock is ahead of this machine's.
    ahead: TimeDelta,
}

/// What a run tells the scheduler.
enum Event {
    Running(RunId, i32),
    Ended(JobId, RunId, Outcome),
}

impl Scheduler {
    pub(super) fn new(args: &Args, config: &Config) -> Self {
        Self {
            config: config.clone(),
            runner: Runner::new(config, args.cron_impersonate),
            plan: Plan::default(),
            most_running: args.max_running_jobs,
            run_history: args.run_history.clone(),
            ahead: TimeDelta::zero(),
        }
    }

    /// Runs jobs until Postgres goes away; their connections are closed then.
    pub(super) async fn serve(&mut self, wake: &Notify) -> Result<(), Error> {
        let (client, _messages) = database::connect(&self.config).await?;
        let history = History::new(client).await?;
        let abandoned = history.close_abandoned().await?;
        if abandoned > 0 {
            tracing::warn!(abandoned, "runs that nobody ended are marked as failed");
        }
        self.plan.forget_running();
        let mut runs = Runs::default();
        let (mut reload_at, mut prune_at) = (Instant::now(), Instant::now());
        loop {
            if Instant::now() >= reload_at {
                self.reload(&history, &mut runs).await?;
                reload_at = Instant::now() + RELOAD;
            }
            if Instant::now() >= prune_at {
                let more = history.prune(&self.run_history).await?;
                prune_at = Instant::now() + if more { Duration::ZERO } else { PRUNE };
            }
            self.plan.advance(self.now());
            for job in self.plan.start(self.most_running, self.now()) {
                let run = history.starting(&job).await?;
                runs.start(self.runner.clone(), job, run);
            }
            let idle = Instant::now() + self.plan.idle(self.now());
            tokio::select! {
                Some(event) = runs.events.recv() => self.note(&history, event).await?,
                () = wake.notified() => reload_at = Instant::now(),
                () = tokio::time::sleep_until(idle.min(reload_at).min(prune_at)) => {}
            }
        }
    }

    fn now(&self) -> DateTime<Utc> {
        Utc::now() + self.ahead
    }

    async fn reload(&mut self, history: &History, runs: &mut Runs) -> Result<(), Error> {
        let (jobs, clock) = history.jobs().await?;
        self.ahead = clock - Utc::now();
        let changes = self.plan.load(jobs, clock);
        for id in changes.cancelled {
            runs.cancel(id);
        }
        for (job, why) in changes.unreadable {
            let run = history.starting(&job).await?;
            history.ended(run, &Outcome::Failed(why)).await?;
        }
        Ok(())
    }

    async fn note(&mut self, history: &History, event: Event) -> Result<(), Error> {
        match event {
            Event::Running(run, pid) => history.running(run, pid).await?,
            Event::Ended(job, run, outcome) => {
                history.ended(run, &outcome).await?;
                self.plan.finished(job);
                tracing::debug!(
                    job = job.0,
                    run = run.0,
                    succeeded = matches!(outcome, Outcome::Succeeded(_)),
                    "ran"
                );
            }
        }
        Ok(())
    }
}

/// The runs under way; dropping them closes their connections.
struct Runs {
    tasks: JoinSet<()>,
    cancels: HashMap<JobId, oneshot::Sender<()>>,
    events: mpsc::UnboundedReceiver<Event>,
    tell: mpsc::UnboundedSender<Event>,
}

impl Default for Runs {
    fn default() -> Self {
        let (tell, events) = mpsc::unbounded_channel();
        Self {
            tasks: JoinSet::new(),
            cancels: HashMap::new(),
            events,
            tell,
        }
    }
}

impl Runs {
    fn start(&mut self, runner: Runner, job: Job, run: RunId) {
        let (cancel, cancelled) = oneshot::channel();
        self.cancels.insert(job.id, cancel);
        // Reaped as we go, or a busy scheduler would keep every task it ever ran.
        while self.tasks.try_join_next().is_some() {}
        let tell = self.tell.clone();
        self.tasks.spawn(async move {
            let outcome = perform(&runner, &job, run, &tell, cancelled).await;
            // Fails only when the scheduler is gone, and then nobody keeps the history.
            let _ = tell.send(Event::Ended(job.id, run, outcome));
        });
    }

    fn cancel(&mut self, id: JobId) {
        if let Some(cancel) = self.cancels.remove(&id) {
            // A run that has just ended needs no cancelling.
            let _ = cancel.send(());
        }
    }
}

async fn perform(
    runner: &Runner,
    job: &Job,
    run: RunId,
    tell: &mpsc::UnboundedSender<Event>,
    cancelled: oneshot::Receiver<()>,
) -> Outcome {
    let session = match runner.open(job).await {
        Ok(session) => session,
        Err(outcome) => return outcome,
    };
    let _ = tell.send(Event::Running(run, session.pid));
    // A sender that is gone is not a cancellation.
    let cancelled = async {
        if cancelled.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        outcome = session.run(&job.command) => outcome,
        () = cancelled => {
            session.cancel(runner).await;
            Outcome::Failed("job canceled".to_owned())
        }
    }
}

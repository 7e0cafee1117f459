//! Reports outcomes in batches: whatever has ended while the last report was under way goes with the next.

use std::sync::Arc;
use std::time::Duration;

use gristmill_core::job::{Outcome, SettleStatus, Settlement};
use gristmill_rpc::Rpc;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::leases::Leases;
use super::status::Status;

pub(super) type Sender = mpsc::Sender<Settlement>;

const MOST: usize = 200;

/// Work is done and only its record is missing: worth trying for as long as a usual lease lasts.
const TRIES: u32 = 12;

pub(super) fn start(
    worker: String,
    rpc: Arc<Rpc>,
    leases: Arc<Leases>,
    status: Arc<Status>,
) -> (Sender, JoinHandle<()>) {
    let (sender, mut outcomes) = mpsc::channel(1000);
    let task = tokio::spawn(async move {
        let mut batch: Vec<Settlement> = Vec::new();
        while outcomes.recv_many(&mut batch, MOST).await > 0 {
            for settlement in batch.extract_if(.., is_settled) {
                status.count(&settlement.outcome);
                leases.release(settlement.id);
            }
            if !batch.is_empty() {
                settle(&worker, &rpc, &batch, &status).await;
            }
            for settlement in batch.drain(..) {
                leases.release(settlement.id);
            }
            status.woken.notify_waiters();
        }
    });
    (sender, task)
}

// A handler that ended its job in one transaction with its own rows leaves nothing to report.
fn is_settled(settlement: &mut Settlement) -> bool {
    matches!(settlement.outcome, Outcome::Settled | Outcome::Noted { .. })
}

async fn settle(worker: &str, rpc: &Rpc, batch: &[Settlement], status: &Status) {
    for settlement in batch {
        status.count(&settlement.outcome);
    }
    let mut pause = Duration::from_millis(100);
    for _ in 0..TRIES {
        match rpc.settle_jobs(worker, batch, None).await {
            Ok(answers) => {
                for answer in answers
                    .iter()
                    .filter(|answer| answer.status == SettleStatus::Lost)
                {
                    status.lost.add();
                    tracing::info!(job = %answer.id, "the lease was lost; nothing changed");
                }
                return;
            }
            Err(error) if error.is_passing() => {
                tracing::warn!(%error, jobs = batch.len(), "outcomes could not be settled yet");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(30));
            }
            Err(error) => return settle_apart(worker, rpc, batch, &error.to_string()).await,
        }
    }
    tracing::error!(
        jobs = batch.len(),
        "gave up settling; the leases will run out and the jobs run again"
    );
}

// One outcome that Postgres cannot take must not hold back the others.
async fn settle_apart(worker: &str, rpc: &Rpc, batch: &[Settlement], reason: &str) {
    tracing::error!(
        reason,
        jobs = batch.len(),
        "a batch was refused; settling one by one"
    );
    for settlement in batch {
        if let Err(error) = rpc
            .settle_jobs(worker, std::slice::from_ref(settlement), None)
            .await
        {
            let completed = matches!(settlement.outcome, Outcome::Completed { .. });
            tracing::error!(%error, job = %settlement.id, completed, "an outcome was refused");
        }
    }
}

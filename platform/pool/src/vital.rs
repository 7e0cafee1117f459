//! A second opinion on requests that take long.
//!
//! A half-open connection looks exactly like a long query: nothing comes. So while a request takes longer
//! than [`LONG`], Postgres is asked over a connection of its own whether the request's process works on it.
//! If it does not, twice in a row, the answer is lost, and the request need not wait for its deadline.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::time::Duration;

use gristmill_native::database::Config;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::pool::Pool;

/// A request that takes longer is looked after.
const LONG: Duration = Duration::from_secs(3);
/// How often.
const EVERY: Duration = Duration::from_secs(1);
/// How long asking may take.
const ASKING: Duration = Duration::from_secs(3);

/// A process that is active and neither waits for us to read nor for us to write works on its request.
const WORKING: &str = "
select pid from pg_catalog.pg_stat_activity
where pid = any ($1)
  and state in ('active', 'fastpath function call')
  and wait_event_type is distinct from 'Client'";

/// What is known of a connection without touching it.
pub(super) struct Vital {
    /// The number of the server's process.
    process: i32,
    /// Milliseconds since [`Self::origin`] at which its request began, and 0 while it has none.
    since: AtomicU64,
    origin: Instant,
    /// Which request is lost: when it began.
    doomed: AtomicU64,
    lost: Notify,
}

impl Vital {
    pub(super) fn new(process: i32) -> Self {
        Self {
            process,
            since: AtomicU64::new(0),
            origin: Instant::now(),
            doomed: AtomicU64::new(0),
            lost: Notify::new(),
        }
    }

    /// A request begins; the answer tells it from later ones.
    pub(super) fn begin(&self) -> u64 {
        let passed = self.origin.elapsed().as_millis();
        let stamp = u64::try_from(passed).unwrap_or(u64::MAX).saturating_add(1);
        self.since.store(stamp, Relaxed);
        stamp
    }

    pub(super) fn end(&self) {
        self.since.store(0, Relaxed);
    }

    /// Resolves when Postgres says that it does not work on the request.
    pub(super) async fn lost(&self, stamp: u64) {
        // What is left over from an earlier request wakes a later one once, for nothing.
        while self.doomed.load(Relaxed) != stamp {
            self.lost.notified().await;
        }
    }

    fn doom(&self, stamp: u64) {
        self.doomed.store(stamp, Relaxed);
        self.lost.notify_one();
    }

    /// When the request began, if it takes long.
    fn long_since(&self, now: Instant) -> Option<u64> {
        let since = self.since.load(Relaxed);
        let passed = now.saturating_duration_since(self.origin);
        let passed = passed.saturating_sub(LONG).as_millis();
        (since > 0 && u128::from(since) <= passed).then_some(since)
    }
}

/// Looks after long requests for as long as the process runs.
pub async fn look_after(pool: Arc<Pool>, config: Config) {
    // Requests that Postgres was not working on when it was asked last: by process, when they began.
    let mut suspects: HashMap<i32, u64> = HashMap::new();
    loop {
        tokio::time::sleep(EVERY).await;
        let now = Instant::now();
        let long: Vec<(Arc<Vital>, u64)> = pool
            .vitals()
            .iter()
            .filter_map(Weak::upgrade)
            .filter_map(|vital| vital.long_since(now).map(|since| (vital.clone(), since)))
            .collect();
        if long.is_empty() {
            suspects.clear();
            continue;
        }
        let processes: Vec<i32> = long.iter().map(|(vital, _)| vital.process).collect();
        let Some(working) = ask(&config, &processes).await else {
            // Nobody can be asked; the deadlines hold.
            suspects.clear();
            continue;
        };
        let mut idle = HashMap::new();
        for (vital, since) in long {
            let is_same = vital.long_since(Instant::now()) == Some(since);
            if working.contains(&vital.process) || !is_same {
                continue;
            }
            if suspects.get(&vital.process) == Some(&since) {
                tracing::warn!(process = vital.process, "the answer to a request was lost");
                vital.doom(since);
            } else {
                idle.insert(vital.process, since);
            }
        }
        suspects = idle;
    }
}

/// Which of the processes work; None when Postgres cannot be asked.
async fn ask(config: &Config, processes: &[i32]) -> Option<Vec<i32>> {
    let asking = async {
        let (client, _messages) = gristmill_native::database::connect(config).await.ok()?;
        let rows = client.query(WORKING, &[&processes]).await.ok()?;
        rows.iter().map(|row| row.try_get(0).ok()).collect()
    };
    tokio::time::timeout(ASKING, asking).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_that_takes_long_is_looked_after() {
        let vital = Vital::new(1);
        let later = Instant::now() + LONG + Duration::from_secs(1);
        assert_eq!(vital.long_since(later), None);
        vital.begin();
        assert_eq!(vital.long_since(Instant::now()), None);
        assert!(vital.long_since(later).is_some());
        vital.end();
        assert_eq!(vital.long_since(later), None);
    }
}

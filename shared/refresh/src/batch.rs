//! One batch: ten calls at once, a symbol's jobs in turn, a deadline well inside the runtime's. What has ended does not wait for what is slow:
//! it is settled a second later, while the rest goes on.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{StreamExt, stream};

use super::address::Providers;
use super::asked::{Asked, RefreshJob, TypeRow};
use super::exchange::{Transport, call};
use super::fetched::{Ending, Fetched, RefreshSettlement};
use super::pace::Pace;
use super::refusal::{Refusal, Refused};
use gristmill_core::job::Outcome;
use gristmill_core::within;

/// Calls in flight.
pub const AT_ONCE: usize = 10;

/// After this no call starts: the last one then ends, at ten seconds, well before the lease of 60 and the 30 that the
/// strictest runtime gives. What has not started is released.
pub const LAST_START: Duration = Duration::from_secs(12);

/// How long what has ended waits for the rest of its batch. Most batches end before, and are settled in one call.
pub const PATIENCE: Duration = Duration::from_secs(1);

/// What became of a batch.
pub struct Done {
    /// Every job of it that was not settled early.
    pub settlements: Vec<RefreshSettlement>,
    /// Providers that asked for a pause, with its seconds.
    pub pauses: BTreeMap<String, f64>,
}

struct Batch<'a, T> {
    transport: &'a T,
    types: &'a BTreeMap<String, TypeRow>,
    providers: &'a Providers,
    paces: RefCell<BTreeMap<String, Pace>>,
}

/// Runs a batch. `elapsed` is the time since the invocation began. `early` settles what has ended while other calls are slow, and says whether
/// it did; otherwise it comes again, at the end at the latest.
pub async fn run(
    jobs: Vec<RefreshJob>,
    types: &BTreeMap<String, TypeRow>,
    providers: &Providers,
    transport: &impl Transport,
    elapsed: impl Fn() -> Duration,
    early: impl AsyncFn(&[RefreshSettlement]) -> bool,
) -> Done {
    let batch = Batch {
        transport,
        types,
        providers,
        paces: RefCell::default(),
    };
    let mut lanes: BTreeMap<String, Vec<RefreshJob>> = BTreeMap::new();
    for job in jobs {
        lanes
            .entry(job.payload.symbol.clone())
            .or_default()
            .push(job);
    }
    let (batch_ref, elapsed) = (&batch, &elapsed);
    let mut ending = stream::iter(lanes.into_values())
        .map(|lane| {
            let jobs = stream::iter(lane);
            jobs.then(move |job| batch_ref.settle(job, elapsed))
                .boxed_local()
        })
        .flatten_unordered(AT_ONCE);
    let mut settlements = Vec::new();
    loop {
        let next = match settlements.is_empty() {
            true => Ok(ending.next().await),
            false => within(PATIENCE, ending.next()).await,
        };
        match next {
            Ok(Some(settlement)) => settlements.push(settlement),
            Ok(None) => break,
            Err(_) if early(&settlements).await => settlements.clear(),
            // Nothing is lost: it is tried again when more has ended, or a second later.
            Err(_) => {}
        }
    }
    drop(ending);
    let pauses = batch
        .paces
        .into_inner()
        .into_iter()
        .filter_map(|(provider, pace)| Some((provider, pace.pause()?)))
        .collect();
    Done {
        settlements,
        pauses,
    }
}

impl<T: Transport> Batch<'_, T> {
    async fn settle(&self, job: RefreshJob, elapsed: impl Fn() -> Duration) -> RefreshSettlement {
        let row = self.types.get(&job.payload.data_type);
        let ending = if elapsed() >= LAST_START {
            Ending::Otherwise {
                outcome: Outcome::Released,
                bytes: None,
                called: false,
            }
        } else {
            match self.fetch(&job, row).await {
                Ok(fetched) => Ending::Fetched(fetched),
                Err(Refused {
                    refusal,
                    bytes,
                    called,
                }) => Ending::Otherwise {
                    outcome: refusal.outcome(row.map(|row| row.provider.as_str())),
                    bytes,
                    called,
                },
            }
        };
        RefreshSettlement {
            id: job.id,
            attempt: job.attempt,
            symbol: job.payload.symbol,
            data_type: job.payload.data_type,
            ending,
        }
    }

    async fn fetch(&self, job: &RefreshJob, row: Option<&TypeRow>) -> Result<Fetched, Refused> {
        let asked = Asked::new(job, row, self.providers).map_err(Refusal::before_the_call)?;
        let provider = row.map(|row| row.provider.clone()).unwrap_or_default();
        self.pace(&provider, Pace::start)
            .map_err(|seconds| Refusal::Limited { seconds }.before_the_call())?;
        match call(self.transport, &asked).await {
            Ok(arrived) => {
                self.pace(&provider, |pace| pace.learn(&arrived));
                Fetched::judge(&asked, arrived)
            }
            Err(refused) => {
                self.pace(&provider, Pace::ended);
                Err(refused)
            }
        }
    }

    // Borrowed for no longer than this: never across an await.
    fn pace<R>(&self, provider: &str, with: impl FnOnce(&mut Pace) -> R) -> R {
        with(
            self.paces
                .borrow_mut()
                .entry(provider.to_owned())
                .or_default(),
        )
    }
}

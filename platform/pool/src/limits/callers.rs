//! Turns per caller. One caller's requests run a few at a time and wait for each other, so that a caller
//! with many slow ones waits for itself and not the others for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Everybody who has a request under way.
pub struct Callers {
    /// Requests of one caller that run at the same time.
    running: usize,
    /// Requests of one caller that are under way, waiting ones among them.
    inside: usize,
    known: Mutex<HashMap<String, Arc<Caller>>>,
}

/// One caller with at least one request under way.
pub(super) struct Caller {
    turns: Arc<Semaphore>,
    /// Changed under the lock of [`Callers::known`] alone.
    inside: AtomicUsize,
    /// Bytes held by request bodies and by answers.
    pub(super) held: [AtomicUsize; 2],
}

/// The caller has too many requests under way.
#[derive(Debug)]
pub struct Busy;

impl Callers {
    pub fn new(running: usize, waiting: usize) -> Arc<Self> {
        Arc::new(Self {
            running,
            inside: running.saturating_add(waiting),
            known: Mutex::default(),
        })
    }

    /// Lets a request in. Trusted callers have no name and no bound.
    pub fn enter(self: &Arc<Self>, name: Option<&str>) -> Result<Visit, Busy> {
        let Some(name) = name else {
            return Ok(Visit { within: None });
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let caller = match known.get(name) {
            Some(caller) => caller.clone(),
            None => {
                let caller = Arc::new(Caller {
                    turns: Arc::new(Semaphore::new(self.running)),
                    inside: AtomicUsize::new(0),
                    held: Default::default(),
                });
                known.insert(name.to_owned(), caller.clone());
                caller
            }
        };
        if caller.inside.load(Relaxed) >= self.inside {
            return Err(Busy);
        }
        caller.inside.fetch_add(1, Relaxed);
        Ok(Visit {
            within: Some(Within {
                callers: self.clone(),
                caller,
                name: name.to_owned(),
            }),
        })
    }
}

/// One request of a caller, from its arrival until its answer is sent.
pub struct Visit {
    within: Option<Within>,
}

struct Within {
    callers: Arc<Callers>,
    caller: Arc<Caller>,
    name: String,
}

impl Visit {
    /// Waits until fewer of the caller's requests run than may. None when the time is up.
    pub async fn turn(&self, until: Instant) -> Option<Turn> {
        let Some(within) = &self.within else {
            return Some(Turn { _permit: None });
        };
        let turns = &within.caller.turns;
        if let Ok(permit) = turns.clone().try_acquire_owned() {
            let _permit = Some(permit);
            return Some(Turn { _permit });
        }
        let waited = tokio::time::timeout_at(until, turns.clone().acquire_owned()).await;
        let _permit = Some(waited.ok()?.ok()?);
        Some(Turn { _permit })
    }

    pub(super) fn caller(&self) -> Option<&Arc<Caller>> {
        self.within.as_ref().map(|within| &within.caller)
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        let known = &self.callers.known;
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if self.caller.inside.fetch_sub(1, Relaxed) == 1 {
            known.remove(&self.name);
        }
    }
}

/// The right to use a connection now.
pub struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + std::time::Duration::from_millis(20)
    }

    #[tokio::test]
    async fn a_caller_waits_for_itself_and_not_for_others() {
        let callers = Callers::new(1, 1);
        let first = callers.enter(Some("a")).unwrap();
        let turn = first.turn(soon()).await.unwrap();
        let second = callers.enter(Some("a")).unwrap();
        assert!(second.turn(soon()).await.is_none());
        let other = callers.enter(Some("b")).unwrap();
        assert!(other.turn(soon()).await.is_some());
        drop(turn);
        assert!(second.turn(soon()).await.is_some());
    }

    #[tokio::test]
    async fn past_its_queue_a_caller_is_refused_until_a_request_of_its_own_ends() {
        let callers = Callers::new(1, 1);
        let _first = callers.enter(Some("a")).unwrap();
        let second = callers.enter(Some("a")).unwrap();
        assert!(callers.enter(Some("a")).is_err());
        drop(second);
        assert!(callers.enter(Some("a")).is_ok());
    }

    #[tokio::test]
    async fn trusted_callers_have_no_bound_and_nobody_is_remembered_for_ever() {
        let callers = Callers::new(1, 0);
        let visits: Vec<_> = (0..9).map(|_| callers.enter(None).unwrap()).collect();
        for visit in &visits {
            assert!(visit.turn(soon()).await.is_some());
        }
        drop(callers.enter(Some("a")).unwrap());
        assert!(callers.known.lock().unwrap().is_empty());
    }
}

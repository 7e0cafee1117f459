//! How many requests may be in flight, over all and to one target, and how fast one target is called.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use tokio::time::Instant;

/// What may be started now.
#[derive(Debug, PartialEq)]
pub(super) struct Room {
    /// Over all targets.
    pub(super) total: u32,
    /// To a target that is not listed in `known`.
    pub(super) fresh: u32,
    /// To targets that have something in flight or have used up some of their rate.
    pub(super) known: Vec<(String, u32)>,
}

/// Counts requests in flight; a token bucket a target holds its rate.
pub(super) struct Limits {
    total: u32,
    per_target: u32,
    rate: Option<f64>,
    in_flight: HashSet<i64>,
    targets: HashMap<String, Target>,
}

struct Target {
    running: u32,
    tokens: f64,
    filled_at: Instant,
    /// Set when the last look gave it as much as it had room for, so that more may wait.
    exhausted: bool,
}

impl Limits {
    pub(super) fn new(total: u32, per_target: u32, rate: Option<f64>) -> Self {
        Self {
            total,
            per_target,
            rate,
            in_flight: HashSet::new(),
            targets: HashMap::new(),
        }
    }

    /// The ids of requests that are being sent or whose answer is not recorded yet.
    pub(super) fn in_flight(&self) -> &HashSet<i64> {
        &self.in_flight
    }

    /// What may be started now. Forgets targets that are idle and have their whole rate again.
    pub(super) fn room(&mut self, now: Instant) -> Room {
        let burst = self.burst();
        for target in self.targets.values_mut() {
            target.fill(self.rate, burst, now);
        }
        self.targets
            .retain(|_, target| target.running > 0 || target.tokens < burst);
        let known = self
            .targets
            .iter_mut()
            .map(|(name, target)| {
                let room = target.room(self.per_target, self.rate.is_some());
                target.exhausted = room == 0;
                (name.clone(), room)
            })
            .collect();
        Room {
            total: self.total.saturating_sub(self.running()),
            fresh: match self.rate {
                Some(_) => self.per_target.min(whole(burst)),
                None => self.per_target,
            },
            known,
        }
    }

    /// Counts a request in.
    pub(super) fn start(&mut self, id: i64, name: &str, now: Instant) {
        let burst = self.burst();
        let limited = self.rate.is_some();
        self.in_flight.insert(id);
        let target = self
            .targets
            .entry(name.to_owned())
            .or_insert_with(|| Target {
                running: 0,
                tokens: burst,
                filled_at: now,
                exhausted: false,
            });
        target.running += 1;
        target.tokens -= 1.0;
        target.exhausted = target.room(self.per_target, limited) == 0;
    }

    /// Counts a request out.
    pub(super) fn finish(&mut self, id: i64, name: &str) {
        if self.in_flight.remove(&id)
            && let Some(target) = self.targets.get_mut(name)
        {
            target.running = target.running.saturating_sub(1);
        }
    }

    /// True when requests to the target, or to anyone, may be waiting for a free slot.
    pub(super) fn was_exhausted(&self, name: &str) -> bool {
        self.running() >= self.total
            || self
                .targets
                .get(name)
                .is_some_and(|target| target.exhausted)
    }

    /// True when something may have been left in the queue for want of room.
    pub(super) fn left_some(&self) -> bool {
        self.running() >= self.total || self.targets.values().any(|target| target.exhausted)
    }

    /// Forgets all that is in flight; what was used of a rate stays used.
    pub(super) fn forget(&mut self) {
        self.in_flight.clear();
        for target in self.targets.values_mut() {
            target.running = 0;
        }
    }

    /// When the next target that used up its rate may be called again.
    pub(super) fn next_token(&self, now: Instant) -> Option<Instant> {
        let rate = self.rate?;
        self.targets
            .values()
            .filter(|target| target.exhausted && target.tokens < 1.0)
            .map(|target| now + Duration::from_secs_f64((1.0 - target.tokens) / rate))
            .min()
    }

    fn running(&self) -> u32 {
        u32::try_from(self.in_flight.len()).unwrap_or(u32::MAX)
    }

    /// A second's worth may be sent at once; at least one, or a slow rate would never send.
    fn burst(&self) -> f64 {
        self.rate.map_or(f64::MAX, |rate| rate.max(1.0))
    }
}

impl Target {
    fn fill(&mut self, rate: Option<f64>, burst: f64, now: Instant) {
        match rate {
            None => self.tokens = burst,
            Some(rate) => {
                let passed = now.saturating_duration_since(self.filled_at).as_secs_f64();
                self.tokens = (self.tokens + passed * rate).min(burst);
                self.filled_at = now;
            }
        }
    }

    fn room(&self, per_target: u32, limited: bool) -> u32 {
        let slots = per_target.saturating_sub(self.running);
        if limited {
            slots.min(whole(self.tokens))
        } else {
            slots
        }
    }
}

/// Whole tokens; a float beyond u32 saturates, which is what a limit wants.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(tokens: f64) -> u32 {
    tokens.max(0.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_target_gets_no_more_than_its_slots() {
        let now = Instant::now();
        let mut limits = Limits::new(10, 2, None);
        assert_eq!(limits.room(now).fresh, 2);
        limits.start(1, "a", now);
        limits.start(2, "a", now);
        let room = limits.room(now);
        assert_eq!(room.known, vec![("a".to_owned(), 0)]);
        assert_eq!((room.total, room.fresh), (8, 2));
        assert!(limits.was_exhausted("a"));
        limits.finish(1, "a");
        assert_eq!(limits.room(now).known, vec![("a".to_owned(), 1)]);
    }

    #[test]
    fn finishing_twice_frees_one_slot() {
        let now = Instant::now();
        let mut limits = Limits::new(10, 2, None);
        limits.start(1, "a", now);
        limits.start(2, "a", now);
        limits.finish(1, "a");
        limits.finish(1, "a");
        assert_eq!(limits.room(now).known, vec![("a".to_owned(), 1)]);
    }

    #[test]
    fn a_rate_is_held_over_time_with_one_second_of_burst() {
        let start = Instant::now();
        let mut limits = Limits::new(1000, 1000, Some(10.0));
        let mut sent = 0;
        for step in 0..=40 {
            let now = start + SECOND / 10 * step;
            let room = limits.room(now);
            let free = room.known.first().map_or(room.fresh, |known| known.1);
            for _ in 0..free {
                limits.start(sent, "a", now);
                limits.finish(sent, "a");
                sent += 1;
            }
        }
        // Four seconds at ten a second, after a burst of ten.
        assert!((49..=51).contains(&sent), "{sent}");
    }

    #[test]
    fn a_rate_below_one_a_second_still_sends() {
        let now = Instant::now();
        let mut limits = Limits::new(10, 10, Some(0.5));
        assert_eq!(limits.room(now).fresh, 1);
        limits.start(1, "a", now);
        limits.finish(1, "a");
        assert_eq!(limits.room(now).known, vec![("a".to_owned(), 0)]);
        assert_eq!(limits.next_token(now), Some(now + 2 * SECOND));
        assert_eq!(limits.room(now + 2 * SECOND).fresh, 1);
    }
}

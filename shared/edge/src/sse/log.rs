//! What was polled, kept while anybody listens, so that one poll serves all listeners of a thing.
//!
//! Only values are shared: a promise of one request may not be awaited by another in workerd. Whoever finds that
//! a poll is due makes it; the others find its result a moment later. A poll that was begun and never ended
//! (its request was cut off) is taken over after a few seconds. Pure: the time is an argument.

use std::cell::RefCell;
use std::collections::HashMap;

use super::{Event, Polled};

/// Milliseconds between polls: the first, and the longest while nothing changes.
const QUICK: u64 = 200;
const SLOW: u64 = 3_000;
/// How long a poll may take before another listener makes it, and how often they look for its result.
const PATIENCE: u64 = 3_000;
const GLANCE: u64 = 50;
/// A log that nobody has polled for so long belongs to listeners that were cut off.
const FORGOTTEN: u64 = 120_000;
/// Events kept of one thing.
const MOST: usize = 2_000;

thread_local! {
    static LOGS: RefCell<HashMap<String, Log>> = RefCell::default();
}

/// What a listener does next.
pub(super) enum Turn {
    News(Vec<Event>),
    Ended,
    Poll { after: u64 },
    Wait(u64),
}

#[derive(Default)]
struct Log {
    listeners: usize,
    // Events after `from`, in order; what came before is not here.
    from: u64,
    events: Vec<Event>,
    ended: bool,
    pace: u64,
    polled_at: Option<u64>,
    asked_at: Option<u64>,
    touched_at: u64,
}

impl Log {
    fn last(&self) -> u64 {
        self.events.last().map_or(self.from, |event| event.id)
    }

    fn turn(&mut self, cursor: u64, now: u64) -> Turn {
        self.touched_at = now;
        let covers = self.polled_at.is_some() && cursor >= self.from;
        if covers {
            let start = self.events.partition_point(|event| event.id <= cursor);
            if start < self.events.len() {
                return Turn::News(self.events[start..].to_vec());
            }
            if self.ended {
                return Turn::Ended;
            }
        }
        if self.asked_at.is_some_and(|asked| now < asked + PATIENCE) {
            return Turn::Wait(GLANCE);
        }
        let due_at = match self.polled_at {
            Some(polled) if covers => polled + self.pace,
            _ => now,
        };
        if now < due_at {
            return Turn::Wait(due_at - now);
        }
        self.asked_at = Some(now);
        let after = if covers { self.last() } else { cursor };
        Turn::Poll { after }
    }

    fn found(&mut self, after: u64, polled: Polled, now: u64) {
        self.asked_at = None;
        let fits = self.polled_at.is_some() && after == self.last();
        if !fits {
            self.from = after;
            self.events.clear();
        }
        self.pace = if polled.events.is_empty() && fits {
            (self.pace * 3 / 2).clamp(QUICK, SLOW)
        } else {
            QUICK
        };
        self.events.extend(polled.events);
        self.ended = polled.ended;
        self.polled_at = Some(now);
        if self.events.len() > MOST {
            let old = self.events.len() - MOST;
            self.from = self.events[old - 1].id;
            self.events.drain(..old);
        }
    }

    fn failed(&mut self, now: u64) {
        self.asked_at = None;
        self.pace = SLOW;
        self.polled_at = self.polled_at.map(|_| now);
    }
}

/// A listener's place at a log; the log goes when the last one leaves.
pub(super) struct Seat {
    key: String,
}

impl Seat {
    pub(super) fn take(key: String, now: u64) -> Self {
        LOGS.with_borrow_mut(|logs| {
            logs.retain(|_, log| now < log.touched_at + FORGOTTEN);
            let log = logs.entry(key.clone()).or_default();
            log.listeners += 1;
            log.touched_at = now;
        });
        Self { key }
    }

    pub(super) fn turn(&self, cursor: u64, now: u64) -> Turn {
        self.with(|log| log.turn(cursor, now))
    }

    pub(super) fn found(&self, after: u64, polled: Polled, now: u64) {
        self.with(|log| log.found(after, polled, now));
    }

    pub(super) fn failed(&self, now: u64) {
        self.with(|log| log.failed(now));
    }

    fn with<T>(&self, change: impl FnOnce(&mut Log) -> T) -> T {
        LOGS.with_borrow_mut(|logs| change(logs.entry(self.key.clone()).or_default()))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        LOGS.with_borrow_mut(|logs| {
            if let Some(log) = logs.get_mut(&self.key) {
                log.listeners = log.listeners.saturating_sub(1);
                if log.listeners == 0 {
                    logs.remove(&self.key);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;

    fn events(ids: &[u64]) -> Vec<Event> {
        let event = |id: &u64| Event {
            id: *id,
            event: "progress".to_owned(),
            data: RawValue::from_string("{}".to_owned()).unwrap(),
        };
        ids.iter().map(event).collect()
    }

    fn polled(ids: &[u64], ended: bool) -> Polled {
        Polled {
            events: events(ids),
            ended,
        }
    }

    fn ids(turn: Turn) -> Vec<u64> {
        match turn {
            Turn::News(events) => events.iter().map(|event| event.id).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn one_listener_polls_and_all_of_them_hear_of_it() {
        let seats: Vec<_> = (0..200).map(|_| Seat::take("one".into(), 0)).collect();
        let polls = |now| {
            let turns = seats.iter().map(|seat| seat.turn(0, now));
            turns
                .filter(|turn| matches!(turn, Turn::Poll { .. }))
                .count()
        };
        assert_eq!(polls(0), 1);
        assert_eq!(polls(10), 0, "it is on its way");
        seats[0].found(0, polled(&[1, 2], false), 20);
        for seat in &seats {
            assert_eq!(ids(seat.turn(0, 30)), [1, 2]);
            assert_eq!(ids(seat.turn(1, 30)), [2]);
        }
    }

    #[test]
    fn polls_back_off_while_nothing_changes_and_hurry_when_it_does() {
        let seat = Seat::take("pace".into(), 0);
        seat.found(0, polled(&[1], false), 0);
        let (mut now, mut count) = (0, 0);
        while now < 60_000 {
            match seat.turn(1, now) {
                Turn::Wait(pause) => now += pause,
                Turn::Poll { after } => {
                    count += 1;
                    seat.found(after, polled(&[], false), now);
                }
                _ => panic!("there is no news"),
            }
        }
        assert!((20..40).contains(&count), "{count} polls in a quiet minute");
        seat.found(1, polled(&[2], false), now);
        assert!(matches!(seat.turn(2, now), Turn::Wait(QUICK)));
    }

    #[test]
    fn a_poll_whose_request_was_cut_off_is_taken_over() {
        let (first, second) = (Seat::take("cut".into(), 0), Seat::take("cut".into(), 0));
        assert!(matches!(first.turn(0, 0), Turn::Poll { after: 0 }));
        assert!(matches!(second.turn(0, 100), Turn::Wait(_)));
        assert!(matches!(second.turn(0, PATIENCE), Turn::Poll { after: 0 }));
    }

    #[test]
    fn a_listener_from_further_back_gets_all_of_it() {
        let late = Seat::take("back".into(), 0);
        late.found(5, polled(&[6], false), 0);
        let early = Seat::take("back".into(), 0);
        assert!(matches!(early.turn(2, 1), Turn::Poll { after: 2 }));
        early.found(2, polled(&[3, 4, 5, 6], true), 2);
        assert_eq!(ids(early.turn(2, 3)), [3, 4, 5, 6]);
        assert_eq!(ids(late.turn(5, 3)), [6]);
        assert!(matches!(late.turn(6, 3), Turn::Ended));
    }

    #[test]
    fn the_log_goes_with_its_last_listener() {
        let (first, second) = (Seat::take("gone".into(), 0), Seat::take("gone".into(), 0));
        let is_kept = || LOGS.with_borrow(|logs| logs.contains_key("gone"));
        drop(first);
        assert!(is_kept());
        drop(second);
        assert!(!is_kept());
    }
}

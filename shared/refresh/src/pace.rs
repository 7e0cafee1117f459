//! What a provider says about its own limit, and what follows for the rest of a batch.

use chrono::{DateTime, Utc};

use super::exchange::Arrived;

/// Without a word of the provider.
const DEFAULT_PAUSE: f64 = 30.0;
const LONGEST_PAUSE: f64 = 3600.0;

/// `Retry-After` in seconds or as a date, else `x-ratelimit-reset`, else half a minute; never below one second.
pub(super) fn retry_after(arrived: &Arrived) -> f64 {
    let after = arrived.header("retry-after").map(str::trim);
    after
        .and_then(|text| text.parse::<f64>().ok())
        .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
        .or_else(|| {
            let at = DateTime::parse_from_rfc2822(after?).ok()?;
            Some((at.to_utc() - Utc::now()).num_milliseconds() as f64 / 1000.0)
        })
        .or_else(|| reset(arrived))
        .unwrap_or(DEFAULT_PAUSE)
        .clamp(1.0, LONGEST_PAUSE)
}

// Seconds from now, or a moment of the epoch: both are in use.
fn reset(arrived: &Arrived) -> Option<f64> {
    let value: f64 = arrived.header("x-ratelimit-reset")?.trim().parse().ok()?;
    let now = Utc::now().timestamp_millis() as f64 / 1000.0;
    Some(if value > 1e9 { value - now } else { value })
}

/// How many more calls a provider lets this batch make, by its own count.
#[derive(Debug, Default)]
pub(super) struct Pace {
    remaining: Option<u32>,
    reset: f64,
    in_flight: u32,
    paused: Option<f64>,
}

impl Pace {
    /// Whether another call may start; if not, how long its job is put off.
    pub(super) fn start(&mut self) -> Result<(), f64> {
        if let Some(seconds) = self.paused {
            return Err(seconds);
        }
        if self.remaining.is_some_and(|left| left <= self.in_flight) {
            return Err(self.reset);
        }
        self.in_flight += 1;
        Ok(())
    }

    /// A call that brought nothing back.
    pub(super) fn ended(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// A call that ended, with what its headers say.
    pub(super) fn learn(&mut self, arrived: &Arrived) {
        self.ended();
        if arrived.status == 429 {
            self.paused = Some(retry_after(arrived).max(self.paused.unwrap_or(0.0)));
        }
        if let Some(left) = arrived
            .header("x-ratelimit-remaining")
            .and_then(|text| text.trim().parse().ok())
        {
            self.remaining = Some(left);
            self.reset = reset(arrived)
                .unwrap_or(DEFAULT_PAUSE)
                .clamp(1.0, LONGEST_PAUSE);
        }
    }

    /// The pause that all workers of this provider should keep.
    pub(super) fn pause(&self) -> Option<f64> {
        self.paused
            .or_else(|| (self.remaining == Some(0)).then_some(self.reset))
    }
}

//! Which job is due and may start: pg_cron's rules, without a clock or a connection of their own.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};

use super::job::{Job, JobId};
use super::schedule::Schedule;

/// Gaps up to this many minutes are made up for minute by minute.
const SHORT_GAP: i64 = 5;
/// Gaps beyond this many minutes are a changed clock, and nothing is made up for.
const LONG_GAP: i64 = 3 * 60;

/// Every known job with its runs owed.
#[derive(Default)]
pub(super) struct Plan {
    tasks: BTreeMap<JobId, Task>,
    last_minute: Option<DateTime<Utc>>,
    started: bool,
}

struct Task {
    job: Job,
    /// None when the parser refuses it: such a job never runs.
    schedule: Option<Schedule>,
    owed: u32,
    running: bool,
    last_start: DateTime<Utc>,
}

/// What a fresh list of jobs changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Running jobs that were unscheduled or made inactive.
    pub(super) cancelled: Vec<JobId>,
    /// Jobs whose schedule cannot be read, with why; each is told once.
    pub(super) unreadable: Vec<(Job, String)>,
}

impl Plan {
    /// Takes over the list of active jobs.
    pub(super) fn load(&mut self, jobs: Vec<Job>, now: DateTime<Utc>) -> Changes {
        let mut changes = Changes::default();
        let mut before = std::mem::take(&mut self.tasks);
        for job in jobs {
            let (schedule, task) = match before.remove(&job.id) {
                Some(task) if task.job.schedule == job.schedule => {
                    (task.schedule.clone(), Some(task))
                }
                task => match Schedule::parse(&job.schedule) {
                    Ok(schedule) => (Some(schedule), task),
                    Err(invalid) => {
                        changes.unreadable.push((job.clone(), invalid.to_string()));
                        (None, task)
                    }
                },
            };
            let task = Task {
                owed: task.as_ref().map_or(0, |task| task.owed),
                running: task.as_ref().is_some_and(|task| task.running),
                last_start: task.as_ref().map_or(now, |task| task.last_start),
                schedule,
                job,
            };
            self.tasks.insert(task.job.id, task);
        }
        changes.cancelled = before
            .into_values()
            .filter(|task| task.running)
            .map(|task| task.job.id)
            .collect();
        changes
    }

    /// Adds the runs that fell due since the last call.
    pub(super) fn advance(&mut self, now: DateTime<Utc>) {
        if !std::mem::replace(&mut self.started, true) {
            self.owe(|schedule| u32::from(matches!(schedule, Schedule::AtStart)));
        }
        self.advance_seconds(now);
        self.advance_minutes(now);
    }

    /// Hands out jobs to start, lowest id first, never one that runs already.
    pub(super) fn start(&mut self, most_running: u32, now: DateTime<Utc>) -> Vec<Job> {
        let running = self.tasks.values().filter(|task| task.running).count();
        let room = usize::try_from(most_running)
            .unwrap_or(usize::MAX)
            .saturating_sub(running);
        self.tasks
            .values_mut()
            .filter(|task| task.owed > 0 && !task.running)
            .take(room)
            .map(|task| {
                task.owed -= 1;
                task.running = true;
                task.last_start = now;
                task.job.clone()
            })
            .collect()
    }

    /// A run ended; what it still owes may start.
    pub(super) fn finished(&mut self, id: JobId) {
        if let Some(task) = self.tasks.get_mut(&id) {
            task.running = false;
        }
    }

    /// No run survived a lost connection.
    pub(super) fn forget_running(&mut self) {
        for task in self.tasks.values_mut() {
            task.running = false;
        }
    }

    /// How long nothing will fall due.
    pub(super) fn idle(&self, now: DateTime<Utc>) -> Duration {
        let next_minute = minute(now) + TimeDelta::minutes(1);
        self.tasks
            .values()
            .filter(|task| task.owed == 0)
            .filter_map(|task| match task.schedule {
                Some(Schedule::Every(interval)) => Some(task.last_start + interval),
                _ => None,
            })
            .fold(next_minute, DateTime::min)
            .signed_duration_since(now)
            .to_std()
            .unwrap_or(Duration::ZERO)
    }

    /// A job on an interval owes one run at most: after a run longer than the interval the next starts
    /// at once, then the cadence returns.
    fn advance_seconds(&mut self, now: DateTime<Utc>) {
        for task in self.tasks.values_mut() {
            if let Some(Schedule::Every(interval)) = task.schedule
                && task.owed == 0
                && now >= task.last_start + interval
            {
                task.owed = 1;
            }
        }
    }

    /// Vixie cron's treatment of clocks, as in pg_cron. A job with five fields owes every minute it
    /// missed while it ran.
    fn advance_minutes(&mut self, now: DateTime<Utc>) {
        let current = minute(now);
        let last = *self.last_minute.get_or_insert(current);
        let passed = (now - last).num_minutes();
        if passed == 0 && now >= last {
            return;
        }
        let missed = || {
            std::iter::successors(Some(last + TimeDelta::minutes(1)), |at| {
                Some(*at + TimeDelta::minutes(1))
            })
            .take_while(move |at| *at <= current)
        };
        let count = |schedule: &Schedule| {
            u32::try_from(missed().filter(|at| schedule.matches(*at)).count()).unwrap_or(u32::MAX)
        };
        let now_only = |schedule: &Schedule| u32::from(schedule.matches(current));
        if (1..=SHORT_GAP).contains(&passed) {
            self.owe(count);
        } else if (1..=LONG_GAP).contains(&passed) {
            // A jump forward: fixed times are made up for, wildcards run once.
            self.owe(|s| {
                if is_wildcard(s) {
                    now_only(s)
                } else {
                    count(s)
                }
            });
        } else if (-LONG_GAP + 1..=0).contains(&passed) {
            // A jump back: fixed times have run already, until the clock has caught up.
            self.owe(|s| if is_wildcard(s) { now_only(s) } else { 0 });
            return;
        } else {
            // Another clock altogether.
            self.owe(now_only);
        }
        self.last_minute = Some(current);
    }

    fn owe(&mut self, runs: impl Fn(&Schedule) -> u32) {
        for task in self.tasks.values_mut() {
            if let Some(schedule) = &task.schedule {
                task.owed = task.owed.saturating_add(runs(schedule));
            }
        }
    }
}

fn is_wildcard(schedule: &Schedule) -> bool {
    matches!(schedule, Schedule::Minutes { wildcard: true, .. })
}

fn minute(time: DateTime<Utc>) -> DateTime<Utc> {
    time.duration_trunc(TimeDelta::minutes(1)).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: i64, schedule: &str) -> Job {
        Job {
            id: JobId(id),
            schedule: schedule.to_owned(),
            command: String::new(),
            database: String::new(),
            username: String::new(),
        }
    }

    fn at(text: &str) -> DateTime<Utc> {
        format!("2026-03-02T{text}Z").parse().unwrap()
    }

    /// A plan of one job that has seen the minute of 10:00.
    fn plan(schedule: &str) -> Plan {
        let mut plan = Plan::default();
        plan.load(vec![job(1, schedule)], at("10:00:30"));
        plan.advance(at("10:00:30"));
        plan
    }

    fn owed(plan: &Plan) -> u32 {
        plan.tasks[&JobId(1)].owed
    }

    #[test]
    fn the_minute_in_which_a_relay_starts_is_not_run() {
        assert_eq!(owed(&plan("* * * * *")), 0);
    }

    #[test]
    fn a_job_owes_every_minute_it_missed_while_it_ran() {
        let mut plan = plan("* * * * *");
        plan.advance(at("10:01:00"));
        assert_eq!(plan.start(32, at("10:01:00")).len(), 1);
        plan.advance(at("10:02:00"));
        plan.advance(at("10:03:00"));
        assert!(plan.start(32, at("10:03:00")).is_empty());
        plan.finished(JobId(1));
        assert_eq!(plan.start(32, at("10:03:10")).len(), 1);
        assert_eq!(owed(&plan), 1);
    }

    #[test]
    fn a_gap_of_up_to_five_minutes_is_made_up_for() {
        let mut plan = plan("* * * * *");
        plan.advance(at("10:05:59"));
        assert_eq!(owed(&plan), 5);
    }

    #[test]
    fn a_longer_gap_runs_wildcards_once_and_fixed_times_each() {
        let mut wildcard = plan("* * * * *");
        wildcard.advance(at("12:00:00"));
        assert_eq!(owed(&wildcard), 1);
        let mut fixed = plan("30 10,11 * * *");
        fixed.advance(at("12:00:00"));
        assert_eq!(owed(&fixed), 2);
    }

    #[test]
    fn a_gap_of_more_than_three_hours_is_not_made_up_for() {
        let mut fixed = plan("30 11 * * *");
        fixed.advance(at("14:00:00"));
        assert_eq!(owed(&fixed), 0);
    }

    #[test]
    fn a_clock_set_back_does_not_repeat_fixed_times() {
        let mut fixed = plan("30 9 * * *");
        fixed.advance(at("09:30:00"));
        assert_eq!(owed(&fixed), 0);
        fixed.advance(at("10:01:00"));
        assert_eq!(fixed.last_minute, Some(at("10:01:00")));
    }

    #[test]
    fn an_interval_owes_one_run_however_long_the_last_took() {
        let mut plan = plan("5 seconds");
        plan.advance(at("10:00:34"));
        assert_eq!(owed(&plan), 0);
        plan.advance(at("10:00:35"));
        assert_eq!(plan.start(32, at("10:00:35")).len(), 1);
        plan.advance(at("10:02:00"));
        plan.advance(at("10:02:10"));
        assert_eq!(owed(&plan), 1);
    }

    #[test]
    fn no_more_jobs_run_than_allowed() {
        let mut plan = Plan::default();
        plan.load(
            (1..=3).map(|id| job(id, "1 second")).collect(),
            at("10:00:00"),
        );
        plan.advance(at("10:00:05"));
        assert_eq!(plan.start(2, at("10:00:05")).len(), 2);
        assert!(plan.start(2, at("10:00:05")).is_empty());
        plan.finished(JobId(1));
        assert_eq!(plan.start(2, at("10:00:06")), vec![job(3, "1 second")]);
    }

    #[test]
    fn an_unscheduled_job_that_runs_is_cancelled() {
        let mut plan = plan("1 second");
        plan.advance(at("10:00:40"));
        plan.start(32, at("10:00:40"));
        assert_eq!(plan.load(vec![], at("10:00:41")).cancelled, vec![JobId(1)]);
    }

    #[test]
    fn a_schedule_that_cannot_be_read_is_told_once() {
        let mut plan = Plan::default();
        let bad = job(1, "nonsense");
        assert_eq!(
            plan.load(vec![bad.clone()], at("10:00:00"))
                .unreadable
                .len(),
            1
        );
        assert_eq!(plan.load(vec![bad], at("10:00:10")).unreadable.len(), 0);
    }

    #[test]
    fn reboot_jobs_run_once_when_the_relay_begins() {
        let mut plan = plan("@reboot");
        assert_eq!(plan.start(32, at("10:00:30")).len(), 1);
        plan.finished(JobId(1));
        plan.advance(at("10:05:00"));
        assert!(plan.start(32, at("10:05:00")).is_empty());
    }

    #[test]
    fn the_next_look_is_at_the_next_minute_or_interval() {
        let mut plan = plan("* * * * *");
        assert_eq!(plan.idle(at("10:00:30")), Duration::from_secs(30));
        plan.load(vec![job(2, "5 seconds")], at("10:00:30"));
        assert_eq!(plan.idle(at("10:00:32")), Duration::from_secs(3));
    }
}

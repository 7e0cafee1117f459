//! What counts as well.

use gristmill_shared::rpc::HealthReport;
use schemars::JsonSchema;
use serde::Serialize;

/// The pump runs for most of every minute; two silent minutes mean that cron or relay is down.
const PUMP_SLACK_SECONDS: f64 = 120.0;
/// A due job that waits longer than this is not being served.
const OLDEST_DUE_SECONDS: f64 = 300.0;

#[derive(Debug, Serialize, PartialEq, JsonSchema)]
pub(crate) struct Check {
    name: &'static str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Debug, Serialize, PartialEq, JsonSchema)]
pub(crate) struct Health {
    status: &'static str,
    checks: Vec<Check>,
}

impl Health {
    pub(crate) fn of(report: &HealthReport) -> Self {
        let pump = match report.pump_age_seconds {
            Some(age) if age <= PUMP_SLACK_SECONDS => Check {
                name: "pump",
                ok: true,
                detail: None,
            },
            Some(age) => Check {
                name: "pump",
                ok: false,
                detail: Some(format!(
                    "last ran {age:.0} s ago; is pg_cron or the relay running?"
                )),
            },
            None => Check {
                name: "pump",
                ok: false,
                detail: Some("has not run yet; it starts with the next full minute".into()),
            },
        };
        let oldest = report.oldest_due_seconds.unwrap_or(0.0);
        let oldest_due = Check {
            name: "oldest_due_job",
            ok: oldest <= OLDEST_DUE_SECONDS,
            detail: (oldest > OLDEST_DUE_SECONDS).then(|| format!("due for {oldest:.0} s")),
        };
        Self::from_checks(vec![
            Check {
                name: "postgres",
                ok: true,
                detail: None,
            },
            pump,
            oldest_due,
        ])
    }

    pub(crate) fn unreachable() -> Self {
        let detail = Some("does not answer".into());
        Self::from_checks(vec![Check {
            name: "postgres",
            ok: false,
            detail,
        }])
    }

    fn from_checks(checks: Vec<Check>) -> Self {
        let status = if checks.iter().all(|check| check.ok) {
            "ok"
        } else {
            "failing"
        };
        Self { status, checks }
    }

    pub(crate) fn status_code(&self) -> u16 {
        if self.status == "ok" { 200 } else { 503 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(pump: Option<f64>, oldest: Option<f64>) -> HealthReport {
        HealthReport {
            pump_age_seconds: pump,
            oldest_due_seconds: oldest,
            pending: 0,
            processing: 0,
            dead: 0,
        }
    }

    fn failing(health: &Health) -> Vec<&str> {
        health
            .checks
            .iter()
            .filter(|check| !check.ok)
            .map(|check| check.name)
            .collect()
    }

    #[test]
    fn a_running_pump_and_no_old_job_are_well() {
        let health = Health::of(&report(Some(3.0), None));
        assert_eq!((health.status_code(), failing(&health)), (200, vec![]));
    }

    #[test]
    fn each_ailing_part_is_named() {
        assert_eq!(failing(&Health::of(&report(Some(121.0), None))), ["pump"]);
        assert_eq!(
            failing(&Health::of(&report(None, Some(301.0)))),
            ["pump", "oldest_due_job"]
        );
        assert_eq!(failing(&Health::unreachable()), ["postgres"]);
        assert_eq!(Health::unreachable().status_code(), 503);
    }
}

//! What counts as well, and who is told how much.

use gristmill_rpc::HealthReport;
use schemars::JsonSchema;
use serde::Serialize;

/// One part of the system.
#[derive(Debug, Clone, Serialize, PartialEq, Eq, JsonSchema)]
pub(crate) struct Check {
    name: String,
    ok: bool,
    /// What is wrong, in words. Only a caller with the token gets this.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    details: Vec<String>,
}

/// The whole system.
#[derive(Debug, Serialize, PartialEq, Eq, JsonSchema)]
pub(crate) struct Health {
    /// ok or failing.
    status: &'static str,
    checks: Vec<Check>,
    /// What an operator should know although no check failed, such as a kind that no worker serves. Only a caller with the token gets this.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    notes: Vec<String>,
}

impl Health {
    pub(crate) fn of(report: HealthReport) -> Self {
        let postgres = check("postgres", Vec::new());
        let others = report.checks.into_iter().map(|part| Check {
            name: part.name,
            ok: part.ok,
            details: part.details,
        });
        let health = Self::from_checks(std::iter::once(postgres).chain(others).collect());
        Self {
            notes: report.notes,
            ..health
        }
    }

    pub(crate) fn unreachable() -> Self {
        Self::from_checks(vec![check("postgres", vec!["does not answer".into()])])
    }

    /// What everyone may know: which parts are well.
    pub(crate) fn summary(mut self) -> Self {
        for check in &mut self.checks {
            check.details.clear();
        }
        self.notes.clear();
        self
    }

    fn from_checks(checks: Vec<Check>) -> Self {
        let status = if checks.iter().all(|check| check.ok) {
            "ok"
        } else {
            "failing"
        };
        Self {
            status,
            checks,
            notes: Vec::new(),
        }
    }

    pub(crate) fn status_code(&self) -> u16 {
        if self.status == "ok" { 200 } else { 503 }
    }
}

fn check(name: &str, details: Vec<String>) -> Check {
    Check {
        name: name.into(),
        ok: details.is_empty(),
        details,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gristmill_rpc::HealthCheck;

    fn report(details: &[&str]) -> HealthReport {
        HealthReport {
            checks: vec![HealthCheck {
                name: "cron".into(),
                ok: details.is_empty(),
                details: details.iter().map(|&detail| detail.into()).collect(),
            }],
            notes: vec!["nap: no worker serves this kind".into()],
        }
    }

    #[test]
    fn one_ailing_part_makes_the_whole_fail() {
        assert_eq!(Health::of(report(&[])).status_code(), 200);
        assert_eq!(Health::of(report(&["silent"])).status_code(), 503);
        assert_eq!(Health::unreachable().status_code(), 503);
    }

    #[test]
    fn a_summary_names_the_part_and_nothing_else() {
        let summary = Health::of(report(&["process-queue-batch last ran 300 s ago"])).summary();
        assert_eq!(
            serde_json::to_string(&summary).unwrap(),
            r#"{"status":"failing","checks":[{"name":"postgres","ok":true},{"name":"cron","ok":false}]}"#
        );
    }
}

//! How far a step goes in one run, and how a run is told.

use std::collections::BTreeMap;

use gristmill_rpc::CleanupReport;
use schemars::JsonSchema;
use serde::Serialize;

/// Pieces of one step in one run; the next run goes on where this one stopped.
pub(crate) const MOST_PIECES: u32 = 20;

/// The result of one step.
#[derive(Debug, Default, Serialize, PartialEq, JsonSchema)]
pub(crate) struct StepReport {
    /// True when nothing failed.
    pub(crate) ok: bool,
    /// How many pieces of work the step did.
    pub(crate) pieces: u32,
    /// Whether the next run has more to do.
    pub(crate) more: bool,
    /// What the step counted, added up over its pieces.
    pub(crate) done: BTreeMap<String, f64>,
    /// Why the step failed: a SQLSTATE, or a short word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// The result of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Report {
    pub(crate) steps: BTreeMap<String, StepReport>,
}

/// The answer of cleanup-exports.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Deleted {
    /// How many files were removed.
    pub(crate) deleted: u64,
}

impl StepReport {
    pub(crate) fn new() -> Self {
        Self {
            ok: true,
            ..Self::default()
        }
    }

    /// Adds a piece; says whether another should follow at once.
    pub(crate) fn add(&mut self, piece: CleanupReport) -> bool {
        if let Some(error) = piece.error {
            self.fail(error);
            return false;
        }
        self.pieces += 1;
        self.more = piece.more;
        for (name, value) in piece.done {
            if let Some(value) = value.as_f64() {
                *self.done.entry(name).or_default() += value;
            }
        }
        self.more && self.pieces < MOST_PIECES
    }

    pub(crate) fn fail(&mut self, error: impl Into<String>) {
        self.ok = false;
        self.error = Some(error.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(json: &str) -> CleanupReport {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_step_goes_on_while_there_is_more_but_not_for_ever() {
        let mut step = StepReport::new();
        let mut pieces = 0;
        while step.add(piece(r#"{"removed": 10, "more": true}"#)) {
            pieces += 1;
        }
        assert_eq!(
            (pieces + 1, step.pieces, step.more),
            (MOST_PIECES, MOST_PIECES, true)
        );
        assert_eq!(step.done["removed"], f64::from(MOST_PIECES) * 10.0);
    }

    #[test]
    fn a_failed_piece_ends_the_step_and_keeps_what_was_done() {
        let mut step = StepReport::new();
        assert!(step.add(piece(r#"{"removed": 3, "more": true}"#)));
        assert!(!step.add(piece(r#"{"error": "55P03"}"#)));
        assert_eq!(
            (step.ok, step.pieces, step.error.as_deref()),
            (false, 1, Some("55P03"))
        );
    }
}

//! GET and HEAD.

use super::{Target, Work};
use crate::http::Answer;
use crate::rest::answer::Draft;
use gristmill_dialect::Verb;
use gristmill_dialect::preferences::Count;
use gristmill_dialect::range;
use gristmill_dialect::refusal::Refusal;
use gristmill_dialect::sql::read::Read;
use gristmill_dialect::sql::{Shape, Writing};
use gristmill_pool::{Access, RowCheck};

pub(super) async fn serve(target: &Target<'_>) -> Result<Answer, Refusal> {
    let request = target.request;
    let query = target.query()?;
    let format = request.accepted.rows()?;
    let window = range::window(&query, request.verb, &request.headers)?;
    let count = counted(request.preferences.count, request.identity.is_trusted());
    let writing = Writing {
        format,
        shape: Shape::Rows,
        headers_only: request.verb == Verb::Head,
    };
    let read = Read {
        schema: &request.schema,
        name: target.name,
        relation: target.relation,
        query: &query,
        window,
        most: target.gateway.settings.limits.max_rows,
        writing,
        count_all: matches!(count, Some(Count::Exact | Count::Estimated)),
    };
    let estimates = matches!(count, Some(Count::Planned | Count::Estimated));
    let check = RowCheck {
        singular: format.is_singular(),
        ..RowCheck::default()
    };
    let work = Work {
        access: Access::ReadOnly,
        statement: read.statement(),
        layout: writing.layout(),
        estimate: estimates.then(|| read.estimate()),
        check,
    };
    let outcome = target.run(work).await?;

    let exact = outcome.total;
    let planned = outcome.estimate.as_deref().and_then(planned_rows);
    let total = match count {
        None => None,
        Some(Count::Exact) => exact,
        Some(Count::Planned) => planned,
        Some(Count::Estimated) => exact.max(planned),
    };
    let mut draft = Draft::new(range::status(window, outcome.rows, total)?);
    let range = range::content_range(window.offset, outcome.rows, total);
    draft.header("content-range", &range);
    draft.applied(request.preferences.applied_to_read(count));
    draft.with_rows(request, format, outcome)
}

/// The planner estimates from all rows of a table, whoever may see them: a user is told its own rows, counted.
fn counted(asked: Option<Count>, is_trusted: bool) -> Option<Count> {
    match asked {
        Some(Count::Planned | Count::Estimated) if !is_trusted => Some(Count::Exact),
        asked => asked,
    }
}

/// The estimate at the top of a plan in JSON.
fn planned_rows(plan: &str) -> Option<i64> {
    let plan: serde_json::Value = serde_json::from_str(plan).ok()?;
    plan.pointer("/0/Plan/Plan Rows")?.as_i64()
}

#[cfg(test)]
mod tests {
    use super::{counted, planned_rows};
    use gristmill_dialect::preferences::Count;

    #[test]
    fn the_planners_estimate_is_read_from_the_plan() {
        assert_eq!(planned_rows(r#"[{"Plan":{"Plan Rows":42}}]"#), Some(42));
        assert_eq!(planned_rows("[]"), None);
    }

    #[test]
    fn only_trusted_roles_are_told_what_the_planner_estimates() {
        for asked in [Count::Planned, Count::Estimated] {
            assert_eq!(counted(Some(asked), true), Some(asked));
            assert_eq!(counted(Some(asked), false), Some(Count::Exact));
        }
        assert_eq!(counted(None, false), None);
    }
}

//! `/stable/earnings`

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::Shape;
use super::read::{day, value};

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "camelCase"))]
pub(super) struct Earnings {
    symbol: String,
    #[serde(rename(deserialize = "date"))]
    report_date: NaiveDate,
    eps_actual: Option<Number>,
    eps_estimated: Option<Number>,
    revenue_actual: Option<Number>,
    revenue_estimated: Option<Number>,
    #[serde(deserialize_with = "day")]
    last_updated: DateTime<Utc>,
}

impl Shape for Earnings {
    const MOST: usize = 200;

    fn sanity(&self) -> Result<(), &'static str> {
        let per_share = [&self.eps_actual, &self.eps_estimated];
        if per_share
            .into_iter()
            .flatten()
            .any(|amount| value(amount).abs() >= 1e7)
        {
            return Err("earnings per share are beyond any company's");
        }
        let revenues = [&self.revenue_actual, &self.revenue_estimated];
        if revenues
            .into_iter()
            .flatten()
            .any(|amount| value(amount).abs() >= 1e15)
        {
            return Err("a revenue is beyond any company's");
        }
        Ok(())
    }
}

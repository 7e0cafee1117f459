//! `/stable/income-statement`

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::Shape;
use super::read::{moment, value, year};

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "camelCase"))]
pub(super) struct Statement {
    symbol: String,
    #[serde(deserialize_with = "year")]
    fiscal_year: i32,
    period: Period,
    #[serde(rename(deserialize = "date"))]
    statement_date: NaiveDate,
    reported_currency: String,
    cik: Option<String>,
    filing_date: Option<NaiveDate>,
    #[serde(rename(deserialize = "acceptedDate"), deserialize_with = "moment")]
    accepted_at: DateTime<Utc>,
    revenue: Number,
    cost_of_revenue: Number,
    gross_profit: Number,
    research_and_development_expenses: Number,
    selling_general_and_administrative_expenses: Number,
    operating_expenses: Number,
    interest_expense: Number,
    depreciation_and_amortization: Number,
    ebitda: Number,
    operating_income: Number,
    income_before_tax: Number,
    income_tax_expense: Number,
    net_income: Number,
    eps: Number,
    eps_diluted: Number,
    #[serde(rename(deserialize = "weightedAverageShsOut"))]
    weighted_average_shares_out: Number,
    #[serde(rename(deserialize = "weightedAverageShsOutDil"))]
    weighted_average_shares_out_diluted: Number,
    // Part of the shape, kept by nobody.
    #[serde(
        skip_serializing,
        rename(deserialize = "generalAndAdministrativeExpenses")
    )]
    _general_and_administrative_expenses: Number,
    #[serde(skip_serializing, rename(deserialize = "sellingAndMarketingExpenses"))]
    _selling_and_marketing_expenses: Number,
    #[serde(skip_serializing, rename(deserialize = "otherExpenses"))]
    _other_expenses: Number,
    #[serde(skip_serializing, rename(deserialize = "costAndExpenses"))]
    _cost_and_expenses: Number,
    #[serde(skip_serializing, rename(deserialize = "netInterestIncome"))]
    _net_interest_income: Number,
    #[serde(skip_serializing, rename(deserialize = "interestIncome"))]
    _interest_income: Number,
    #[serde(skip_serializing, rename(deserialize = "ebit"))]
    _ebit: Number,
    #[serde(
        skip_serializing,
        rename(deserialize = "nonOperatingIncomeExcludingInterest")
    )]
    _non_operating_income_excluding_interest: Number,
    #[serde(skip_serializing, rename(deserialize = "totalOtherIncomeExpensesNet"))]
    _total_other_income_expenses_net: Number,
    #[serde(
        skip_serializing,
        rename(deserialize = "netIncomeFromContinuingOperations")
    )]
    _net_income_from_continuing_operations: Number,
    #[serde(
        skip_serializing,
        rename(deserialize = "netIncomeFromDiscontinuedOperations")
    )]
    _net_income_from_discontinued_operations: Number,
    #[serde(skip_serializing, rename(deserialize = "otherAdjustmentsToNetIncome"))]
    _other_adjustments_to_net_income: Number,
    #[serde(skip_serializing, rename(deserialize = "netIncomeDeductions"))]
    _net_income_deductions: Number,
    #[serde(skip_serializing, rename(deserialize = "bottomLineNetIncome"))]
    _bottom_line_net_income: Number,
}

#[derive(Debug, Deserialize, Serialize)]
enum Period {
    #[serde(rename = "FY")]
    Year,
    Q1,
    Q2,
    Q3,
    Q4,
}

impl Shape for Statement {
    const MOST: usize = 40;

    fn sanity(&self) -> Result<(), &'static str> {
        let [revenue, cost, gross] =
            [&self.revenue, &self.cost_of_revenue, &self.gross_profit].map(value);
        if [revenue, cost, gross, value(&self.net_income)]
            .iter()
            .any(|amount| amount.abs() >= 1e15)
        {
            return Err("an amount is beyond any company's");
        }
        if (revenue - cost - gross).abs() > revenue.abs() * 0.05 + 1.0 {
            return Err("revenue, its cost and gross profit do not add up");
        }
        if value(&self.weighted_average_shares_out) < 0.0 || self.reported_currency.len() != 3 {
            return Err("shares or currency cannot be");
        }
        if self.accepted_at.date_naive() < self.statement_date {
            return Err("the statement was accepted before its period ended");
        }
        Ok(())
    }
}

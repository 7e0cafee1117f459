//! `/stable/profile`

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::Shape;
use super::read::{is_amount, value};

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "camelCase"))]
pub(super) struct Profile {
    symbol: String,
    company_name: String,
    price: Number,
    market_cap: Option<Number>,
    beta: Option<Number>,
    last_dividend: Option<Number>,
    #[serde(rename(deserialize = "range"))]
    price_range: Option<String>,
    average_volume: Option<Number>,
    currency: String,
    cik: Option<String>,
    isin: Option<String>,
    cusip: Option<String>,
    exchange: String,
    exchange_full_name: Option<String>,
    industry: Option<String>,
    sector: Option<String>,
    website: Option<String>,
    description: Option<String>,
    ceo: Option<String>,
    country: Option<String>,
    full_time_employees: Option<String>,
    phone: Option<String>,
    address: Option<String>,
    city: Option<String>,
    state: Option<String>,
    zip: Option<String>,
    image: Option<String>,
    ipo_date: Option<NaiveDate>,
    is_etf: bool,
    is_actively_trading: bool,
    is_adr: bool,
    is_fund: bool,
    // A quote has these, and fresher.
    #[serde(skip_serializing)]
    change: Option<Number>,
    #[serde(skip_serializing)]
    change_percentage: Option<Number>,
    #[serde(skip_serializing)]
    volume: Option<Number>,
    #[serde(skip_serializing, rename(deserialize = "defaultImage"))]
    _default_image: bool,
}

impl Shape for Profile {
    const MOST: usize = 1;

    fn sanity(&self) -> Result<(), &'static str> {
        let amounts = [&self.market_cap, &self.average_volume, &self.volume];
        if amounts
            .into_iter()
            .flatten()
            .any(|amount| !is_amount(amount))
            || !is_amount(&self.price)
        {
            return Err("price, volume or market value cannot be");
        }
        if self.company_name.trim().is_empty() || self.currency.len() != 3 {
            return Err("a company has a name and a currency of three letters");
        }
        if self
            .change_percentage
            .as_ref()
            .is_some_and(|percent| value(percent) < -100.0)
            || self
                .change
                .as_ref()
                .is_some_and(|change| value(change).abs() > 1e8)
        {
            return Err("the change cannot be");
        }
        Ok(())
    }
}

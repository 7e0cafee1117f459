//! `/stable/quote`

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::Shape;
use super::read::{epoch, is_amount, value};

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all(deserialize = "camelCase"))]
pub(super) struct Quote {
    symbol: String,
    name: String,
    price: Number,
    change: Number,
    change_percentage: Number,
    volume: Number,
    day_low: Number,
    day_high: Number,
    year_low: Number,
    year_high: Number,
    market_cap: Option<Number>,
    #[serde(rename(deserialize = "priceAvg50"))]
    price_avg_50: Number,
    #[serde(rename(deserialize = "priceAvg200"))]
    price_avg_200: Number,
    exchange: String,
    open: Number,
    previous_close: Number,
    #[serde(rename(deserialize = "timestamp"), deserialize_with = "epoch")]
    quoted_at: DateTime<Utc>,
}

impl Shape for Quote {
    const MOST: usize = 1;

    fn sanity(&self) -> Result<(), &'static str> {
        let [price, low, high] = [&self.price, &self.day_low, &self.day_high].map(value);
        let [year_low, year_high] = [&self.year_low, &self.year_high].map(value);
        if !(price > 0.0 && price < 1e8) {
            return Err("a price must be positive and below 100 million");
        }
        if low > high || year_low > year_high || low < 0.0 || year_low < 0.0 {
            return Err("a low is above its high");
        }
        // Halts and late prints move a price beyond the day's range, but not tenfold.
        if price < low / 10.0 || price > high * 10.0 {
            return Err("the price is far outside of the day's range");
        }
        if !is_amount(&self.volume) || self.market_cap.as_ref().is_some_and(|cap| !is_amount(cap)) {
            return Err("volume or market value cannot be");
        }
        if value(&self.change_percentage) < -100.0 || value(&self.previous_close) < 0.0 {
            return Err("nothing loses more than all of its value");
        }
        Ok(())
    }
}

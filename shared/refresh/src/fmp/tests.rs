use super::*;
use serde_json::json;

fn quote() -> Value {
    json!({"symbol": "AAPL", "name": "Apple Inc.", "price": 232.8, "changePercentage": 2.1008, "change": 4.79,
        "volume": 44489128, "dayLow": 226.65, "dayHigh": 233.13, "yearHigh": 260.1, "yearLow": 164.08,
        "marketCap": 3500823120000u64, "priceAvg50": 240.2278, "priceAvg200": 219.98755, "exchange": "NASDAQ",
        "open": 227.2, "previousClose": 228.01, "timestamp": 1738702801})
}

fn profile() -> Value {
    json!({"symbol": "AAPL", "price": 232.8, "marketCap": 3500823120000u64, "beta": 1.24, "lastDividend": 0.99,
        "range": "164.08-260.1", "change": 4.79, "changePercentage": 2.1008, "volume": 0, "averageVolume": 50542058,
        "companyName": "Apple Inc.", "currency": "USD", "cik": "0000320193", "isin": "US0378331005",
        "cusip": "037833100", "exchangeFullName": "NASDAQ Global Select", "exchange": "NASDAQ",
        "industry": "Consumer Electronics", "website": "https://www.apple.com", "description": "Makes phones.",
        "ceo": "Tim Cook", "sector": "Technology", "country": "US", "fullTimeEmployees": "164000",
        "phone": "(408) 996-1010", "address": "One Apple Park Way", "city": "Cupertino", "state": "CA",
        "zip": "95014", "image": null, "ipoDate": "1980-12-12", "defaultImage": false, "isEtf": false,
        "isActivelyTrading": true, "isAdr": false, "isFund": false})
}

fn statement() -> Value {
    json!({"date": "2024-09-28", "symbol": "AAPL", "reportedCurrency": "USD", "cik": "0000320193",
        "filingDate": "2024-11-01", "acceptedDate": "2024-11-01 06:01:36", "fiscalYear": "2024", "period": "FY",
        "revenue": 391035000000u64, "costOfRevenue": 210352000000u64, "grossProfit": 180683000000u64,
        "researchAndDevelopmentExpenses": 31370000000u64, "generalAndAdministrativeExpenses": 0,
        "sellingAndMarketingExpenses": 0, "sellingGeneralAndAdministrativeExpenses": 26097000000u64,
        "otherExpenses": 0, "operatingExpenses": 57467000000u64, "costAndExpenses": 267819000000u64,
        "netInterestIncome": 0, "interestIncome": 0, "interestExpense": 0,
        "depreciationAndAmortization": 11445000000u64, "ebitda": 134661000000u64, "ebit": 123216000000u64,
        "nonOperatingIncomeExcludingInterest": 0, "operatingIncome": 123216000000u64,
        "totalOtherIncomeExpensesNet": 269000000, "incomeBeforeTax": 123485000000u64,
        "incomeTaxExpense": 29749000000u64, "netIncomeFromContinuingOperations": 93736000000u64,
        "netIncomeFromDiscontinuedOperations": 0, "otherAdjustmentsToNetIncome": 0, "netIncome": 93736000000u64,
        "netIncomeDeductions": 0, "bottomLineNetIncome": 93736000000u64, "eps": 6.11, "epsDiluted": 6.08,
        "weightedAverageShsOut": 15343783000u64, "weightedAverageShsOutDil": 15408095000u64})
}

fn earnings() -> Value {
    json!({"symbol": "AAPL", "date": "2025-10-29", "epsActual": null, "epsEstimated": 1.5, "revenueActual": null,
        "revenueEstimated": 100000000000u64, "lastUpdated": "2025-02-04"})
}

type Example = (BuiltIn, &'static str, fn() -> Value);

const ALL: [Example; 4] = [
    (BuiltIn::Quote, "quotes", quote),
    (BuiltIn::Profile, "company_profiles", profile),
    (BuiltIn::Statements, "financial_statements", statement),
    (BuiltIn::Earnings, "earnings", earnings),
];

fn judge(built_in: BuiltIn, body: &Value) -> Result<Vec<Map<String, Value>>, Refusal> {
    built_in.rows(body.to_string().as_bytes())
}

// The columns of a table as its file declares them.
fn columns(table: &str) -> Vec<String> {
    let sql = include_str!("../../../../sql/refresh/data_tables.sql");
    let (_, rest) = sql
        .split_once(&format!("create table public.{table} (\n"))
        .unwrap();
    let (body, _) = rest.split_once("\n)").unwrap();
    let mut columns: Vec<_> = body
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|word| !["primary", "constraint", "fetched_at", "cache_ttl_minutes"].contains(word))
        .map(str::to_owned)
        .collect();
    columns.sort();
    columns
}

fn written(built_in: BuiltIn, item: Value) -> Vec<String> {
    let rows = judge(built_in, &json!([item])).unwrap();
    let mut keys: Vec<_> = rows[0].keys().cloned().collect();
    keys.sort();
    keys
}

#[test]
fn every_fetcher_writes_exactly_the_columns_of_its_table() {
    for (built_in, table, example) in ALL {
        assert_eq!(written(built_in, example()), columns(table), "{table}");
    }
}

#[test]
fn a_table_that_changed_alone_is_noticed() {
    // The check of the test above, against a table with one column more and one renamed.
    let mut changed = columns("quotes");
    changed.push("zeta".into());
    assert_ne!(written(BuiltIn::Quote, quote()), changed);
    let renamed: Vec<_> = columns("earnings")
        .iter()
        .map(|c| c.replace("eps_actual", "eps"))
        .collect();
    assert_ne!(written(BuiltIn::Earnings, earnings()), renamed);
}

#[test]
fn a_field_that_is_missing_new_or_of_another_type_refuses_the_body() {
    for (built_in, table, example) in ALL {
        let mut required = 0;
        for field in example().as_object().unwrap().keys() {
            let mut item = example();
            item[field] = json!([1]);
            assert!(
                matches!(judge(built_in, &json!([item])), Err(Refusal::Schema(_))),
                "{table}.{field} as a list"
            );
            // Absent says the same as null: allowed for what is optional, refused for the rest.
            item[field] = Value::Null;
            let null = judge(built_in, &json!([item])).is_ok();
            item.as_object_mut().unwrap().remove(field);
            assert_eq!(
                judge(built_in, &json!([item])).is_ok(),
                null,
                "{table}.{field} removed"
            );
            required += usize::from(!null);
        }
        assert!(required >= 3, "{table} has required fields");
        let mut item = example();
        item["surprise"] = json!(1);
        assert!(
            matches!(judge(built_in, &json!([item])), Err(Refusal::Schema(_))),
            "{table} with a new field"
        );
        assert!(
            matches!(judge(built_in, &example()), Err(Refusal::Schema(_))),
            "{table} not in a list"
        );
        assert!(matches!(
            judge(built_in, &json!({"Error Message": "Limit"})),
            Err(Refusal::Schema(_))
        ));
        assert_eq!(
            built_in.rows(b"<html><body>Maintenance</body></html>"),
            Err(Refusal::NotJson)
        );
        assert_eq!(
            built_in.rows(b"[{\"symbol\": \"AAPL\""),
            Err(Refusal::NotJson)
        );
        assert_eq!(judge(built_in, &json!([])), Ok(vec![]));
    }
}

#[test]
fn values_that_cannot_be_are_refused() {
    let insane = |built_in, example: fn() -> Value, field: &str, value: Value| {
        let mut item = example();
        item[field] = value.clone();
        let verdict = judge(built_in, &json!([item]));
        assert!(
            matches!(verdict, Err(Refusal::Insane(_))),
            "{field} = {value}: {verdict:?}"
        );
    };
    insane(BuiltIn::Quote, quote, "price", json!(-1));
    insane(BuiltIn::Quote, quote, "price", json!(0));
    insane(BuiltIn::Quote, quote, "price", json!(1e12));
    insane(BuiltIn::Quote, quote, "price", json!(2.0));
    insane(BuiltIn::Quote, quote, "dayLow", json!(500));
    insane(BuiltIn::Quote, quote, "volume", json!(-5));
    insane(BuiltIn::Quote, quote, "changePercentage", json!(-101));
    insane(BuiltIn::Profile, profile, "marketCap", json!(-1));
    insane(BuiltIn::Profile, profile, "currency", json!("dollars"));
    insane(BuiltIn::Statements, statement, "grossProfit", json!(1));
    insane(
        BuiltIn::Statements,
        statement,
        "acceptedDate",
        json!("2020-01-01 00:00:00"),
    );
    insane(BuiltIn::Earnings, earnings, "epsEstimated", json!(1e9));
}

#[test]
fn a_response_has_no_more_items_than_its_type() {
    assert!(matches!(
        judge(BuiltIn::Quote, &json!([quote(), quote()])),
        Err(Refusal::Schema(_))
    ));
    assert_eq!(
        judge(BuiltIn::Earnings, &json!([earnings(), earnings()]))
            .unwrap()
            .len(),
        2
    );
}

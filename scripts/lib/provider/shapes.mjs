// Honest answers in FMP's shapes, made up from the symbol and the time: the same question at the same time has the same
// answer, and prices move by the second.

const seedOf = (symbol) => [...symbol].reduce((seed, letter) => (seed * 31 + letter.charCodeAt(0)) % 100_003, 7);
const cents = (value) => Math.round(value * 100) / 100;
const day = (ms) => new Date(ms).toISOString().slice(0, 10);

export function quote(symbol, now = Date.now()) {
  const base = 20 + (seedOf(symbol) % 480);
  const second = Math.floor(now / 1000);
  const price = cents(base * (1 + 0.01 * Math.sin(second / 600)));
  return [{
    symbol, name: `${symbol} Inc.`, price, changePercentage: cents((price / base - 1) * 100), change: cents(price - base),
    volume: 1_000_000 + (second % 86_400) * 10, dayLow: cents(base * 0.985), dayHigh: cents(base * 1.015),
    yearHigh: cents(base * 1.4), yearLow: cents(base * 0.7), marketCap: base * 1_000_000_000, priceAvg50: base,
    priceAvg200: base, exchange: "NASDAQ", open: base, previousClose: base, timestamp: second,
  }];
}

export function profile(symbol) {
  const base = 20 + (seedOf(symbol) % 480);
  return [{
    symbol, price: base, marketCap: base * 1_000_000_000, beta: 1.1, lastDividend: 0.5, range: `${base - 10}-${base + 10}`,
    change: 0.1, changePercentage: 0.1, volume: 1_000_000, averageVolume: 1_200_000, companyName: `${symbol} Inc.`,
    currency: "USD", cik: "0000320193", isin: "US0378331005", cusip: "037833100", exchangeFullName: "NASDAQ Global Select",
    exchange: "NASDAQ", industry: "Milling", website: "https://example.com", description: `${symbol} mills grain.`,
    ceo: "Ada Miller", sector: "Industrials", country: "US", fullTimeEmployees: "1200", phone: "555 0100",
    address: "1 Mill Lane", city: "Millbrook", state: "NY", zip: "12545", image: "https://example.com/logo.png",
    ipoDate: "1999-12-31", defaultImage: false, isEtf: false, isActivelyTrading: true, isAdr: false, isFund: false,
  }];
}

export function statements(symbol, now = Date.now()) {
  const scale = 1_000_000 * (20 + (seedOf(symbol) % 480));
  const year = new Date(now).getUTCFullYear() - 1;
  return [0, 1, 2, 3, 4].map((back) => ({
    date: `${year - back}-09-28`, symbol, reportedCurrency: "USD", cik: "0000320193", filingDate: `${year - back}-11-01`,
    acceptedDate: `${year - back}-11-01 06:01:36`, fiscalYear: String(year - back), period: "FY",
    revenue: scale * 10, costOfRevenue: scale * 6, grossProfit: scale * 4, researchAndDevelopmentExpenses: scale,
    generalAndAdministrativeExpenses: 0, sellingAndMarketingExpenses: 0, sellingGeneralAndAdministrativeExpenses: scale,
    otherExpenses: 0, operatingExpenses: scale * 2, costAndExpenses: scale * 8, netInterestIncome: 0, interestIncome: 0,
    interestExpense: 0, depreciationAndAmortization: scale / 2, ebitda: scale * 2.5, ebit: scale * 2,
    nonOperatingIncomeExcludingInterest: 0, operatingIncome: scale * 2, totalOtherIncomeExpensesNet: 0,
    incomeBeforeTax: scale * 2, incomeTaxExpense: scale / 2, netIncomeFromContinuingOperations: scale * 1.5,
    netIncomeFromDiscontinuedOperations: 0, otherAdjustmentsToNetIncome: 0, netIncome: scale * 1.5, netIncomeDeductions: 0,
    bottomLineNetIncome: scale * 1.5, eps: 6.11, epsDiluted: 6.08, weightedAverageShsOut: 15_343_783_000,
    weightedAverageShsOutDil: 15_408_095_000,
  }));
}

export function earnings(symbol, now = Date.now()) {
  return [0, 1, 2, 3].map((back) => ({
    symbol, date: day(now + 30 * 86_400_000 - back * 91 * 86_400_000), epsActual: back === 0 ? null : 1.4 + back / 10,
    epsEstimated: 1.5, revenueActual: back === 0 ? null : 94_000_000_000 + back, revenueEstimated: 100_000_000_000,
    lastUpdated: day(now),
  }));
}

// No fetcher knows this one: a data type that is declared by INSERT alone asks for it.
export function dividend(symbol, now = Date.now()) {
  return { symbol, yield: cents(seedOf(symbol) % 5), payout: { ratio: 0.3 }, asOf: Math.floor(now / 1000) };
}

export const endpoints = {
  "/stable/quote": { type: "quote", honest: quote, clock: "timestamp" },
  "/stable/profile": { type: "profile", honest: profile, clock: null },
  "/stable/income-statement": { type: "financial-statements", honest: statements, clock: "acceptedDate" },
  "/stable/earnings": { type: "earnings", honest: earnings, clock: "lastUpdated" },
  "/stable/dividend/": { type: "dividend", honest: dividend, clock: "asOf" },
};

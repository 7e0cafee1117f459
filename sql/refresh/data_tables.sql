-- What the built-in fetchers write: the shapes of Financial Modeling Prep, in our spelling. A unit test compares each
-- table's columns with what its fetcher writes, so a change here comes with its type and its test.
--
-- cache_ttl_minutes: this row's own time to live, where a type's default does not fit it.
create table public.quotes (
  symbol text primary key,
  name text not null,
  price numeric not null,
  change numeric not null,
  change_percentage numeric not null,
  volume numeric not null,
  day_low numeric not null,
  day_high numeric not null,
  year_low numeric not null,
  year_high numeric not null,
  market_cap numeric,
  price_avg_50 numeric not null,
  price_avg_200 numeric not null,
  exchange text not null,
  open numeric not null,
  previous_close numeric not null,
  quoted_at timestamptz not null,
  fetched_at timestamptz not null,
  cache_ttl_minutes int,
  constraint price_is_positive check (price > 0),
  constraint own_ttl_is_positive check (cache_ttl_minutes > 0)
) with (fillfactor = 80);
comment on table public.quotes is 'The latest quote of a symbol.';

create table public.company_profiles (
  symbol text primary key,
  company_name text not null,
  price numeric not null,
  market_cap numeric,
  beta numeric,
  last_dividend numeric,
  price_range text,
  average_volume numeric,
  currency text not null,
  cik text,
  isin text,
  cusip text,
  exchange text not null,
  exchange_full_name text,
  industry text,
  sector text,
  website text,
  description text,
  ceo text,
  country text,
  full_time_employees text,
  phone text,
  address text,
  city text,
  state text,
  zip text,
  image text,
  ipo_date date,
  is_etf boolean not null,
  is_actively_trading boolean not null,
  is_adr boolean not null,
  is_fund boolean not null,
  fetched_at timestamptz not null,
  cache_ttl_minutes int,
  constraint own_ttl_is_positive check (cache_ttl_minutes > 0)
);
comment on table public.company_profiles is 'What a company is.';

create table public.financial_statements (
  symbol text not null,
  fiscal_year int not null,
  period text not null,
  statement_date date not null,
  reported_currency text not null,
  cik text,
  filing_date date,
  accepted_at timestamptz not null,
  revenue numeric not null,
  cost_of_revenue numeric not null,
  gross_profit numeric not null,
  research_and_development_expenses numeric not null,
  selling_general_and_administrative_expenses numeric not null,
  operating_expenses numeric not null,
  interest_expense numeric not null,
  depreciation_and_amortization numeric not null,
  ebitda numeric not null,
  operating_income numeric not null,
  income_before_tax numeric not null,
  income_tax_expense numeric not null,
  net_income numeric not null,
  eps numeric not null,
  eps_diluted numeric not null,
  weighted_average_shares_out numeric not null,
  weighted_average_shares_out_diluted numeric not null,
  fetched_at timestamptz not null,
  cache_ttl_minutes int,
  primary key (symbol, fiscal_year, period),
  constraint own_ttl_is_positive check (cache_ttl_minutes > 0)
);
comment on table public.financial_statements is 'Income statements, one row a period.';

create table public.earnings (
  symbol text not null,
  report_date date not null,
  eps_actual numeric,
  eps_estimated numeric,
  revenue_actual numeric,
  revenue_estimated numeric,
  last_updated timestamptz not null,
  fetched_at timestamptz not null,
  cache_ttl_minutes int,
  primary key (symbol, report_date),
  constraint own_ttl_is_positive check (cache_ttl_minutes > 0)
);
comment on table public.earnings is 'Earnings reports, past and announced.';

alter table public.quotes enable row level security;
create policy everyone_reads on public.quotes for select to authenticated, service_role using (true);
revoke all on public.quotes from public, anon, authenticated, service_role;
grant select on public.quotes to authenticated, service_role;
alter table public.company_profiles enable row level security;
create policy everyone_reads on public.company_profiles for select to authenticated, service_role using (true);
revoke all on public.company_profiles from public, anon, authenticated, service_role;
grant select on public.company_profiles to authenticated, service_role;
alter table public.financial_statements enable row level security;
create policy everyone_reads on public.financial_statements for select to authenticated, service_role using (true);
revoke all on public.financial_statements from public, anon, authenticated, service_role;
grant select on public.financial_statements to authenticated, service_role;
alter table public.earnings enable row level security;
create policy everyone_reads on public.earnings for select to authenticated, service_role using (true);
revoke all on public.earnings from public, anon, authenticated, service_role;
grant select on public.earnings to authenticated, service_role;

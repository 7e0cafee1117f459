create table mill.uncounted_usage (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  what text not null,
  arguments jsonb not null,
  tries int not null default 0,
  try_at timestamptz not null,
  constraint what_is_known check (what in ('count', 'measure', 'process', 'release'))
);
comment on table mill.uncounted_usage is 'Usage of documents that is still to be counted, with what the count is given. mill.count_again counts it.';
create index uncounted_usage_due on mill.uncounted_usage (try_at);

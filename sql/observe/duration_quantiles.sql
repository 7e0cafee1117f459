-- Prometheus reads quantiles like this one from a histogram: the upper bound of the bucket that holds it.
create or replace function mill.duration_quantiles(p_queue text, p_since timestamptz)
returns table (p50_ms bigint, p95_ms bigint, p99_ms bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select
    min(b.upper) filter (where b.running >= 0.50 * b.total),
    min(b.upper) filter (where b.running >= 0.95 * b.total),
    min(b.upper) filter (where b.running >= 0.99 * b.total)
  from (
    select sum(h.jobs) over (order by h.bucket) as running, sum(h.jobs) over () as total,
      (array[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 1800000, 86400000]::bigint[])[h.bucket + 1] as upper
    from (
      select s.bucket, sum(s.jobs) as jobs from mill.stat s
      where s.queue = p_queue and s.minute >= p_since and s.outcome in ('completed', 'failed', 'dead')
      group by s.bucket) h) b
$$;

comment on function mill.duration_quantiles(text, timestamptz) is 'How long attempts of a queue took since then, as upper bounds of histogram buckets.';
revoke execute on function mill.duration_quantiles(text, timestamptz) from public;

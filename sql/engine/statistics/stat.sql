create or replace view mill.stat as
select s.minute, s.queue, s.kind, s.outcome, s.bucket,
  sum(s.jobs)::bigint as jobs, sum(s.total_ms)::bigint as total_ms, sum(s.bytes)::bigint as bytes
from (
  select m.minute, m.queue, m.kind, m.outcome, m.bucket, m.jobs, m.total_ms, m.bytes from mill.stat_minute m
  union all
  select date_trunc('minute', b.at), b.queue, b.kind, b.outcome, b.bucket, b.jobs, b.total_ms, b.bytes from mill.stat_batch b
) s
group by s.minute, s.queue, s.kind, s.outcome, s.bucket;
comment on view mill.stat is 'Statistics by minute, up to now.';

-- A day goes as a whole or not at all: it is expired once every queue that has a job in it is past its own
-- retention. So a queue's jobs are kept for at least its retention_days, and longer while a queue with a longer
-- one has jobs of the same day. Days past the longest retention of all go without a look at their rows.
create or replace function mill.expired_days(p_today date) returns table (partition text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_day date;
  v_keeps boolean;
  v_keepers text[];
begin
  for partition in
    select c.relname from pg_class c join pg_inherits i on i.inhrelid = c.oid
    where i.inhparent = 'mill.job_done'::regclass and c.relname ~ '^job_done_\d{8}$'
    order by 1
  loop
    v_day := to_date(right(partition, 8), 'YYYYMMDD');
    v_keepers := array(select q.queue from mill.queue q where v_day >= p_today - q.retention_days);
    continue when v_day >= p_today - coalesce((select min(q.retention_days) from mill.queue q), 7);
    if v_keepers <> '{}' then
      execute format('select exists (select from mill.%I j where j.queue = any ($1))', partition) into v_keeps using v_keepers;
      continue when v_keeps;
    end if;
    return next;
  end loop;
end
$$;

comment on function mill.expired_days(date) is 'Day partitions that no queue wants kept any more.';
revoke execute on function mill.expired_days(date) from public;

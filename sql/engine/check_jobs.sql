-- Refuses a malformed batch as a whole, naming the first offender, before anything is written.
create or replace function mill.check_jobs(p_jobs jsonb) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit int := mill.setting('queue.payload_max_bytes', '65536')::int;
  v_at bigint;
  v_kind text;
  v_code text;
  v_field text;
begin
  if jsonb_typeof(p_jobs) is distinct from 'array' then
    raise exception 'jobs must be an array' using errcode = 'GM004';
  end if;

  select w.ordinality - 1, w.job ->> 'kind', w.code, w.field into v_at, v_kind, v_code, v_field
  from (
    select a.job, a.ordinality,
      case
        when jsonb_typeof(a.job) <> 'object' then 'GM004'
        when coalesce(jsonb_typeof(a.job -> 'kind'), 'null') <> 'string' then 'GM004'
        when not exists (select from mill.kind k where k.kind = a.job ->> 'kind') then 'GM001'
        when coalesce(jsonb_typeof(a.job -> 'payload'), 'null') <> 'object' or a.job -> 'payload' = '{}' then 'GM002'
        when octet_length((a.job -> 'payload')::text) > v_limit then 'GM003'
        when coalesce(jsonb_typeof(a.job -> 'priority'), 'null') not in ('number', 'null') then 'GM004'
        when length(a.job ->> 'dedupe_key') not between 1 and 200 then 'GM004'
        when length(a.job ->> 'group_key') not between 1 and 200 then 'GM004'
      end as code,
      case
        when coalesce(jsonb_typeof(a.job -> 'kind'), 'null') <> 'string' then 'kind'
        when coalesce(jsonb_typeof(a.job -> 'priority'), 'null') not in ('number', 'null') then 'priority'
        when length(a.job ->> 'dedupe_key') not between 1 and 200 then 'dedupe_key'
        when length(a.job ->> 'group_key') not between 1 and 200 then 'group_key'
      end as field
    from jsonb_array_elements(p_jobs) with ordinality as a(job, ordinality)
  ) w
  where w.code is not null
  order by w.ordinality
  limit 1;

  case v_code
    when 'GM001' then
      raise exception 'unknown job kind "%"', left(v_kind, 64) using errcode = 'GM001',
        detail = format('job %s', v_at), hint = 'A kind is a row of mill.kind.';
    when 'GM002' then
      raise exception 'payload must be an object with at least one field' using errcode = 'GM002', detail = format('job %s', v_at);
    when 'GM003' then
      raise exception 'payload is larger than % bytes', v_limit using errcode = 'GM003',
        detail = format('job %s', v_at), hint = 'Store the content elsewhere and enqueue a reference to it.';
    when 'GM004' then
      raise exception 'job is malformed' using errcode = 'GM004', detail = format('job %s, field %s', v_at, coalesce(v_field, '(the job itself)'));
    else
      null;
  end case;
end
$$;

comment on function mill.check_jobs(jsonb) is 'Raises GM001 to GM004 for the first job that cannot be enqueued.';
revoke execute on function mill.check_jobs(jsonb) from public;

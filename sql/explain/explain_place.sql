-- How many due jobs go before this one. Counting stops at 10,000: nobody needs to know more, and a line of millions costs milliseconds.
create or replace function mill.explain_place(p_job jsonb, p_queue mill.queue) returns table (code text, until timestamptz, sentence text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_most constant int := 10000;
  v_turn bigint := (p_job ->> 'turn')::bigint;
  v_priority int := (p_job ->> 'priority')::int;
  v_lane text := p_job ->> 'lane';
  v_before int;
  v_others int;
  v_number text;
begin
  if v_lane is not null then
    select count(*) into v_before from (
      select from mill.job_live j
      where j.queue = p_queue.queue and j.lane = v_lane and not j.waits and j.state = 'pending' and (j.priority > v_priority or j.priority = v_priority and j.turn < v_turn)
      limit v_most) j;
    select count(distinct l.tenant) - 1 into v_others from mill.lane l where l.queue = p_queue.queue and not l.idle;
    if v_before > 0 or v_others > 0 then
      v_number := case when v_before < v_most then v_before::text else v_most || ' or more' end;
      return query select 'its_turn', null::timestamptz, format(
        'Tenants take turns in the queue %s. %s jobs of the same tenant or group go before this one, and %s other tenants have jobs. Add workers or raise max_parallel to shorten the wait.',
        p_queue.queue, v_number, greatest(v_others, 0));
    end if;
    return;
  end if;

  select least(v_most, coalesce(sum(b.jobs), 0)) into v_before from (
    select 1 as jobs from mill.floor f
    cross join lateral (
      select from mill.job_live o
      where o.line = f.line and o.turn >= f.turn and not o.waits and o.state = 'pending' and (f.priority > v_priority or o.turn < v_turn)
      limit v_most) o
    where f.queue = p_queue.queue and f.priority >= v_priority
    union all
    select p.jobs from mill.floor f
    cross join lateral (
      select p.jobs from mill.pack p where p.line = f.line and p.turn >= f.turn and (f.priority > v_priority or p.turn < v_turn) limit v_most / 10) p
    where f.queue = p_queue.queue and f.priority >= v_priority) b;
  if v_before > 0 then
    v_number := case when v_before < v_most then v_before::text else v_most || ' or more' end;
    return query select 'behind_others', null::timestamptz, format(
      '%s due jobs of the queue %s go before this one, by priority and age. Add workers or raise max_parallel to shorten the wait.', v_number, p_queue.queue);
  end if;
end
$$;

comment on function mill.explain_place(jsonb, mill.queue) is 'How many due jobs a pending job stands behind. For mill.explain_job alone.';
revoke execute on function mill.explain_place(jsonb, mill.queue) from public;

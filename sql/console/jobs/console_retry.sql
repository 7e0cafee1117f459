-- Dead letters start over. A job that waits for its time or for its next attempt becomes due now. Lock order: by id.
create or replace function mill.make_due(p_ids uuid[]) returns table (id uuid, status text)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  v_waiting uuid[] := array(select j.id from mill.job_live j where j.id = any (p_ids) and j.waits order by j.id for update);
begin
  if v_waiting = '{}' then
    return;
  end if;
  update mill.job_live j set run_at = mill.now() where j.id = any (v_waiting) and j.run_at > mill.now();
  perform mill.audit_jobs(v_waiting, 'make_due', null);
  perform mill.promote();
  perform mill.wake(q) from mill.queue q where q.queue in (select j.queue from mill.job_live j where j.id = any (v_waiting));
  return query select w, 'due' from unnest(v_waiting) w;
end
$$;

comment on function mill.make_due(uuid[]) is 'Makes deferred and retrying jobs due at once; answers those that it found.';
revoke execute on function mill.make_due(uuid[]) from public;

create or replace function public.console_retry(p_ids uuid[], p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_due jsonb;
begin
  perform mill.begin_console_action('operator', p_reason);
  v_due := (select coalesce(jsonb_object_agg(d.id, d.status), '{}') from mill.make_due(mill.check_console_ids(p_ids)) d);
  return mill.console_results((
    select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'status', coalesce(v_due ->> r.id::text, r.status))), '[]') from mill.retry(p_ids) r), array['not_dead', 'duplicate', 'unknown_kind']);
end
$$;

comment on function public.console_retry(uuid[], text) is
  'Sends dead letters back to pending and makes waiting jobs due: retried, due, duplicate, unknown_kind or not_dead for each. For operators of the console.';
revoke execute on function public.console_retry(uuid[], text) from public, anon;
grant execute on function public.console_retry(uuid[], text) to authenticated, service_role;

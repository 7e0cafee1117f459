create or replace function mill.shown_bulk(p_bulk mill.console_bulk) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('id', p_bulk.id, 'job', p_bulk.job, 'action', p_bulk.action, 'search', p_bulk.search, 'group', p_bulk.error_group, 'reason', p_bulk.reason,
    'state', p_bulk.state, 'created_at', p_bulk.created_at, 'updated_at', p_bulk.updated_at, 'finished_at', p_bulk.finished_at,
    'by', jsonb_build_object('sub', p_bulk.actor, 'email', p_bulk.email), 'total', p_bulk.total, 'total_more', p_bulk.total_is_more, 'looked', p_bulk.looked,
    'done', p_bulk.done, 'refused', p_bulk.refused, 'refusals', p_bulk.refusals, 'error', p_bulk.error,
    'percent', case when p_bulk.state = 'completed' then 100 when not p_bulk.total_is_more then least(99, (p_bulk.done + p_bulk.refused) * 100 / greatest(p_bulk.total, 1)) end)
$$;

comment on function mill.shown_bulk(mill.console_bulk) is 'A bulk action as the console shows it.';
revoke execute on function mill.shown_bulk(mill.console_bulk) from public;

create or replace function mill.enqueue_bulk(p_bulk mill.console_bulk) returns uuid
language sql
set search_path = pg_catalog, pg_temp
as $$
  select e.id from mill.enqueue(jsonb_build_array(jsonb_build_object('kind', 'console_bulk', 'name', p_bulk.action,
    'payload', jsonb_build_object('bulk', p_bulk.id, 'action', p_bulk.action, 'search', p_bulk.search, 'group', p_bulk.error_group)))) e
$$;

comment on function mill.enqueue_bulk(mill.console_bulk) is 'Enqueues the job that does a bulk action; answers its id.';
revoke execute on function mill.enqueue_bulk(mill.console_bulk) from public;

-- Starts an action on all jobs that match. The work itself is done in rounds of the pump: see mill.run_console_bulks.
create or replace function public.console_bulk(p_action text, p_search text, p_group text, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_role text := mill.begin_console_action('operator', p_reason);
  v_search jsonb := mill.bulk_search(p_action, p_search, p_group, v_role);
  v_matches jsonb;
  v_bulk mill.console_bulk;
begin
  if (select count(*) from (select from mill.console_bulk b where b.state = 'running' limit 10) b) >= 10 then
    raise exception 'ten bulk actions are running already' using errcode = 'GM112', hint = 'Wait for one to end, or stop one.';
  end if;
  v_matches := mill.count_matches(v_search, 200000, interval '2 seconds');
  insert into mill.console_bulk (id, action, search, error_group, reason, actor, email, created_at, updated_at, total, total_is_more)
  values (mill.uuid7(), p_action, coalesce(p_search, ''), p_group, btrim(p_reason), (mill.acting() ->> 'actor')::uuid, mill.acting() ->> 'email', mill.now(), mill.now(),
    (v_matches ->> 'count')::int, (v_matches ->> 'more')::boolean)
  returning * into v_bulk;
  update mill.console_bulk b set job = mill.enqueue_bulk(v_bulk) where b.id = v_bulk.id returning * into v_bulk;
  perform mill.audit('console_bulk', v_bulk.id::text, p_action, p_new => jsonb_build_object('search', p_search, 'group', p_group, 'matches', v_matches -> 'count', 'more', v_matches -> 'more'),
    p_job_id => v_bulk.job);
  return mill.shown_bulk(v_bulk);
end
$$;

comment on function public.console_bulk(text, text, text, text) is
  'Retries, discards or cancels all jobs that match a search, as a job that runs in rounds of the pump. For operators of the console.';
revoke execute on function public.console_bulk(text, text, text, text) from public, anon;
grant execute on function public.console_bulk(text, text, text, text) to authenticated, service_role;

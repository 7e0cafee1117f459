-- The row is locked before its job: a round of the pump does the same.
create or replace function mill.locked_bulk(p_id uuid) returns mill.console_bulk
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bulk mill.console_bulk;
begin
  select b.* into v_bulk from mill.console_bulk b where b.id = p_id for update;
  if not found then
    raise exception 'there is no bulk action %', p_id using errcode = 'GM112', hint = 'console_bulks lists them.';
  end if;
  return v_bulk;
end
$$;

comment on function mill.locked_bulk(uuid) is 'A bulk action, locked; GM112 when there is none.';
revoke execute on function mill.locked_bulk(uuid) from public;

create or replace function public.console_stop_bulk(p_id uuid, p_reason text) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bulk mill.console_bulk;
begin
  perform mill.begin_console_action('operator', p_reason);
  v_bulk := mill.locked_bulk(p_id);
  if v_bulk.state <> 'running' then
    raise exception 'the bulk action is % and cannot be stopped', v_bulk.state using errcode = 'GM112', hint = 'Only a bulk action that is running can be stopped.';
  end if;
  perform mill.cancel(array[v_bulk.job]);
  -- Between two rounds the pump holds the job all the same: it learns here that it has lost it.
  perform mill.heartbeat('pump', jsonb_build_array(jsonb_build_object('id', j.id, 'attempt', j.attempt))) from mill.job_live j where j.id = v_bulk.job and j.worker = 'pump';
  update mill.console_bulk b set state = 'stopped', job = null, updated_at = mill.now() where b.id = p_id returning * into v_bulk;
  perform mill.audit('console_bulk', p_id::text, 'stop', p_new => jsonb_build_object('done', v_bulk.done));
  return mill.shown_bulk(v_bulk);
end
$$;

comment on function public.console_stop_bulk(uuid, text) is 'Stops a bulk action after its current batch; what is done stays done. For operators of the console.';
revoke execute on function public.console_stop_bulk(uuid, text) from public, anon;
grant execute on function public.console_stop_bulk(uuid, text) to authenticated, service_role;

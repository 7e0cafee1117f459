-- For signed-in users, always as their own, and for the service, which names the user. With an idempotency key the
-- same call starts one job however often and by how many it is made.
create or replace function public.start_workflow(
  p_type text,
  p_params jsonb default '{}',
  p_priority int default null,
  p_idempotency_key text default null,
  p_user_id uuid default null,
  p_correlation_id text default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_user uuid := case when public.is_service_role() then p_user_id else auth.uid() end;
  v_id uuid;
  v_first mill.workflow;
begin
  perform mill.refuse_in_maintenance();
  if v_user is null then
    raise exception 'sign in to start a job' using errcode = '42501';
  end if;
  perform mill.refuse_excess(v_user, 'workflows');
  insert into mill.workflow (type, params, user_id, priority, idempotency_key, correlation_id)
  values (p_type, p_params, v_user,
    -- Users stand in one line; the service may let a job pass.
    case when public.is_service_role() then coalesce(p_priority, 5) else 5 end, p_idempotency_key, p_correlation_id)
  on conflict (user_id, idempotency_key) where idempotency_key is not null do nothing
  returning id into v_id;
  if v_id is not null then
    return jsonb_build_object('id', v_id, 'status', 'queued', 'new', true);
  end if;

  select * into v_first from mill.workflow j where j.user_id = v_user and j.idempotency_key = p_idempotency_key;
  if v_first.type <> p_type or v_first.params <> (
    select mill.workflow_params(d, p_params) from public.workflow_definition d where d.type = v_first.type and d.version = v_first.version)
  then
    raise exception 'the idempotency key was used for another job' using errcode = 'GM068';
  end if;
  return jsonb_build_object('id', v_first.id, 'status', v_first.status, 'new', false);
end
$$;

comment on function public.start_workflow(text, jsonb, int, text, uuid, text) is
  'Starts a job of a workflow type; answers {id, status, new}. new is false when the idempotency key has started it before.';
revoke execute on function public.start_workflow(text, jsonb, int, text, uuid, text) from public, anon;
grant execute on function public.start_workflow(text, jsonb, int, text, uuid, text) to authenticated, service_role;

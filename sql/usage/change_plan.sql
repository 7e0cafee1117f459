create or replace function public.change_plan(p_profile_id uuid, p_plan text, p_reason text default null) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old text;
  v_is_up boolean;
begin
  perform mill.require_profile(p_profile_id);
  select p.plan into v_old from public.user_profiles p where p.id = p_profile_id for update;
  if not exists (select from public.subscription_plans s where s.plan_type = p_plan and s.is_active) then
    raise exception 'unknown plan "%"', left(p_plan, 64) using errcode = 'GM025';
  end if;
  if v_old = p_plan then
    return v_old;
  end if;
  v_is_up := (select n.monthly_price_cents > o.monthly_price_cents from public.subscription_plans n, public.subscription_plans o
              where n.plan_type = p_plan and o.plan_type = v_old);
  update public.user_profiles p set plan = p_plan, updated_at = mill.now() where p.id = p_profile_id;
  insert into mill.usage_event (profile_id, at, event_type, counts)
  values (p_profile_id, mill.now(), case when v_is_up then 'plan_upgraded' else 'plan_downgraded' end,
    jsonb_build_object('from', v_old, 'to', p_plan));
  perform mill.audit('user_profiles', p_profile_id::text, 'change_plan', jsonb_build_object('plan', v_old),
    jsonb_build_object('plan', p_plan), p_reason, 'usage', p_profile_id);
  return p_plan;
end
$$;

comment on function public.change_plan(uuid, text, text) is 'Puts a profile on a plan, with its event and its line in the audit log.';
revoke execute on function public.change_plan(uuid, text, text) from public, anon, authenticated;
grant execute on function public.change_plan(uuid, text, text) to service_role;

create or replace function mill.touch_plan() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  new.updated_at := mill.now();
  return new;
end
$$;

comment on function mill.touch_plan() is 'Notes when a plan was changed.';
revoke execute on function mill.touch_plan() from public;

drop trigger if exists plans_note_their_changes on public.subscription_plans;
create trigger plans_note_their_changes before update on public.subscription_plans
  for each row execute function mill.touch_plan();

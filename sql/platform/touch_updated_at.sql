create or replace function mill.touch_updated_at() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  new.updated_at := mill.now();
  return new;
end
$$;

comment on function mill.touch_updated_at() is 'A row trigger: updated_at is the time of the last change.';
revoke execute on function mill.touch_updated_at() from public, anon, authenticated;

drop trigger if exists settings_say_when_they_changed on mill.settings;
create trigger settings_say_when_they_changed before update on mill.settings
  for each row execute function mill.touch_updated_at();

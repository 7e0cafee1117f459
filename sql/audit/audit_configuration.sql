-- Every change of a setting is on record, the maintenance flag among them; the value of a sensitive one is not.
create or replace function mill.audit_configuration() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_hidden boolean := coalesce(old.is_sensitive, false) or coalesce(new.is_sensitive, false);
begin
  if tg_op = 'UPDATE' and old.value is not distinct from new.value then
    return null;
  end if;
  perform mill.audit('settings', coalesce(new.key, old.key), lower(tg_op),
    case when not v_hidden then to_jsonb(old.value) end, case when not v_hidden then to_jsonb(new.value) end,
    nullif(current_setting('mill.reason', true), ''), 'configuration');
  return null;
end
$$;

comment on function mill.audit_configuration() is 'Appends an event for each changed setting.';
revoke execute on function mill.audit_configuration() from public, anon, authenticated;

drop trigger if exists audit_configuration on mill.settings;
create trigger audit_configuration after insert or update or delete on mill.settings
  for each row execute function mill.audit_configuration();

-- Every change of a setting is on record, the maintenance flag among them; the value of a sensitive one is not.
create or replace function mill.audit_configuration() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_hidden boolean := coalesce(old.is_sensitive, false) or coalesce(new.is_sensitive, false);
begin
  if tg_op = 'UPDATE' and old.config_value is not distinct from new.config_value then
    return null;
  end if;
  perform mill.audit('system_configuration', coalesce(new.config_key, old.config_key), lower(tg_op),
    case when not v_hidden then old.config_value end, case when not v_hidden then new.config_value end,
    nullif(current_setting('mill.reason', true), ''), 'configuration');
  return null;
end
$$;

comment on function mill.audit_configuration() is 'Appends an event for each changed setting.';
revoke execute on function mill.audit_configuration() from public, anon, authenticated;

drop trigger if exists audit_configuration on public.system_configuration;
create trigger audit_configuration after insert or update or delete on public.system_configuration
  for each row execute function mill.audit_configuration();

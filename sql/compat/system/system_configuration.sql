-- The settings under their compatible name. Simple and therefore updatable: INSERT … ON CONFLICT (config_key) works.
create or replace view public.system_configuration as
select s.key as config_key, s.value as config_value, s.type as config_type, s.description, s.is_sensitive, s.updated_at
from mill.settings s;

comment on view public.system_configuration is 'Settings of the whole system. Secrets are not here.';
revoke all on public.system_configuration from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.system_configuration to service_role;

-- Settings as rows, so that changing one is an UPDATE and not a deployment.
create table public.system_configuration (
  config_key text primary key,
  config_value jsonb not null,
  config_type text not null default 'string',
  description text not null default '',
  is_sensitive boolean not null default false,
  updated_at timestamptz not null default now(),
  constraint config_type_is_known check (config_type in ('string', 'number', 'boolean', 'json'))
);

comment on table public.system_configuration is 'Settings of the whole system. Secrets are not here: see mill.secret.';
alter table public.system_configuration enable row level security;
revoke all on public.system_configuration from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.system_configuration to service_role;

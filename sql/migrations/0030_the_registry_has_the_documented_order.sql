-- Programs insert the first eleven columns by position. Columns that stand too early are made anew at the end; a data type is a
-- row that an operator wrote, so the table has tens of rows.
--
-- Without NOT NULL at first: Postgres 18 names that constraint after the column, and the name is free once the old column is gone.
drop trigger if exists what_a_row_names_exists on public.data_type_registry;
drop trigger if exists a_data_type_is_a_kind_and_published on public.data_type_registry;
alter table public.data_type_registry rename column symbol_column to old_symbol_column;
alter table public.data_type_registry rename column source_timestamp_column to old_source_timestamp_column;
alter table public.data_type_registry rename column provider to old_provider;
alter table public.data_type_registry rename column endpoint_template to old_endpoint_template;
alter table public.data_type_registry rename column response_schema to old_response_schema;
alter table public.data_type_registry rename column column_map to old_column_map;
alter table public.data_type_registry rename column is_enabled to old_is_enabled;
alter table public.data_type_registry rename column created_at to old_created_at;
alter table public.data_type_registry rename column updated_at to old_updated_at;
alter table public.data_type_registry
  add column symbol_column text default 'symbol',
  add column source_timestamp_column text,
  add column provider text default 'fmp',
  add column endpoint_template text,
  add column response_schema jsonb,
  add column column_map jsonb,
  add column is_enabled boolean default true,
  add column created_at timestamptz default now(),
  add column updated_at timestamptz default now();
update public.data_type_registry set
  symbol_column = old_symbol_column, source_timestamp_column = old_source_timestamp_column, provider = old_provider,
  endpoint_template = old_endpoint_template, response_schema = old_response_schema, column_map = old_column_map,
  is_enabled = old_is_enabled, created_at = old_created_at, updated_at = old_updated_at;
-- The checks on these columns go with them.
alter table public.data_type_registry
  drop column old_symbol_column,
  drop column old_source_timestamp_column,
  drop column old_provider,
  drop column old_endpoint_template,
  drop column old_response_schema,
  drop column old_column_map,
  drop column old_is_enabled,
  drop column old_created_at,
  drop column old_updated_at;
alter table public.data_type_registry
  alter column symbol_column set not null,
  alter column provider set not null,
  alter column is_enabled set not null,
  alter column created_at set not null,
  alter column updated_at set not null,
  add constraint provider_is_a_short_word check (provider ~ '^[a-z][a-z0-9_]{0,30}$'),
  add constraint endpoint_schema_and_map_come_together check (
    num_nonnulls(endpoint_template, response_schema, column_map) in (0, 3)),
  add constraint endpoint_is_a_path_on_its_provider check (
    endpoint_template ~ '^/[A-Za-z0-9]' and endpoint_template !~ '[[:space:][:cntrl:]\\@#]|//|\.\./|/\.\.'
    and length(endpoint_template) <= 500 and replace(endpoint_template, '{symbol}', '') !~ '[{}]'),
  add constraint response_schema_is_an_object check (jsonb_typeof(response_schema) = 'object'),
  add constraint column_map_is_an_object check (jsonb_typeof(column_map) = 'object');

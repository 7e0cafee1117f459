-- The table moves out of sight. Its documented name is a view with the documented columns.
drop policy history_is_its_users on public.export_history;
alter table public.export_history disable row level security;
revoke all on public.export_history from anon, authenticated, service_role;
alter table public.export_history set schema mill;

alter table mill.export add column result_url text, add column result_size int, add column result_pages int;

alter table mill.export_file
  drop constraint file_state_is_known,
  add constraint file_state_is_known check (state in ('writing', 'stored', 'removing', 'deleted'));

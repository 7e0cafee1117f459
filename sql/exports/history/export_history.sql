-- What can be downloaded, under its compatible name and with its compatible columns. A user reads and deletes own rows; only the service inserts.
-- file_path is the key in the bucket exports; files of Gristmill 0.1 lie in the bucket gristmill.
create or replace view public.export_history with (security_barrier) as
select h.id, h.user_id, h.document_id, h.version as document_version, h.format, h.template as template_slug, h.file_name,
  substr(h.file_path, strpos(h.file_path, ':') + 1) as file_path, h.file_size::int as file_size, h.download_count, h.expires_at, h.created_at,
  h.page_count
from mill.export_history h
where h.user_id = auth.uid() or public.is_service_role();

comment on view public.export_history is 'What can be downloaded. A row goes with its file; document_id is null once the document is gone.';
revoke all on public.export_history from public, anon, authenticated, service_role;
grant select, delete on public.export_history to authenticated;
grant select, insert, delete on public.export_history to service_role;

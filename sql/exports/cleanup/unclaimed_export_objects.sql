-- What a compat worker stored and never completed a job with. Only files that were stored for an export of ours: the bucket may have been there before us,
-- with files that are not ours to remove.
create or replace function mill.unclaimed_export_objects(p_before timestamptz, p_max int) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(u.object), '{}') from (
    select o.object from (
      select s.object, s.stored_at, substr(s.object, 9, 36)::uuid as owner, substr(s.object, 46, 36)::uuid as document
      from mill.stored_objects('exports') s
      where s.object ~ '^exports:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_[^/]+$') o
    where o.stored_at < p_before
      and not exists (select from mill.export_file f where f.path = o.object)
      and exists (
        select from mill.export e
        where e.owner = o.owner and e.document_id = o.document and e.created_at <= o.stored_at)
      and not exists (
        select from mill.export e join mill.job_live j on j.id = e.id and j.state = 'processing'
        where e.owner = o.owner and e.document_id = o.document)
    order by o.stored_at limit p_max) u
$$;

comment on function mill.unclaimed_export_objects(timestamptz, int) is 'Objects in the bucket exports that were stored for an export and belong to none.';
revoke execute on function mill.unclaimed_export_objects(timestamptz, int) from public;

-- Under the owner's lock the sum is exact.
create or replace function mill.check_export_storage(p_owner uuid, p_more bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit bigint := mill.setting('exports.storage_limit_bytes', '104857600')::bigint;
  v_used bigint := mill.export_storage_used(p_owner);
begin
  if v_used + p_more > v_limit then
    raise exception 'your exports use % of % bytes: delete some with DELETE /v1/exports/{id}/file, or wait until they expire', v_used, v_limit
      using errcode = 'GM051', detail = jsonb_build_object('used', v_used, 'limit', v_limit);
  end if;
end
$$;

comment on function mill.check_export_storage(uuid, bigint) is 'GM051 with used and limit when so many more bytes do not fit.';
revoke execute on function mill.check_export_storage(uuid, bigint) from public;

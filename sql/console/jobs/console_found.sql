-- One job from wherever it lies, with all its columns, or null.
create or replace function mill.console_found(p_id uuid) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
begin
  return coalesce(
    (select to_jsonb(j) from mill.job_live j where j.id = p_id),
    (select to_jsonb(j) from mill.job_dead j where j.id = p_id),
    (select to_jsonb(j) from mill.job_done j where j.id = p_id limit 1),
    (select to_jsonb(p) - 'pack' || jsonb_build_object('parent', null, 'group_key', null, 'dedupe_key', null, 'lease_losses', 0, 'cancel_requested', false, 'turn', null, 'error_log', null)
     from mill.packed_job p where p.pack = mill.pack_of(p_id) and p.id = p_id));
end
$$;

comment on function mill.console_found(uuid) is 'A job with all its columns, wherever it lies, or null.';
revoke execute on function mill.console_found(uuid) from public;

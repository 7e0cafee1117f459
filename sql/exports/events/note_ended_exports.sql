-- Exports that the engine ended by itself (attempts used up, worker lost, cancelled while running) are noted when
-- somebody looks, or by cleanup: the engine's hot paths know nothing of exports. The caller holds the owner's lock.
create or replace function mill.note_ended_exports(p_ids uuid[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ended record;
  v_count int := 0;
begin
  for v_ended in
    select e.id, j.state, case when j.state = 'failed' then mill.export_message(j.error) end as message
    from mill.export e
    join mill.job j on j.id = e.id and j.state in ('failed', 'cancelled')
    where e.id = any (p_ids) and e.ended is distinct from j.state
      and not exists (select from mill.job_live l where l.id = e.id)
    order by e.id
  loop
    update mill.export e set ended = v_ended.state, message = v_ended.message where e.id = v_ended.id;
    perform mill.note_export(v_ended.id, v_ended.state, jsonb_strip_nulls(jsonb_build_object('message', v_ended.message)));
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

comment on function mill.note_ended_exports(uuid[]) is 'Notes how exports ended that the engine ended by itself; says how many.';
revoke execute on function mill.note_ended_exports(uuid[]) from public;

-- An operator's last word on dead letters. What is left of them is what the hooks write, such as a line in the audit log, and an event with a count. Lock order: by id.
create or replace function mill.discard(p_ids uuid[]) returns table (id uuid, status text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_dead uuid[] := array(select j.id from mill.job_dead j where j.id = any (p_ids) order by j.id for update);
  v_gone uuid[];
begin
  perform mill.call_acted_hooks(v_dead, 'discard', null);
  with gone as (
    delete from mill.job_dead j where j.id = any (v_dead) returning j.id, j.queue, j.kind
  ),
  noted as (
    insert into mill.event (at, code, detail)
    select mill.now(), 'dead_letters_discarded', jsonb_build_object('queue', g.queue, 'kind', g.kind, 'count', count(*))
    from gone g group by g.queue, g.kind
  )
  select coalesce(array_agg(g.id), '{}') into v_gone from gone g;
  perform mill.forget_logs(v_gone);
  perform mill.forget_steps(v_gone);
  return query
  select distinct a.id, case when a.id = any (v_gone) then 'discarded' else 'not_dead' end from unnest(p_ids) as a(id);
end
$$;

comment on function mill.discard(uuid[]) is 'Deletes dead letters for good: discarded or not_dead for each.';
revoke execute on function mill.discard(uuid[]) from public;

-- Takes what one transaction has settled. Jobs are locked here, all at once and by id, after every row of the engine.
create or replace function mill.advance_ended(p_xid xid8) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_ids uuid[];
  v_states text[];
  v_outputs jsonb[];
  v_errors jsonb[];
  v_parents uuid[];
  v_at timestamptz;
  v_has_artifacts boolean;
  v_job record;
begin
  with taken as (delete from mill.task_ended e where e.xid = p_xid returning e.*)
  select array_agg(u.id), array_agg(u.state), array_agg(u.output), array_agg(u.error), array_agg(distinct u.parent),
    max(t.at), bool_or(u.output ? 'artifacts')
  into v_ids, v_states, v_outputs, v_errors, v_parents, v_at, v_has_artifacts
  from taken t cross join lateral unnest(t.ids, t.parents, t.states, t.outputs, t.errors) as u(id, parent, state, output, error);
  if v_ids is null then
    return;
  end if;

  perform from public.jobs j where j.id = any (v_parents) order by j.id for update;
  for v_job in select * from mill.record_ended(v_ids, v_states, v_outputs, v_errors, v_at) loop
    if v_has_artifacts then
      perform mill.keep_artifacts(v_job.ended);
    end if;
    perform mill.advance_job(v_job.job_id, v_job.ended, v_job.failed, v_job.is_step_done);
  end loop;
end
$$;

comment on function mill.advance_ended(xid8) is 'Advances the workflows whose tasks a transaction has ended.';
revoke execute on function mill.advance_ended(xid8) from public;

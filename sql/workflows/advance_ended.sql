-- Takes what one transaction has settled. Jobs are locked here, all at once and by id, after every row of the engine.
create or replace function mill.advance_ended(p_xid xid8) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_told mill.task_ended[];
  v_has_artifacts boolean;
  v_job record;
begin
  with taken as (delete from mill.task_ended e where e.xid = p_xid returning e)
  select array_agg(t.e) into v_told from taken t;
  if v_told is null then
    return;
  end if;
  v_has_artifacts := exists (select from unnest(v_told) t cross join lateral unnest(t.outputs) as o(output) where o.output ? 'artifacts');

  perform from public.jobs j where j.id in (select unnest(t.parents) from unnest(v_told) t) order by j.id for update;
  for v_job in
    select r.job_id, array_agg(u.id) as ended, coalesce(array_agg(u.id) filter (where t.state <> 'completed'), '{}') as failed,
      bool_or(r.is_step_done) as is_step_done
    from unnest(v_told) t cross join lateral mill.record_ended(t) r cross join lateral unnest(r.ids) as u(id)
    group by r.job_id order by r.job_id
  loop
    if v_has_artifacts then
      perform mill.keep_artifacts(v_job.ended);
    end if;
    perform mill.advance_job(v_job.job_id, v_job.ended, v_job.failed, v_job.is_step_done);
  end loop;
end
$$;

comment on function mill.advance_ended(xid8) is 'Advances the workflows whose tasks a transaction has ended.';
revoke execute on function mill.advance_ended(xid8) from public;

-- An operator who sends dead letters back lets their workflows go on. For mill.retry alone, which holds them.
create or replace function mill.resume_revived(p_ids uuid[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_job record;
begin
  for v_job in
    select t.job_id, array_agg(t.id) as ids from mill.task t where t.id = any (p_ids) group by t.job_id order by t.job_id
  loop
    perform mill.resume_workflow(v_job.job_id, v_job.ids);
  end loop;
end
$$;

comment on function mill.resume_revived(uuid[]) is 'Resumes the jobs of tasks whose dead letters were sent back.';
revoke execute on function mill.resume_revived(uuid[]) from public;

create or replace function mill.resume_acted(p_acted jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_acted ->> 'action' = 'retry' then
    perform mill.resume_revived(array(select j::uuid from jsonb_array_elements_text(p_acted -> 'jobs') j));
  end if;
end
$$;

comment on function mill.resume_acted(jsonb) is 'Hook of acted: dead letters that were sent back resume their workflows.';
revoke execute on function mill.resume_acted(jsonb) from public;

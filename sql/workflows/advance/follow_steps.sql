-- Closes steps whose items have all ended and opens those that waited for them. A step that goes along another
-- opens as soon as that one has its items; it then follows item by item.
create or replace function mill.follow_steps(
  p_job mill.workflow, out ready uuid[], out skipped uuid[], out failed uuid[], out moved boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_step mill.workflow_step;
  v_opened record;
begin
  ready := '{}';
  skipped := '{}';
  failed := '{}';
  update mill.step s set state = case when s.completed = s.total then 'completed' else 'partial' end
  where s.job_id = p_job.id and s.state = 'open' and s.completed + s.failed + s.skipped = s.total;
  moved := found;

  for v_step in
    select w.*
    from mill.workflow_step w
    join mill.step s on s.job_id = p_job.id and s.key = w.key and s.state = 'waiting'
    where w.type = p_job.type and w.version = p_job.version and not w.is_compensation
      and not exists (
        select from mill.step n where n.job_id = p_job.id and n.key = any (w.needs) and n.state in ('waiting', 'open'))
      and (w.each_of is null or exists (
        select from mill.step e where e.job_id = p_job.id and e.key = w.each_of and (e.state = 'skipped' or e.total is not null)))
    order by w.position
  loop
    v_opened := mill.open_step(p_job, v_step);
    ready := ready || v_opened.ready;
    skipped := skipped || v_opened.skipped;
    failed := failed || v_opened.failed;
    moved := true;
  end loop;
end
$$;

comment on function mill.follow_steps(mill.workflow) is 'What became possible because steps have ended.';
revoke execute on function mill.follow_steps(mill.workflow) from public;

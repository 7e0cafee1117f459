-- Inserted tasks wait for those of a lower sequence whose output they need: mill.task_need says which kinds. A PDF at place 5 waits for the
-- text at place 4, and not for the one at place 7. Where several have the nearest place, it waits for them all.
--
-- Asked after each completion, so each waiting task costs a few looks into the index (job_id, kind, sequence) and no more.
create or replace function mill.due_in_sequence(p_job_id uuid) returns uuid[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_first int := (
    select min(i.sequence) from mill.task_sequence i join mill.task t on t.id = i.id where i.job_id = p_job_id and t.state <> 'completed');
begin
  return (
    select coalesce(array_agg(t.id order by i.sequence, t.id), '{}')
    from mill.task t join mill.task_sequence i on i.id = t.id
    where t.job_id = p_job_id and t.state = 'waiting' and not exists (
      select from mill.task_need n
      where n.kind = i.kind and case
        when n.needs is null then v_first < i.sequence
        else exists (
          select from mill.task_sequence b join mill.task bt on bt.id = b.id
          where b.job_id = p_job_id and b.kind = n.needs and b.sequence < i.sequence and bt.state <> 'completed'
            and b.sequence >= case n.reach when 'all' then b.sequence else (
              select m.sequence from mill.task_sequence m
              where m.job_id = p_job_id and m.kind = n.needs and m.sequence < i.sequence order by m.sequence desc limit 1) end)
        end));
end
$$;

comment on function mill.due_in_sequence(uuid) is 'The inserted tasks of a job that wait for nothing any more, in their order.';
revoke execute on function mill.due_in_sequence(uuid) from public;

-- Inserted tasks wait for those of a lower sequence whose output they need: mill.task_need says which kinds. A PDF at place 5 waits for the
-- text at place 4, and not for the one at place 7. Where several have the nearest place, it waits for them all.
create or replace function mill.due_in_sequence(p_job_id uuid) returns uuid[]
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
  select coalesce(array_agg(t.id order by i.sequence, t.id), '{}')
  from mill.task t join mill.task_sequence i on i.id = t.id
  where t.job_id = p_job_id and t.state = 'waiting' and not exists (
    select from mill.task_need n
    cross join lateral (
      select max(m.sequence) as place from mill.task_sequence m
      where m.job_id = p_job_id and (n.needs is null or m.kind = n.needs) and m.sequence < i.sequence) nearest
    join mill.task_sequence b on b.job_id = p_job_id and (n.needs is null or b.kind = n.needs)
      and case n.reach when 'nearest' then b.sequence = nearest.place else b.sequence < i.sequence end
    join mill.task bt on bt.id = b.id and bt.state <> 'completed'
    where n.kind = i.kind)
$$;

comment on function mill.due_in_sequence(uuid) is 'The inserted tasks of a job that wait for nothing any more, in their order.';
revoke execute on function mill.due_in_sequence(uuid) from public;

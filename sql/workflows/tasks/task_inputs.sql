-- Fills in the template of a step for some of its tasks. What is the same for all of them is filled in once: ten
-- thousand items pay for their own references only.
create or replace function mill.task_inputs(p_job mill.workflow, p_step mill.workflow_step, p_ids uuid[])
returns table (id uuid, input jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
declare
  v_own text[] := array['item', 'index', 'task'] || array(
    select s.key from mill.workflow_step s
    where s.type = p_job.type and s.version = p_job.version and s.family = p_step.family);
  v_texts text[];
  v_roots text[];
  v_paths text[];
  v_wholes boolean[];
begin
  select array_agg(case when p.root = any (v_own) then null else coalesce(p.text, mill.piece_text((
      case p.root
        when 'params' then p_job.params
        when 'job' then jsonb_build_object('id', p_job.id, 'user', p_job.user_id, 'type', p_job.type)
        when 'failure' then p_job.error
        else mill.step_output(p_job, p.root)
      end) #> p.path, p.whole)) end order by p.n),
    array_agg(p.root order by p.n), array_agg(p.path::text order by p.n), array_agg(p.whole order by p.n)
  into v_texts, v_roots, v_paths, v_wholes
  from (
    select e.n, e.piece ->> 'text' as text, e.piece ->> 'root' as root, (e.piece ->> 'whole')::boolean as whole,
      array(select jsonb_array_elements_text(e.piece -> 'path')) as path
    from jsonb_array_elements(p_step.pieces) with ordinality as e(piece, n)) p;

  if array_position(v_texts, null) is null then
    return query select a.id, array_to_string(v_texts, '')::jsonb from unnest(p_ids) as a(id);
    return;
  end if;
  -- One expression for all of them, its pieces quoted: a subquery over the pieces for each task took five times as long.
  return query execute format('select t.id, (%s)::jsonb from mill.task t where t.id = any ($1)', (
    select string_agg(coalesce(quote_literal(p.text), format('mill.piece_text((%s) #> %L, %L)',
      case p.root
        when 'item' then 't.value'
        when 'index' then 'to_jsonb(t.item)'
        when 'task' then 'jsonb_build_object(''id'', t.id, ''key'', t.key, ''item'', t.item)'
        else format('select a.output from mill.task a where a.job_id = t.job_id and a.key = %L and a.item = t.item', p.root)
      end, p.path, p.whole)), ' || ' order by p.n)
    from unnest(v_texts, v_roots, v_paths, v_wholes) with ordinality as p(text, root, path, whole, n)))
  using p_ids;
end
$$;

comment on function mill.task_inputs(mill.workflow, mill.workflow_step, uuid[]) is 'The inputs of tasks that are about to start.';
revoke execute on function mill.task_inputs(mill.workflow, mill.workflow_step, uuid[]) from public;

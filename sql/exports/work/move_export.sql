-- Every word of a worker about an export goes through here: it counts only while that worker holds that attempt, and
-- nobody has asked to cancel it. Answers the owner, whose lock is then held, or null.
--
-- Progress never falls: a second attempt begins at 25 again, and a listener would see its bar jump back from 90.
create or replace function mill.move_export(p_holder mill.holder, p_progress int, p_message text) returns uuid
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  v_owner uuid := (select e.owner from mill.export e where e.id = p_holder.job);
  v_progress int;
begin
  perform mill.lock_exports(v_owner);
  if (mill.held_job(p_holder)).id is null then
    return null;
  end if;
  if p_holder.attempt > 1 then
    perform mill.note_retried_exports(array[p_holder.job]);
  end if;
  update mill.job_live j set progress = greatest(j.progress, p_progress) where j.id = p_holder.job returning j.progress into v_progress;
  perform mill.note_export(p_holder.job, 'progress',
    jsonb_build_object('progress', v_progress, 'message', p_message, 'attempt', p_holder.attempt));
  return v_owner;
end
$$;

comment on function mill.move_export(mill.holder, int, text) is 'Raises the progress of an export that a worker still holds; its owner, or null when it does not.';
revoke execute on function mill.move_export(mill.holder, int, text) from public;

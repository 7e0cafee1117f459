-- Every word of a worker about an export goes through here: it counts only while that worker holds that attempt, and
-- nobody has asked to cancel it. Answers the owner, whose lock is then held, or null.
create or replace function mill.move_export(p_worker text, p_id uuid, p_attempt int, p_progress int, p_message text) returns uuid
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
as $$
declare
  v_owner uuid := (select e.owner from mill.export e where e.id = p_id);
begin
  perform mill.lock_exports(v_owner);
  update mill.job_live j set progress = p_progress
  where j.id = p_id and j.attempt = p_attempt and j.worker = p_worker and j.state = 'processing' and not j.cancel_requested;
  if not found then
    return null;
  end if;
  perform mill.note_export(p_id, 'progress', jsonb_build_object('progress', p_progress, 'message', p_message, 'attempt', p_attempt));
  return v_owner;
end
$$;

comment on function mill.move_export(text, uuid, int, int, text) is 'Sets the progress of an export that a worker still holds; its owner, or null when it does not.';
revoke execute on function mill.move_export(text, uuid, int, int, text) from public;

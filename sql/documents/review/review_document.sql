-- Ends the review of a document: who looked at it, when, and what came of it. p_file is locked. p_reason: of the audit log, where
-- the console has not given it one. Saying the same decision again changes nothing.
create or replace function mill.end_review(p_file public.shell_files, p_decision text, p_note text, p_reason text) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_review jsonb;
begin
  if coalesce(p_decision, '') not in ('confirmed', 'unusable') then
    raise exception 'a review ends as confirmed or unusable' using errcode = '22023', hint = 'confirmed: what was read is right. unusable: it must not be relied on.';
  end if;
  if length(p_note) > 2000 then
    raise exception 'the note of a review has at most 2000 characters' using errcode = '22023';
  end if;
  if p_file.status = 'completed' and p_file.review ->> 'decision' = p_decision then
    return p_file.review;
  end if;
  if p_file.status <> 'needs_review' then
    raise exception 'a document that is % does not wait for a review', p_file.status using errcode = 'GM048';
  end if;
  v_review := jsonb_build_object('decision', p_decision, 'note', nullif(btrim(p_note), ''), 'by', auth.uid(), 'at', mill.now());
  update public.shell_files f set status = 'completed', review = v_review, updated_at = mill.now(), version = f.version + 1
  where f.id = p_file.id;
  -- The note may tell what stands in the document: it stays with the document.
  perform mill.audit('shell_files', p_file.id::text, 'UPDATE', jsonb_build_object('status', p_file.status), jsonb_build_object('status', 'completed', 'decision', p_decision),
    p_reason, 'documents', p_file.patient_id);
  return v_review;
end
$$;
comment on function mill.end_review(public.shell_files, text, text, text) is 'Notes how a person has ended a review and completes the document: {decision, note, by, at}.';
revoke execute on function mill.end_review(public.shell_files, text, text, text) from public;

-- Whoever was let into a profile reads and adds; that what was read is right, only its owner says, or an operator in the console.
create or replace function public.review_document(p_id uuid, p_decision text, p_note text default null) returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform mill.refuse_in_maintenance();
  return mill.end_review(mill.require_document(p_id, true), p_decision, p_note, 'reviewed on request');
end
$$;
comment on function public.review_document(uuid, text, text) is
  'Ends the review of a document as confirmed or unusable, and completes it: {decision, note, by, at}. For the owner of its profile.';
revoke execute on function public.review_document(uuid, text, text) from public, anon;
grant execute on function public.review_document(uuid, text, text) to authenticated, service_role;

-- Jobs stand in the lines of their queue, which go with it: whoever made the queue anew would never see them again.
create or replace function mill.refuse_to_drop_jobs() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from mill.line l join mill.job_live j on j.line = l.line where l.queue = old.queue)
    or exists (select from mill.pack p where p.queue = old.queue)
  then
    raise exception 'queue "%" has jobs', old.queue using errcode = 'foreign_key_violation',
      hint = 'Let its workers finish them, or cancel them: select mill.cancel(array(select id from mill.job_live where queue = ''…'' union all select id from mill.packed_job where queue = ''…''))';
  end if;
  return old;
end
$$;

comment on function mill.refuse_to_drop_jobs() is 'A queue with live jobs cannot be deleted.';
revoke execute on function mill.refuse_to_drop_jobs() from public, anon, authenticated;

drop trigger if exists refuse_to_drop_jobs on mill.queue;
create trigger refuse_to_drop_jobs before delete on mill.queue
for each row execute function mill.refuse_to_drop_jobs();

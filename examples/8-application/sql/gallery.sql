-- The gallery: an application on the engine. It has a table of its own, starts jobs in its own transactions, and ends them together with its rows.
-- Run it once, as the owner of the database: psql "$DATABASE_URL" -f sql/gallery.sql
begin;
create schema if not exists gallery;

create table if not exists gallery.thumbnail (
  picture uuid primary key,
  state text not null default 'wanted' constraint state_is_known check (state in ('wanted', 'made', 'failed')),
  path text unique, -- null until the thumbnail is made
  problem text,
  constraint a_thumbnail_that_is_made_has_a_path check ((state = 'made') = (path is not null))
);

-- The row and its job are one transaction: after a crash both are there, or neither is.
create or replace function public.request_thumbnail(p_picture uuid) returns uuid
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into gallery.thumbnail (picture) values (p_picture) on conflict (picture) do nothing;
  return (
    select e.id from mill.enqueue(jsonb_build_array(jsonb_build_object(
      'kind', 'thumbnail', 'payload', jsonb_build_object('picture', p_picture), 'dedupe_key', p_picture))) e);
end
$$;
revoke execute on function public.request_thumbnail(uuid) from public, anon, authenticated;
grant execute on function public.request_thumbnail(uuid) to service_role;

-- The end of the job and the row that it is about are one transaction. The first three arguments are the fencing token. A worker that comes
-- late gets false and changes nothing; one that repeats a call whose answer was lost gets true and changes nothing.
create or replace function public.finish_thumbnail(p_job uuid, p_worker text, p_attempt int, p_path text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_job mill.job_live := mill.held_job(v_holder);
begin
  if v_job.id is null then
    return mill.is_completed_by(v_holder);
  end if;
  update gallery.thumbnail t set state = 'made', path = p_path, problem = null where t.picture = (v_job.payload ->> 'picture')::uuid;
  return mill.settle_held(v_holder, jsonb_build_object('outcome', 'completed', 'result', jsonb_build_object('path', p_path)));
end
$$;
revoke execute on function public.finish_thumbnail(uuid, text, int, text) from public, anon, authenticated;
grant execute on function public.finish_thumbnail(uuid, text, int, text) to service_role;

-- A job also ends without its worker: its attempts are used up, or an operator acts. The engine calls this in that transaction.
create or replace function mill.note_thumbnails(p_acted jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  update gallery.thumbnail t set
    state = case p_acted ->> 'action' when 'dead' then 'failed' else 'wanted' end,
    problem = case p_acted ->> 'action' when 'dead' then j.error ->> 'message' end
  from mill.job j
  where j.id = any (array(select id::uuid from jsonb_array_elements_text(p_acted -> 'jobs') id))
    and j.kind = 'thumbnail' and t.picture = (j.payload ->> 'picture')::uuid
    and p_acted ->> 'action' in ('dead', 'retry') and t.state <> 'made';
end
$$;
revoke execute on function mill.note_thumbnails(jsonb) from public;
insert into mill.hook (event, routine) values ('acted', 'mill.note_thumbnails') on conflict do nothing;
commit;

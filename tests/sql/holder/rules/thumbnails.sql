-- The worked example of docs/how-an-application-is-built.md: an application that makes small pictures of large ones.
create table mill.thumbnail (
  picture uuid primary key,
  path text unique, -- null until the thumbnail is made
  asked_at timestamptz not null
);

insert into mill.queue (queue, description, lease_seconds, max_attempts) values ('thumbnails', 'Small pictures of large ones', 60, 3);
insert into mill.kind (kind, queue, description) values ('thumbnail', 'thumbnails', 'One picture to its thumbnail');

-- The row and the job are one transaction: no row without a job, no job without its row.
create function public.request_thumbnail(p_picture uuid) returns uuid
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into mill.thumbnail (picture, asked_at) values (p_picture, mill.now());
  return (
    select e.id from mill.enqueue(jsonb_build_array(jsonb_build_object(
      'kind', 'thumbnail', 'payload', jsonb_build_object('picture', p_picture), 'dedupe_key', p_picture))) e);
end
$$;
revoke execute on function public.request_thumbnail(uuid) from public, anon, authenticated;
grant execute on function public.request_thumbnail(uuid) to service_role;

-- The worker stores the object at p_path, and then calls this. The row and the end of the job are one transaction.
create function public.finish_thumbnail(p_job uuid, p_worker text, p_attempt int, p_path text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_holder mill.holder := (p_job, p_worker, p_attempt);
  v_job mill.job_live := mill.held_job(v_holder);
begin
  if v_job.id is null then
    return mill.is_completed_by(v_holder); -- true: this call repeats one whose answer was lost
  end if;
  update mill.thumbnail t set path = p_path where t.picture = (v_job.payload ->> 'picture')::uuid;
  return mill.settle_held(v_holder, jsonb_build_object('outcome', 'completed', 'result', jsonb_build_object('path', p_path)));
end
$$;
revoke execute on function public.finish_thumbnail(uuid, text, int, text) from public, anon, authenticated;
grant execute on function public.finish_thumbnail(uuid, text, int, text) to service_role;

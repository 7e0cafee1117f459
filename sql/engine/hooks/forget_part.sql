-- What belongs to a part in the engine's tables, for `gristmill migrate --without`.

create or replace function mill.kinds_of_part(p_part text) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select coalesce(array_agg(k.kind), '{}') from mill.kind k where k.part = p_part $$;

comment on function mill.kinds_of_part(text) is 'The kinds of jobs that a part has registered.';
revoke execute on function mill.kinds_of_part(text) from public;

-- A part whose jobs are of kinds that belong to others names them by a function of its own, mill.jobs_of_PART() returns setof uuid.
create or replace function mill.jobs_of_part(p_part text) returns uuid[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_routine text := format('mill.jobs_of_%s', replace(p_part, '/', '_'));
  v_more uuid[] := array[]::uuid[];
begin
  if to_regproc(v_routine) is not null then
    execute format('select array(select %s())', v_routine) into v_more;
  end if;
  return array(
    select j.id from mill.job_live j where j.kind = any (mill.kinds_of_part(p_part))
    union
    select j.id from mill.job_live j where j.id = any (v_more));
end
$$;

comment on function mill.jobs_of_part(text) is 'The live jobs of a part, but for those that wait packed.';
revoke execute on function mill.jobs_of_part(text) from public;

create or replace function mill.live_jobs_of_part(p_part text) returns table (queue text, jobs bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select c.queue, sum(c.jobs)::bigint
  from (
    select j.queue, 1 as jobs from mill.job_live j where j.id = any (mill.jobs_of_part(p_part))
    union all
    select p.queue, p.jobs from mill.pack p where p.kind = any (mill.kinds_of_part(p_part))) c
  group by c.queue order by c.queue
$$;

comment on function mill.live_jobs_of_part(text) is 'How many live jobs of a part each queue has: what removing the part cancels.';
revoke execute on function mill.live_jobs_of_part(text) from public;

-- Takes back the rows that a part has registered, and ends its live jobs as cancelled. Ended jobs stay as they are. Hooks go first, so that
-- the part is not told about its own end. Tables of the part itself are dropped by the caller.
--
-- A registry table is one whose column part has the default that reads the setting mill.part. Rows of an operator have null there and stay;
-- where such a row needs one that goes, nothing is removed.
create or replace function mill.forget_part(p_part text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_remove text := format('mill.remove_%s', replace(p_part, '/', '_'));
  v_foreign text;
  v_jobs uuid[];
  v_table regclass;
begin
  select string_agg(format('%s in queue %s', k.kind, k.queue), ', ' order by k.kind) into v_foreign
  from mill.kind k join mill.queue q on q.queue = k.queue where q.part = p_part and k.part is distinct from p_part;
  if v_foreign is not null then
    raise exception 'kinds of jobs that are not of % use its queues: %', p_part, v_foreign using errcode = 'foreign_key_violation',
      hint = 'Give them another queue: update mill.kind set queue = ''default'' where kind = ''…''';
  end if;

  delete from mill.hook h where h.part = p_part;
  perform mill.unpack(array(select p.ctid from mill.pack p where p.kind = any (mill.kinds_of_part(p_part)) for update));
  v_jobs := array(select j.id from mill.job_live j where j.id = any (mill.jobs_of_part(p_part)) order by j.id for update);
  perform mill.end_jobs(v_jobs, 'cancelled', mill.now());
  perform mill.call_acted_hooks(v_jobs, 'cancel', format('%s was removed', p_part));
  if mill.hook_of('ended') is null then
    delete from mill.ended;
  end if;
  -- A part that has put something outside of our schemas takes it back itself.
  if to_regproc(v_remove) is not null then
    execute format('select %s()', v_remove);
  end if;

  if to_regclass('cron.job') is not null then
    execute $q$ select cron.unschedule(j.jobname) from cron.job j
      where j.jobname in (select s.name from mill.schedule s where s.part = $1) $q$ using p_part;
  end if;
  -- A row may be needed by one of a table that comes later, so what fails is tried again after the others.
  for v_pass in 1 .. 3 loop
    for v_table in
      select d.adrelid::regclass from pg_attrdef d
      join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attname = 'part'
      join pg_class c on c.oid = d.adrelid and c.relnamespace = 'mill'::regnamespace
      where pg_get_expr(d.adbin, d.adrelid) like '%mill.part%'
      order by c.relname
    loop
      begin
        execute format('delete from %s where part = $1', v_table) using p_part;
      exception when foreign_key_violation then
        if v_pass = 3 then
          raise;
        end if;
      end;
    end loop;
  end loop;
end
$$;

comment on function mill.forget_part(text) is 'Deletes the rows that a part has registered and cancels its live jobs. For gristmill migrate --without.';
revoke execute on function mill.forget_part(text) from public;

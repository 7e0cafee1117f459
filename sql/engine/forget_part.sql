-- For `gristmill migrate --without`: takes back the rows that a part has registered, and ends the live jobs of its queues and kinds as
-- cancelled. Ended jobs stay as they are. Hooks go first, so that the part is not told about its own end. Tables of the part itself are
-- dropped by the caller.
--
-- A registry table is one whose column part has the default that reads the setting mill.part.
create or replace function mill.forget_part(p_part text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_kinds text[];
  v_jobs uuid[];
  v_table regclass;
  v_remove text := format('mill.remove_%s', replace(p_part, '/', '_'));
begin
  -- A part that has put something outside of our schemas takes it back itself.
  if to_regproc(v_remove) is not null then
    execute format('select %s()', v_remove);
  end if;
  delete from mill.hook h where h.part = p_part;

  v_kinds := array(
    select k.kind from mill.kind k
    where k.part = p_part or k.queue in (select q.queue from mill.queue q where q.part = p_part));
  perform mill.unpack(array(select p.ctid from mill.pack p where p.kind = any (v_kinds) for update));
  v_jobs := array(select j.id from mill.job_live j where j.kind = any (v_kinds) order by j.id for update);
  perform mill.end_jobs(v_jobs, 'cancelled', mill.now());
  perform mill.tell_acted(v_jobs, 'cancel', format('%s was removed', p_part));
  if mill.hook_of('ended') is null then
    delete from mill.ended;
  end if;

  if to_regclass('cron.job') is not null then
    execute $q$ select cron.unschedule(j.jobname) from cron.job j
      where j.jobname in (select s.name from mill.schedule s where s.part = $1) $q$ using p_part;
  end if;
  delete from mill.kind k where k.kind = any (v_kinds);
  for v_table in
    select d.adrelid::regclass from pg_attrdef d
    join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum and a.attname = 'part'
    join pg_class c on c.oid = d.adrelid and c.relnamespace = 'mill'::regnamespace
    where pg_get_expr(d.adbin, d.adrelid) like '%mill.part%'
    order by c.relname = 'queue', c.relname
  loop
    execute format('delete from %s where part = $1', v_table) using p_part;
  end loop;
end
$$;

comment on function mill.forget_part(text) is 'Deletes the rows that a part has registered and cancels its live jobs. For gristmill migrate --without.';
revoke execute on function mill.forget_part(text) from public;

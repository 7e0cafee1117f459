-- Schema cron, as the extension pg_cron (1.6) has it, for a Postgres without that extension.
--
-- cron.schedule writes a row of cron.job; `gristmill relay` reads the rows, decides in GMT when each is
-- due, runs its command as its user in its database, and keeps one row of cron.job_run_details a run:
-- starting -> running -> succeeded or failed.
--
-- pg_cron's functions are C and check ownership themselves. Here row-level security and grants on columns
-- do: the functions run with the caller's rights, who sees and changes only rows of his own name, and
-- cannot set the database or the user of a job unless granted more. As with pg_cron nobody but the
-- owner may use the schema until told so: grant usage on schema cron to someone.
--
-- The file is applied at every start of the relay: tables only if missing, functions replaced.
-- Parameter names and overloads are pg_cron's, because callers use them.

create schema if not exists cron;
comment on schema cron is 'The surface of pg_cron, served by gristmill relay';

create sequence if not exists cron.jobid_seq;
create sequence if not exists cron.runid_seq;

create table if not exists cron.job (
  jobid bigint primary key default pg_catalog.nextval('cron.jobid_seq'),
  schedule text not null,
  command text not null,
  nodename text not null default 'localhost',
  nodeport integer not null default coalesce(pg_catalog.inet_server_port(), 5432),
  database text not null default pg_catalog.current_database(),
  username text not null default current_user,
  active boolean not null default true,
  jobname text,
  constraint jobname_username_uniq unique (jobname, username)
);

create table if not exists cron.job_run_details (
  jobid bigint,
  runid bigint primary key default pg_catalog.nextval('cron.runid_seq'),
  job_pid integer,
  database text,
  username text,
  command text,
  status text,
  return_message text,
  start_time timestamptz,
  end_time timestamptz
);

-- A number of one field of a schedule, written in digits or as a name; null when it is neither.
create or replace function cron._schedule_number(p_text text, p_low integer, p_names text[]) returns integer
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select case
    when p_text ~ '^[0-9]{1,4}$' then p_text::integer
    else array_position(p_names, lower(p_text)) - 1 + p_low
  end
$$;

-- Whether one field is a list of *, N, N-M, each of the two ranges with an optional /STEP.
create or replace function cron._is_schedule_field(
  p_field text, p_low integer, p_high integer, p_names text[] default '{}'
) returns boolean
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select bool_and(coalesce(
    case
      when part.matched[1] = '*' then true
      -- A step needs a range: 5/20 says nothing in cron.
      when part.matched[4] is null then part.first between p_low and p_high and part.matched[5] is null
      else part.first >= p_low and part.last <= p_high and part.first <= part.last
    end
    and coalesce(part.matched[5] ~ '^[0-9]{1,4}$' and part.matched[5]::integer > 0, true),
    false
  ))
  from (
    select
      item.matched,
      cron._schedule_number(item.matched[2], p_low, p_names) as first,
      cron._schedule_number(item.matched[4], p_low, p_names) as last
    from (
      select regexp_match(piece, '^(\*|([0-9A-Za-z]+)(-([0-9A-Za-z]+))?)(?:/([0-9]+))?$') as matched
      from string_to_table(p_field, ',') as piece
    ) as item
  ) as part
$$;

-- Whether pg_cron's parser would take the schedule. It is checked here, at cron.schedule, so that the
-- caller learns at once; the relay parses again and records what it refuses as a failed run.
create or replace function cron._is_schedule(p_schedule text) returns boolean
  language sql immutable
  set search_path = pg_catalog, pg_temp
as $$
  select case
    when p_schedule ~* '^\s*0*([1-9]|[1-5][0-9])\s+seconds?\s*$' then true
    when p_schedule ~ '^\s*@(reboot|restart|yearly|annually|monthly|weekly|daily|midnight|hourly)\s*$' then true
    when cardinality(f) <> 5 then false
    else cron._is_schedule_field(f[1], 0, 59)
      and cron._is_schedule_field(f[2], 0, 23)
      and (f[3] = '$' or cron._is_schedule_field(f[3], 1, 31))
      and cron._is_schedule_field(
        f[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}')
      and cron._is_schedule_field(
        f[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat,sun}')
  end
  from regexp_split_to_array(btrim(p_schedule, E' \t'), '[ \t]+') as f
$$;

-- Guards every way into the table, a direct INSERT included.
create or replace function cron._check_job() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not cron._is_schedule(new.schedule) then
    raise exception using
      errcode = 'invalid_parameter_value',
      message = pg_catalog.format('invalid schedule: %s', new.schedule),
      hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end if;
  return new;
end
$$;

create or replace function cron.job_cache_invalidate() returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_catalog.pg_notify('gristmill_cron', '');
  return null;
end
$$;
comment on function cron.job_cache_invalidate() is 'invalidate job cache';

do $$
begin
  if not exists (
    select from pg_catalog.pg_trigger t
    where t.tgrelid = 'cron.job'::regclass and t.tgname = 'cron_job_is_checked'
  ) then
    create trigger cron_job_is_checked
      before insert or update of schedule on cron.job
      for each row execute function cron._check_job();
  end if;
  if not exists (
    select from pg_catalog.pg_trigger t
    where t.tgrelid = 'cron.job'::regclass and t.tgname = 'cron_job_cache_invalidate'
  ) then
    create trigger cron_job_cache_invalidate
      after insert or update or delete or truncate on cron.job
      for each statement execute function cron.job_cache_invalidate();
  end if;
end
$$;

create or replace function cron.schedule(schedule text, command text) returns bigint
  language sql strict volatile
  set search_path = pg_catalog, pg_temp
as $$
  insert into cron.job (schedule, command) values (schedule, command) returning jobid
$$;
comment on function cron.schedule(text, text) is 'schedule a pg_cron job';

-- A name is unique per user; scheduling it again changes that job and keeps its id.
create or replace function cron.schedule(job_name text, schedule text, command text) returns bigint
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_jobid bigint;
begin
  if schedule.job_name is null then
    raise exception 'job_name can not be NULL' using errcode = 'invalid_parameter_value';
  elsif schedule.schedule is null then
    raise exception 'schedule can not be NULL' using errcode = 'invalid_parameter_value';
  elsif schedule.command is null then
    raise exception 'command can not be NULL' using errcode = 'invalid_parameter_value';
  end if;

  insert into cron.job (jobname, schedule, command)
  values (schedule.job_name, schedule.schedule, schedule.command)
  on conflict on constraint jobname_username_uniq
  do update set schedule = excluded.schedule, command = excluded.command
  returning job.jobid into v_jobid;
  return v_jobid;
end
$$;
comment on function cron.schedule(text, text, text) is 'schedule a pg_cron job';

-- Only a superuser may name another user: the job will run with that user's rights.
create or replace function cron._check_username(p_username text) returns void
  language plpgsql stable
  set search_path = pg_catalog, pg_temp
as $$
begin
  if p_username is null or p_username = current_user then
    return;
  end if;
  if not (select r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) then
    raise exception 'must be superuser to create a job for another role'
      using errcode = 'insufficient_privilege';
  end if;
  if not exists (select from pg_catalog.pg_roles r where r.rolname = p_username) then
    raise exception 'role "%" does not exist', p_username using errcode = 'undefined_object';
  end if;
end
$$;

-- An existing job of that name keeps its database and its state, as with pg_cron.
create or replace function cron.schedule_in_database(
  job_name text,
  schedule text,
  command text,
  database text,
  username text default null,
  active boolean default true
) returns bigint
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_jobid bigint;
begin
  perform cron._check_username(schedule_in_database.username);
  insert into cron.job (jobname, schedule, command, database, username, active)
  values (
    schedule_in_database.job_name, schedule_in_database.schedule, schedule_in_database.command,
    schedule_in_database.database,
    coalesce(schedule_in_database.username, current_user), schedule_in_database.active
  )
  on conflict on constraint jobname_username_uniq
  do update set schedule = excluded.schedule, command = excluded.command
  returning job.jobid into v_jobid;
  return v_jobid;
end
$$;
comment on function cron.schedule_in_database(text, text, text, text, text, boolean) is
  'schedule a pg_cron job';

create or replace function cron.alter_job(
  job_id bigint,
  schedule text default null,
  command text default null,
  database text default null,
  username text default null,
  active boolean default null
) returns void
  language plpgsql volatile
  set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if num_nonnulls(
    alter_job.schedule, alter_job.command, alter_job.database, alter_job.username, alter_job.active
  ) = 0 then
    raise exception using
      message = 'no updates specified',
      hint = 'You must specify at least one job attribute to change when calling alter_job';
  end if;
  perform cron._check_username(alter_job.username);
  update cron.job j
  set schedule = coalesce(alter_job.schedule, j.schedule),
    command = coalesce(alter_job.command, j.command),
    database = coalesce(alter_job.database, j.database),
    username = coalesce(alter_job.username, j.username),
    active = coalesce(alter_job.active, j.active)
  where j.jobid = alter_job.job_id;
  if not found then
    raise exception 'Job % does not exist or you don''t own it', alter_job.job_id;
  end if;
end
$$;
comment on function cron.alter_job(bigint, text, text, text, text, boolean) is
  'Alter the job identified by job_id. Any option left as NULL will not be modified.';

create or replace function cron.unschedule(job_id bigint) returns boolean
  language plpgsql strict volatile
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from cron.job j where j.jobid = job_id;
  if not found then
    raise exception 'could not find valid entry for job %', job_id;
  end if;
  return true;
end
$$;
comment on function cron.unschedule(bigint) is 'unschedule a pg_cron job';

create or replace function cron.unschedule(job_name text) returns boolean
  language plpgsql strict volatile
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from cron.job j where j.jobname = job_name and j.username = current_user;
  if not found then
    raise exception 'could not find valid entry for job ''%''', job_name;
  end if;
  return true;
end
$$;
comment on function cron.unschedule(text) is 'unschedule a pg_cron job';

-- The administrator decides who may choose database and user, as with pg_cron.
revoke all on function cron.alter_job(bigint, text, text, text, text, boolean) from public;
revoke all on function cron.schedule_in_database(text, text, text, text, text, boolean) from public;

-- Asked first, because enabling what is enabled would still lock out every reader.
do $$
begin
  if not (select c.relrowsecurity from pg_catalog.pg_class c where c.oid = 'cron.job'::regclass) then
    alter table cron.job enable row level security;
  end if;
  if not (select c.relrowsecurity from pg_catalog.pg_class c where c.oid = 'cron.job_run_details'::regclass) then
    alter table cron.job_run_details enable row level security;
  end if;
  if not exists (
    select from pg_catalog.pg_policy p where p.polrelid = 'cron.job'::regclass and p.polname = 'cron_job_policy'
  ) then
    create policy cron_job_policy on cron.job
      using (username = current_user) with check (username = current_user);
  end if;
  if not exists (
    select from pg_catalog.pg_policy p
    where p.polrelid = 'cron.job_run_details'::regclass and p.polname = 'cron_job_run_details_policy'
  ) then
    create policy cron_job_run_details_policy on cron.job_run_details using (username = current_user);
  end if;
end
$$;

grant select, delete on cron.job to public;
grant insert (jobname, schedule, command), update (schedule, command) on cron.job to public;
grant select, delete on cron.job_run_details to public;
grant usage, select on sequence cron.jobid_seq to public;
grant select on sequence cron.runid_seq to public;

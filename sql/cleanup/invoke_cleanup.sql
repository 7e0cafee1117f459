create or replace function mill.invoke_cleanup() returns bigint
language sql
set search_path = pg_catalog, pg_temp
as $$ select mill.post_signed('cleanup', mill.uuid7(), jsonb_build_object('reason', 'schedule'), 120000) $$;

comment on function mill.invoke_cleanup() is 'Asks for one run of the cleanup function; null when nothing can send.';
revoke execute on function mill.invoke_cleanup() from public;

insert into mill.schedule as s (name, description, schedule, step, command, every_seconds, slack_seconds, trigger_of) values
  ('cleanup', 'Invokes the cleanup function',
    '*/10 * * * *', 'mill.invoke_cleanup', 'select mill.invoke_cleanup()', 600, 600, 'cleanup')
on conflict (name) do update set
  description = excluded.description, schedule = excluded.schedule, step = excluded.step, command = excluded.command,
  every_seconds = excluded.every_seconds, slack_seconds = excluded.slack_seconds, trigger_of = excluded.trigger_of;

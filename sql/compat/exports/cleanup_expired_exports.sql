-- The cleanup function removes expired exports every ten minutes. Those who know the compatible cron entry find it here: it asks for that step
-- alone, through the function's compatible name.
create or replace function mill.invoke_cleanup_exports() returns bigint
language sql
set search_path = pg_catalog, pg_temp
as $$ select mill.post_signed('cleanup-exports', mill.uuid7(), jsonb_build_object('reason', 'schedule'), 120000) $$;

comment on function mill.invoke_cleanup_exports() is 'Asks for one run of the function cleanup-exports; null when nothing can send.';
revoke execute on function mill.invoke_cleanup_exports() from public;

insert into mill.schedule as s (name, description, schedule, step, command, every_seconds, slack_seconds) values
  ('cleanup-expired-exports', 'Invokes the function cleanup-exports',
    '41 * * * *', 'mill.invoke_cleanup_exports', null, 3600, 1200)
on conflict (name) do update set
  description = excluded.description, schedule = excluded.schedule, step = excluded.step, command = excluded.command,
  every_seconds = excluded.every_seconds, slack_seconds = excluded.slack_seconds;

-- Names of release 0.1.0, for procedures that are under way while it is upgraded. mill.pump and mill.check_stale_data commit in between, so they
-- go on in the text that they began with, the pump for up to a minute. Without these two functions no round of that pump would invoke anything.
-- Nothing else may call them. They go with the release after the next one.
create or replace function mill.ran(p_part text, p_detail jsonb default '{}') returns void
language sql
set search_path = pg_catalog, pg_temp
as $$ select mill.record_heartbeat(p_part, p_detail) $$;
comment on function mill.ran(text, jsonb) is 'mill.record_heartbeat, for a procedure of release 0.1.0 that is under way.';
revoke execute on function mill.ran(text, jsonb) from public;

create or replace function mill.next_round() returns numeric
language sql
set search_path = pg_catalog, pg_temp
as $$ select mill.seconds_to_next_round() $$;
comment on function mill.next_round() is 'mill.seconds_to_next_round, for a pump of release 0.1.0 that is under way.';
revoke execute on function mill.next_round() from public;

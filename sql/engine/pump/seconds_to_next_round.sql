create or replace function mill.seconds_to_next_round() returns numeric
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_seconds numeric;
begin
  if mill.hook_of('rest') is not null then
    execute format('select %s()', mill.hook_of('rest')) into v_seconds;
  end if;
  return v_seconds;
end
$$;

comment on function mill.seconds_to_next_round() is 'In how many seconds a hook wants the next round of the pump; null when none does.';
revoke execute on function mill.seconds_to_next_round() from public;

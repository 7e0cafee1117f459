-- The instants at which clocks in a time zone show a time, in order: one; two where clocks are put back over it; none where they are put forward over it.
-- The offsets of a day before and a day after are tried, and those kept that lead back to the time.
create or replace function mill.instants_of(p_local timestamp, p_zone text) returns timestamptz[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select distinct i.instant
    from (values (-1), (1)) as d(day)
    cross join lateral (select (p_local + make_interval(days => d.day)) at time zone 'UTC' as near) n
    cross join lateral (select (p_local - (n.near at time zone p_zone - n.near at time zone 'UTC')) at time zone 'UTC' as instant) i
    where i.instant at time zone p_zone = p_local
    order by 1)
$$;

comment on function mill.instants_of(timestamp, text) is 'When clocks in a time zone show this time: once, twice or never.';
revoke execute on function mill.instants_of(timestamp, text) from public;

-- The first instant at which clocks in a time zone show a time past one that they never show.
create or replace function mill.end_of_gap(p_local timestamp, p_zone text) returns timestamptz
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_low timestamptz := (p_local - interval '1 day') at time zone p_zone;
  v_high timestamptz := (p_local + interval '1 day') at time zone p_zone;
  v_middle timestamptz;
begin
  while v_high - v_low > interval '1 second' loop
    v_middle := date_trunc('second', v_low + (v_high - v_low) / 2);
    if v_middle at time zone p_zone > p_local then
      v_high := v_middle;
    else
      v_low := v_middle;
    end if;
  end loop;
  return v_high;
end
$$;

comment on function mill.end_of_gap(timestamp, text) is 'When clocks in a time zone are put forward over this time.';
revoke execute on function mill.end_of_gap(timestamp, text) from public;

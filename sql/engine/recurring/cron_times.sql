-- The due times of a cron expression after one instant, up to another, in order. Clocks that are changed:
--
--   The hour field names every hour: what is due is each minute that clocks show, as often as they show it. So */15 goes on every 15 minutes, and a
--   time that clocks never show is left out.
--   Any other hour field names times of the day, and each is due once on its day: at the first of two, and right after the gap where clocks never show it.
--
-- Where the offset from UTC does not change, it is subtracted; otherwise each time is looked up, which takes ten times as long.
create or replace function mill.cron_times(p_cron text, p_zone text, p_after timestamptz, p_until timestamptz) returns setof timestamptz
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_cron record := mill.parse_cron(p_cron);
  v_offset interval := (p_after - interval '2 days') at time zone p_zone - (p_after - interval '2 days') at time zone 'UTC';
  v_other interval := (p_until + interval '2 days') at time zone p_zone - (p_until + interval '2 days') at time zone 'UTC';
  v_is_steady boolean := v_offset = v_other and p_until - p_after < interval '4 days';
  -- A time that clocks never show lies before the instant which stands for it, and one that they show again lies after, by what they are changed.
  v_changed interval := case when p_until - p_after < interval '4 days' then greatest(v_offset - v_other, v_other - v_offset) else interval '25 hours' end;
  v_from timestamp := p_after at time zone p_zone - v_changed;
  v_to timestamp := p_until at time zone p_zone + v_changed;
begin
  return query
  select distinct i.instant
  from generate_series(v_from::date, v_to::date, interval '1 day') as d(day)
  cross join unnest(v_cron.hours) as h(hour)
  cross join unnest(v_cron.minutes) as m(minute)
  cross join lateral (select d.day::timestamp + make_interval(hours => h.hour, mins => m.minute) as local) l
  cross join lateral (
    select (l.local - v_offset) at time zone 'UTC' as instant where v_is_steady
    union all
    select s.instant
    from (select mill.instants_of(l.local, p_zone) as instants where not v_is_steady) o
    cross join lateral (
      select a.instant from unnest(o.instants) with ordinality as a(instant, n) where a.n = 1 or cardinality(v_cron.hours) = 24
      union all
      select mill.end_of_gap(l.local, p_zone) where o.instants = '{}' and cardinality(v_cron.hours) < 24) s) i
  where l.local between v_from and v_to
    and extract(month from d.day) = any (v_cron.months)
    and case when v_cron.either_day
      then extract(day from d.day) = any (v_cron.days) or extract(dow from d.day) = any (v_cron.weekdays)
      else extract(day from d.day) = any (v_cron.days) and extract(dow from d.day) = any (v_cron.weekdays) end
    and i.instant > p_after and i.instant <= p_until
  order by 1;
end
$$;

comment on function mill.cron_times(text, text, timestamptz, timestamptz) is 'The due times of a cron expression after one instant, up to another.';
revoke execute on function mill.cron_times(text, text, timestamptz, timestamptz) from public;

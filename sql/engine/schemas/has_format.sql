-- The formats that are checked: date-time, date, uuid, email and uri. Others say nothing about a text.

-- A day that exists, as year-month-day with four, two and two digits.
create or replace function mill.is_date(p_text text) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select d.day between 1 and case
      when d.month = 2 then case when d.year % 4 = 0 and (d.year % 100 <> 0 or d.year % 400 = 0) then 29 else 28 end
      when d.month in (4, 6, 9, 11) then 30
      when d.month between 1 and 12 then 31
      else 0 end
    from (select m.part[1]::int as year, m.part[2]::int as month, m.part[3]::int as day
          from regexp_match(p_text, '^([0-9]{4})-([0-9]{2})-([0-9]{2})$') as m(part)) d), false)
$$;

comment on function mill.is_date(text) is 'Whether a text is a day of the calendar, as in 2030-12-31.';
revoke execute on function mill.is_date(text) from public;

-- A time of a day with its zone. A leap second is the last one of a day in UTC.
create or replace function mill.is_time_with_zone(p_text text) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select t.hour <= 23 and t.minute <= 59 and t.zone_hour <= 23 and t.zone_minute <= 59 and (
      t.second < 60 or t.second < 61
        and (t.hour * 60 + t.minute - t.sign * (t.zone_hour * 60 + t.zone_minute) + 2880) % 1440 = 1439)
    from (
      select m.part[1]::int as hour, m.part[2]::int as minute, m.part[3]::numeric as second,
        case m.part[4] when '-' then -1 else 1 end as sign, coalesce(m.part[5], '0')::int as zone_hour, coalesce(m.part[6], '0')::int as zone_minute
      from regexp_match(p_text, '^([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)(?:[zZ]|([+-])([0-9]{2})(?::?([0-9]{2}))?)$') as m(part)) t), false)
$$;

comment on function mill.is_time_with_zone(text) is 'Whether a text is a time of a day with its zone, as in 23:59:59.5+01:00.';
revoke execute on function mill.is_time_with_zone(text) from public;

-- Compared in the collation C: in others, letters beyond ASCII may be the same as ours when case is ignored.
create or replace function mill.has_format(p_text text, p_format text) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case p_format
    when 'date' then mill.is_date(p_text)
    when 'date-time' then substr(p_text, 11, 1) ~ '^[tT\s]$' and mill.is_date(left(p_text, 10)) and mill.is_time_with_zone(substr(p_text, 12))
    when 'uuid' then p_text collate "C" ~* '^(?:urn:uuid:)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    when 'email' then p_text collate "C" ~* '^[a-z0-9!#$%&''*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&''*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$'
    -- RFC 3986: a scheme, then an authority and a path or a path alone, a query, a fragment. Literals of IP addresses are not looked into.
    when 'uri' then p_text collate "C" ~* ('^[a-z][a-z0-9+.-]*:(?:'
      || '//(?:(?:[a-z0-9._~!$&''()*+,;=:-]|%[0-9a-f]{2})*@)?(?:\[[0-9a-fv:.]+\]|(?:[a-z0-9._~!$&''()*+,;=-]|%[0-9a-f]{2})*)(?::[0-9]*)?(?:/(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})*)*'
      || '|/(?:(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})+(?:/(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})*)*)?'
      || '|(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})+(?:/(?:[a-z0-9._~!$&''()*+,;=:@-]|%[0-9a-f]{2})*)*)'
      || '(?:\?(?:[a-z0-9._~!$&''()*+,;=:@/?-]|%[0-9a-f]{2})*)?(?:#(?:[a-z0-9._~!$&''()*+,;=:@/?-]|%[0-9a-f]{2})*)?$')
    else true end
$$;

comment on function mill.has_format(text, text) is 'Whether a text has a format of JSON Schema; true for formats that are not checked.';
revoke execute on function mill.has_format(text, text) from public;

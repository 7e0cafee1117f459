-- Five fields: minute, hour, day of the month, month, weekday. Each is *, a number, a range a-b, or a list of these; * and a range may have a step
-- (*/15, 9-17/2). Months and weekdays may be names (jan, mon); Sunday is 0 or 7. Where both days are given, either is enough, as in every cron.
-- problem is null, or says what cannot be read.
create or replace function mill.parse_cron(
  p_cron text, out minutes int[], out hours int[], out days int[], out months int[], out weekdays int[], out either_day boolean, out problem text)
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_fields text[] := regexp_split_to_array(btrim(p_cron), '\s+');
begin
  if cardinality(v_fields) is distinct from 5 then
    problem := 'must have five fields: minute, hour, day of the month, month, weekday';
    return;
  end if;
  minutes := mill.cron_field(v_fields[1], 0, 59);
  hours := mill.cron_field(v_fields[2], 0, 23);
  days := mill.cron_field(v_fields[3], 1, 31);
  months := mill.cron_field(v_fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}');
  weekdays := mill.cron_field(v_fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}');
  if 7 = any (weekdays) then
    weekdays := array(select distinct w % 7 from unnest(weekdays) w);
  end if;
  either_day := v_fields[3] <> '*' and v_fields[5] <> '*';
  problem := case
    when minutes is null then format('has a minute that cannot be read: %s', left(v_fields[1], 40))
    when hours is null then format('has an hour that cannot be read: %s', left(v_fields[2], 40))
    when days is null then format('has a day of the month that cannot be read: %s', left(v_fields[3], 40))
    when months is null then format('has a month that cannot be read: %s', left(v_fields[4], 40))
    when weekdays is null then format('has a weekday that cannot be read: %s', left(v_fields[5], 40))
  end;
end
$$;

comment on function mill.parse_cron(text) is 'A cron expression as the numbers of its fields, or the problem with it.';
revoke execute on function mill.parse_cron(text) from public;

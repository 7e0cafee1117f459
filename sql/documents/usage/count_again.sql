-- Counts what could not be counted before: up to a hundred a minute, each by itself. All counts are made once per key, so one that did count after all
-- changes nothing. It counts in the month in which it is counted. What fails again waits twice as long each time, up to a day.
create or replace function mill.count_again() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_row mill.uncounted_usage;
  v_profile uuid;
  v_document uuid;
  v_count int := 0;
begin
  for v_row in
    select u.* from mill.uncounted_usage u where u.try_at <= mill.now() order by u.try_at limit 100 for update skip locked
  loop
    begin
      v_profile := (v_row.arguments ->> 'profile')::uuid;
      v_document := (v_row.arguments ->> 'document')::uuid;
      case v_row.what
        when 'count' then
          perform mill.count_usage(v_profile, v_row.arguments ->> 'event', v_row.arguments ->> 'key', v_row.arguments -> 'counts', v_document,
            (v_row.arguments ->> 'job')::uuid, p_blocks => false);
        when 'measure' then
          perform mill.put_measured_size(v_profile, v_document, (v_row.arguments ->> 'size')::bigint);
        when 'process' then
          perform public.track_shell_file_processed_usage(v_profile, v_document, (v_row.arguments ->> 'pages')::int);
        when 'release' then
          perform mill.release_storage(v_profile, v_document);
      end case;
      delete from mill.uncounted_usage u where u.id = v_row.id;
      v_count := v_count + 1;
    exception when others then
      update mill.uncounted_usage u set tries = u.tries + 1, try_at = mill.now() + least(interval '1 minute' * 2 ^ least(u.tries, 12), interval '1 day')
      where u.id = v_row.id;
    end;
  end loop;
  return v_count;
end
$$;

comment on function mill.count_again() is 'Counts usage that could not be counted when it happened; says how much.';
revoke execute on function mill.count_again() from public;

create or replace function mill.count_again_each_minute() returns int
language sql
set search_path = pg_catalog, pg_temp
as $$ select case when mill.every_minute('count_again') then mill.count_again() end $$;
comment on function mill.count_again_each_minute() is 'mill.count_again once a minute, for the tick.';
revoke execute on function mill.count_again_each_minute() from public;

create or replace function mill.measure_uncounted() returns table (subject text, value numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select 'documents', count(*)::numeric from (select from mill.uncounted_usage u where u.at < mill.now() - interval '10 minutes' limit 1000) u $$;
comment on function mill.measure_uncounted() is 'How much usage has waited for over 10 minutes to be counted.';
revoke execute on function mill.measure_uncounted() from public;

insert into mill.hook (event, routine, place) values ('tick', 'mill.count_again_each_minute', 60)
on conflict (event, routine) do update set place = excluded.place;
insert into mill.alert_rule (rule, severity, measure, threshold, description) values
  ('usage_not_counted', 'P2', 'mill.measure_uncounted', 1, 'Usage of documents could not be counted for over 10 minutes')
on conflict (rule) do nothing;

create or replace function mill.fold_usage(p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Whole hours that ended an hour ago: nothing is appended to them any more.
  v_until timestamptz := date_trunc('hour', p_now - interval '1 hour');
begin
  delete from public.api_data_usage u
  where u.created_at < p_now - make_interval(days => mill.setting('refresh.quota_days', '30')::int + 1);
  if not exists (select from public.api_data_usage u where u.created_at < v_until and u.created_at > date_trunc('hour', u.created_at)) then
    return;
  end if;
  with folded as (
    delete from public.api_data_usage u where u.created_at < v_until and u.created_at >= v_until - interval '1 day' returning u.*
  )
  insert into public.api_data_usage (created_at, provider, data_type, calls, data_size_bytes)
  select date_trunc('hour', f.created_at), f.provider, f.data_type, sum(f.calls), sum(f.data_size_bytes)
  from folded f group by 1, 2, 3;
end
$$;

comment on function mill.fold_usage(timestamptz) is 'Folds usage into hours and deletes what is past the quota''s window.';
revoke execute on function mill.fold_usage(timestamptz) from public;

-- One at a time; another does nothing. Whoever sums beside it sees a row before or after it was folded, never both.
create or replace function mill.fold_api_use() returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_expired int;
begin
  if not pg_try_advisory_xact_lock(7022311640271844) then -- any constant that only this uses
    return 0;
  end if;
  with folded as (
    delete from mill.api_use u where u.at < v_now - interval '70 seconds' returning u.*
  )
  insert into mill.api_use_minute as m (provider, endpoint, minute, requests, tokens)
  select f.provider, f.endpoint, date_trunc('minute', f.at), sum(f.requests), sum(f.tokens)
  from folded f group by 1, 2, 3
  on conflict (provider, endpoint, minute) do update set
    requests = m.requests + excluded.requests, tokens = m.tokens + excluded.tokens;

  update mill.api_lease l set ended_at = v_now
  where l.id in (
    select o.id from mill.api_lease o where o.ended_at is null and o.expires_at <= v_now for update skip locked);
  get diagnostics v_expired = row_count;
  if v_expired > 0 then
    insert into mill.event (at, code, detail) values (v_now, 'capacity_leases_expired', jsonb_build_object('count', v_expired));
  end if;
  if mill.every_minute('fold_api_use') then
    delete from mill.api_use_minute m where m.minute < v_now - interval '2 days';
    delete from mill.api_lease l where l.taken_at < v_now - interval '1 day' and l.ended_at is not null;
  end if;
  return v_expired;
end
$$;

comment on function mill.fold_api_use() is 'Ends slots whose callers were lost, folds old use into minutes; says how many slots had expired.';
revoke execute on function mill.fold_api_use() from public;

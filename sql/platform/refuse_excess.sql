-- How much a user may cause, for every application in the same way: so many of a thing per minute (setting users.THING_per_minute), with bursts
-- of up to one minute's worth. The service is not counted. Raised in PostgREST's own form, so that a caller gets 429 with Retry-After whether a
-- function stands between or not.
--
-- Requests of one user never wait for each other: one that runs while another is being counted is judged by what was counted before, and is not
-- counted itself. So a user can cause at most as many times as much as it has transactions at once, four at the gateway. What is refused counts
-- for nothing, because its transaction is rolled back.
create or replace function mill.refuse_excess(p_owner uuid, p_thing text, p_count int default 1) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_per_minute numeric := mill.setting('users.' || p_thing || '_per_minute')::numeric;
  v_counts boolean;
  v_left numeric;
begin
  if v_per_minute is null or v_per_minute <= 0 or p_owner is null or public.is_service_role() then
    return;
  end if;
  v_counts := pg_try_advisory_xact_lock(702263, hashtext(p_owner::text || p_thing));
  v_left := coalesce((
    select least(v_per_minute, r.allowance + v_per_minute * extract(epoch from greatest(v_now - r.at, interval '0')) / 60)
    from mill.user_rate r where r.owner = p_owner and r.thing = p_thing), v_per_minute) - p_count;
  if v_counts then
    insert into mill.user_rate as r (owner, thing, allowance, at) values (p_owner, p_thing, v_left, v_now)
    on conflict (owner, thing) do update set allowance = excluded.allowance, at = excluded.at;
  end if;
  if v_left < 0 then
    perform mill.refuse_user(format('you may cause %s %s per minute', v_per_minute, replace(p_thing, '_', ' ')), v_per_minute,
      least(ceil(-v_left * 60 / v_per_minute), 60)::int);
  end if;
end
$$;

comment on function mill.refuse_excess(uuid, text, int) is 'Counts what a user causes, and refuses with GM015 and 429 what is above the setting users.THING_per_minute.';
revoke execute on function mill.refuse_excess(uuid, text, int) from public;

create or replace function mill.refuse_user(p_message text, p_limit numeric, p_retry_after int) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  raise sqlstate 'PGRST' using
    message = json_build_object('code', 'GM015', 'message', p_message,
      'details', json_build_object('limit', p_limit, 'retry_after', p_retry_after)::text, 'hint', 'Try again later.')::text,
    detail = json_build_object('status', 429, 'headers', json_build_object('Retry-After', p_retry_after::text))::text;
end
$$;

comment on function mill.refuse_user(text, numeric, int) is 'Refuses a user who has caused too much, with GM015, 429 and Retry-After.';
revoke execute on function mill.refuse_user(text, numeric, int) from public;

create or replace function mill.cleanup_idempotency(p_max int) returns jsonb
language sql
set search_path = pg_catalog, pg_temp
as $$
  with gone as (
    delete from mill.idempotency_key k where (k.caller, k.key) in (
      select o.caller, o.key from mill.idempotency_key o where o.created_at <= mill.now() - interval '24 hours'
      order by o.created_at limit p_max)
    -- Looked at again once the row is locked: the key may have been taken anew meanwhile.
    and k.created_at <= mill.now() - interval '24 hours'
    returning 1)
  select jsonb_build_object('removed', count(*), 'more', count(*) = p_max) from gone
$$;
comment on function mill.cleanup_idempotency(int) is 'Deletes idempotency keys that are older than 24 hours.';
revoke execute on function mill.cleanup_idempotency(int) from public;

insert into mill.cleanup_step (step, description, run, place, max_items) values
  ('idempotency', 'Idempotency keys older than 24 hours', 'mill.cleanup_idempotency', 40, 10000)
on conflict (step) do update set description = excluded.description, run = excluded.run, place = excluded.place;

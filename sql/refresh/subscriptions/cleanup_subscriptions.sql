-- Skips what is locked: that one is just being seen.
create or replace function mill.cleanup_subscriptions(p_max int default 20000) returns jsonb
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := mill.now();
  v_removed int;
begin
  if not mill.entry_lock('cleanup-subscriptions') then
    return jsonb_build_object('skipped', true);
  end if;
  delete from public.active_subscriptions_v2 a where a.ctid = any (array(
    select o.ctid from public.active_subscriptions_v2 o
    where o.last_seen_at < v_now - interval '5 minutes' limit p_max for update skip locked));
  get diagnostics v_removed = row_count;
  delete from mill.data_change c where c.at < v_now - interval '1 hour';
  -- Dead letters in a row are remembered for a while after the pause, or the next one would count as the first.
  delete from mill.data_check c where c.ctid = any (array(
    select o.ctid from mill.data_check o
    where o.next_check_at < v_now - case o.reason when 'dead' then interval '1 hour' else interval '0' end for update skip locked));
  perform mill.fold_usage(v_now);
  return jsonb_build_object('removed', v_removed);
end
$$;

comment on function mill.cleanup_subscriptions(int) is
  'Removes subscriptions that were not seen for 5 minutes, and what else refresh keeps for a while; {removed} or {skipped}.';
revoke execute on function mill.cleanup_subscriptions(int) from public;

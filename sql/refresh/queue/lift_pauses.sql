-- Somebody has begun to watch what is paused after a dead letter: it is asked for again, though the others have to wait. For the staleness
-- pass alone, so that subscribing over and over asks once per minute at the most. Skips what is locked: a settlement writes that row
-- just now, and the two must not wait for each other.
create or replace function mill.lift_pauses(p_data_type text, p_symbols text[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set enable_bitmapscan = off
as $$
declare
  v_now timestamptz := mill.now();
begin
  update mill.data_check c set next_check_at = v_now
  where c.ctid = any (array(
    select p.ctid from mill.data_check p
    where p.data_type = p_data_type and p.symbol = any (p_symbols) and p.reason = 'dead' and p.next_check_at > v_now
      and exists (
        select from public.active_subscriptions_v2 a
        where a.symbol = p.symbol and a.data_type = p.data_type and a.subscribed_at > p.noted_at)
    for update skip locked));
end
$$;

comment on function mill.lift_pauses(text, text[]) is 'Ends the pauses of symbols that have had a new watcher since their refresh became a dead letter.';
revoke execute on function mill.lift_pauses(text, text[]) from public;

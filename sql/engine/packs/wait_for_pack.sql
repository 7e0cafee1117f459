-- While a claim that wants few jobs makes rows of a pack, others see neither the pack nor the rows. Whoever would go away
-- with nothing waits for it, a tenth of a second at the most, and looks again. For claims that hold nothing: no cycle of waits
-- goes through them.
create or replace function mill.wait_for_pack(p_queue text, p_kinds text[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
set enable_seqscan = off
set jit = off
set enable_sort = off
as $$
declare
  v_pack uuid := (
    select p.first
    from mill.floor f
    cross join lateral (
      select p.first from mill.pack p
      where p.line = f.line and p.turn >= f.turn and (p_kinds is null or p.kind = any (p_kinds))
      order by p.turn
      limit 1) p
    where f.queue = p_queue
    limit 1);
begin
  if v_pack is not null then
    begin
      perform from mill.pack p where p.first = v_pack for update; -- not shared: whoever waits gets it if it is still there
    exception when lock_not_available then
      null; -- a transaction that stays open after its claim; what it has is its own
    end;
  end if;
end
$$;

comment on function mill.wait_for_pack(text, text[]) is 'Waits for whoever is unpacking jobs of a queue.';
revoke execute on function mill.wait_for_pack(text, text[]) from public;

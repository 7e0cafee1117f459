-- Written once per kind: afterwards a claim only looks. Rows that another claim writes just now are skipped, so that no claim waits here.
create or replace function mill.note_asked_kinds(p_queues text[], p_kinds text[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select from mill.kind k
    where k.first_asked_at is null and k.queue = any (p_queues) and (p_kinds is null or k.kind = any (p_kinds)))
  then
    update mill.kind k set first_asked_at = mill.now()
    where k.kind in (
      select o.kind from mill.kind o
      where o.first_asked_at is null and o.queue = any (p_queues) and (p_kinds is null or o.kind = any (p_kinds))
      for no key update skip locked);
  end if;
end
$$;

comment on function mill.note_asked_kinds(text[], text[]) is 'Records that a worker asks for these kinds, or for all of these queues. For mill.claim alone.';
revoke execute on function mill.note_asked_kinds(text[], text[]) from public;

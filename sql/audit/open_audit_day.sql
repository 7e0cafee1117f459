-- A new day begins on the head of the latest day before it, the very first on 32 zero bytes.
create or replace function mill.open_audit_day(p_day date) returns mill.audit_day
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_day mill.audit_day;
  v_before mill.audit_day;
begin
  select d.* into v_day from mill.audit_day d where d.day = p_day;
  if not found then
    select d.* into v_before from mill.audit_day d where d.day < p_day order by d.day desc limit 1;
    v_day.day := p_day;
    v_day.rows := 0;
    v_day.began_on := coalesce(v_before.head, decode(repeat('00', 32), 'hex'));
    v_day.head := v_day.began_on;
    v_day.previous_day := v_before.day;
  end if;
  return v_day;
end
$$;

comment on function mill.open_audit_day(date) is 'A day''s chain as it stands, or a new one. For mill.chain_audit alone.';
revoke execute on function mill.open_audit_day(date) from public;

create or replace function mill.keep_audit_day(p_day mill.audit_day) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into mill.audit_day (day, rows, head, began_on, previous_day)
  select p_day.day, p_day.rows, p_day.head, p_day.began_on, p_day.previous_day where p_day.day is not null
  on conflict (day) do update set rows = excluded.rows, head = excluded.head
$$;

comment on function mill.keep_audit_day(mill.audit_day) is 'Writes down where a day''s chain stands. For mill.chain_audit alone.';
revoke execute on function mill.keep_audit_day(mill.audit_day) from public;

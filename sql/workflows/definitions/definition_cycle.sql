-- Takes away what waits for nothing, again and again; what is left waits for a cycle. Following needs among the
-- rest must come back to a task already seen. Paths are not enumerated: a graph of ten layers of ten has 10^10.
create or replace function mill.definition_cycle(p_steps mill.workflow_step[]) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_left text[] := array(select s.key from unnest(p_steps) s);
  v_rest text[];
  v_way text[];
  v_next text;
begin
  loop
    v_rest := array(
      select s.key from unnest(p_steps) s
      where s.key = any (v_left) and (s.needs || s.each_of) && v_left order by s.position);
    exit when cardinality(v_rest) = cardinality(v_left);
    v_left := v_rest;
  end loop;
  if v_left = '{}' then
    return null;
  end if;

  v_way := v_left[1:1];
  loop
    select n.need into v_next
    from unnest(p_steps) s cross join lateral unnest(s.needs || s.each_of) as n(need)
    where s.key = v_way[cardinality(v_way)] and n.need = any (v_left) limit 1;
    v_way := v_way || v_next;
    if v_next = any (v_way[:cardinality(v_way) - 1]) then
      return v_way[array_position(v_way, v_next):];
    end if;
  end loop;
end
$$;

comment on function mill.definition_cycle(mill.workflow_step[]) is 'The keys along a cycle of needs, the first one again at the end; null when there is none.';
revoke execute on function mill.definition_cycle(mill.workflow_step[]) from public;

create or replace function mill.repair_hints() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_minute boolean := mill.every_minute('repair_hints');
  v_queue text;
begin
  if v_is_minute then
    perform mill.repair_floors();
  end if;
  for v_queue in
    select q.queue from mill.queue q where q.dequeue = 'fair' or q.max_running_per_group is not null order by q.queue
  loop
    perform mill.repair_lanes(v_queue, true);
    if v_is_minute then
      perform mill.reassign_lanes(v_queue);
    end if;
  end loop;
end
$$;

comment on function mill.repair_hints() is 'Repairs what claims take as hints: lanes every time, floors and strays once a minute.';
revoke execute on function mill.repair_hints() from public;

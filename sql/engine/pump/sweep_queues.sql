create or replace function mill.sweep_queues() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_minute boolean := mill.every_minute('sweep');
  v_queue text;
begin
  if v_is_minute then
    perform mill.sweep_below();
  end if;
  for v_queue in
    select q.queue from mill.queue q where q.dequeue = 'fair' or q.max_running_per_group is not null order by q.queue
  loop
    perform mill.sweep_lanes(v_queue, true);
    if v_is_minute then
      perform mill.adopt(v_queue);
    end if;
  end loop;
end
$$;

comment on function mill.sweep_queues() is 'Repairs what claims take as hints: lanes every time, floors and strays once a minute.';
revoke execute on function mill.sweep_queues() from public;

-- What holds the whole queue or the job's group back: an operator, a provider's limit, caps.
create or replace function mill.explain_limits(p_job jsonb, p_queue mill.queue) returns table (code text, until timestamptz, sentence text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wait interval := mill.provider_wait(p_queue);
  v_group text := p_job ->> 'group_key';
  v_running int;
begin
  if p_queue.paused then
    return query select 'queue_paused', null::timestamptz, format(
      'The queue %s is paused. To let it go on, run: select public.pause_queue(%L, false);', p_queue.queue, p_queue.queue);
  end if;
  if v_wait > interval '0' then
    return query select 'provider_full', mill.now() + v_wait, format(
      'The provider %s has no capacity left before %s. Raise its row in mill.api_rate_limits if the provider allows more.', p_queue.provider, mill.time_text(mill.now() + v_wait));
  end if;
  if p_queue.max_running is not null then
    select count(*) into v_running from mill.job_live j where j.slot = p_queue.queue;
    if v_running >= p_queue.max_running then
      return query select 'queue_at_cap', null::timestamptz, format(
        '%s of %s jobs of the queue %s run. The next one starts when one of them ends. Raise max_running for more at once.', v_running, p_queue.max_running, p_queue.queue);
    end if;
  end if;
  if p_queue.max_running_per_group is not null and v_group is not null then
    select count(*) into v_running from mill.job_live j where j.slot = p_queue.queue and j.group_key = v_group;
    if v_running >= p_queue.max_running_per_group then
      return query select 'group_at_cap', null::timestamptz, format(
        '%s of %s jobs of the group %s run. The next one starts when one of them ends. Raise max_running_per_group of the queue %s for more at once.', v_running,
        p_queue.max_running_per_group, left(v_group, 64), p_queue.queue);
    end if;
  end if;
end
$$;

comment on function mill.explain_limits(jsonb, mill.queue) is 'Which pause, cap or limit holds a pending job back. For mill.explain_job alone.';
revoke execute on function mill.explain_limits(jsonb, mill.queue) from public;

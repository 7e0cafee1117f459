create or replace function mill.provider_wait(p_queue mill.queue) returns interval
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wait interval;
begin
  if p_queue.provider is not null and mill.hook_of('wait') is not null then
    execute format('select %s($1, $2)', mill.hook_of('wait')) into v_wait using p_queue.provider, p_queue.endpoint;
  end if;
  return v_wait;
end
$$;

comment on function mill.provider_wait(mill.queue) is 'How long the provider of a queue has no room; null without a provider or a limit.';
revoke execute on function mill.provider_wait(mill.queue) from public;

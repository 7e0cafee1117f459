-- Writes to api_call_queue are the calls that they stand for; any other is refused. A row is found again by its symbol and type where the same
-- refresh waits or runs already: what is queued once is not queued twice.
create or replace function mill.insert_api_call() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type public.data_type_registry;
  v_row public.api_call_queue;
begin
  perform mill.require_primary();
  if new.id is not null or coalesce(new.status, 'pending') <> 'pending' or coalesce(new.retry_count, 0) <> 0
    or num_nonnulls(new.created_at, new.processed_at, new.error_message) > 0
  then
    raise exception 'a new refresh takes symbol, data_type, priority, estimated_data_size_bytes and metadata; the caller cannot set other columns' using errcode = '0A000';
  end if;
  select r.* into v_type from public.data_type_registry r where r.data_type = new.data_type and r.is_enabled;
  if not found then
    raise exception 'there is no data type "%"', new.data_type using errcode = 'GM036';
  end if;
  perform mill.queue_refreshes(v_type, array[new.symbol], coalesce(new.priority, 5), new.estimated_data_size_bytes, new.metadata);
  select q.* into v_row from mill.job_live j join public.api_call_queue q on q.id = j.id
  where j.queue = (select k.queue from mill.kind k where k.kind = 'refresh.' || new.data_type) and j.dedupe_key = new.symbol || ':' || new.data_type;
  if not found then
    raise exception 'the data quota is used up' using errcode = 'GM039';
  end if;
  return v_row;
end
$$;

comment on function mill.insert_api_call() is 'Trigger: queues a refresh.';
revoke execute on function mill.insert_api_call() from public;

-- As complete_queue_job and its sisters: on a job that is processing under a lease that get_queue_batch gave out (docs/compat.md). Any other job
-- is no row that can be updated.
create or replace function mill.update_api_call() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_row public.api_call_queue;
begin
  perform mill.require_primary();
  if (new.id, new.symbol, new.data_type, new.priority, new.created_at, new.metadata)
    is distinct from (old.id, old.symbol, old.data_type, old.priority, old.created_at, old.metadata)
  then
    raise exception 'only the status of a refresh, and the columns that belong to the status, can be changed' using errcode = '0A000';
  end if;
  if (mill.lock_compat_lease(old.id)).id is null then
    return null;
  end if;
  case new.status
    when 'completed' then
      perform public.complete_queue_job(old.id, new.estimated_data_size_bytes);
    when 'failed' then
      perform mill.settle_compat_lease(old.id, jsonb_build_object(
        'outcome', 'failed', 'error', jsonb_build_object('type', 'error', 'message', new.error_message, 'retryable', false)));
    when 'pending' then
      -- A retry that is counted is a failed attempt; one that is not gives the job back.
      if new.retry_count > old.retry_count then
        perform public.fail_queue_job(old.id, new.error_message);
      else
        perform public.reset_job_immediate(old.id);
      end if;
    when 'processing' then
      null; -- it is
    else
      raise exception 'the status of a refresh is pending, processing, completed or failed' using errcode = '22023';
  end case;
  select q.* into v_row from public.api_call_queue q where q.id = old.id;
  return v_row;
end
$$;

comment on function mill.update_api_call() is 'Trigger: completes, fails or gives back a refresh that get_queue_batch gave out.';
revoke execute on function mill.update_api_call() from public;

create or replace trigger a_row_is_a_refresh_to_queue instead of insert on public.api_call_queue
for each row execute function mill.insert_api_call();
create or replace trigger a_status_is_a_word_about_a_lease instead of update on public.api_call_queue
for each row execute function mill.update_api_call();

create or replace function mill.refuse_job(p_at bigint, p_code text, p_what text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  case p_code
    when 'GM001' then
      raise exception 'unknown job kind "%"', left(p_what, 64) using errcode = 'GM001',
        detail = format('job %s', p_at), hint = 'Register the kind first: start its worker, load its function, or call register_jobs.';
    when 'GM002' then
      raise exception 'payload must be an object with at least one field' using errcode = 'GM002',
        detail = format('job %s', p_at);
    when 'GM003' then
      raise exception 'payload is larger than % bytes', p_what using errcode = 'GM003',
        detail = format('job %s', p_at), hint = 'Store the content elsewhere and enqueue a reference to it.';
    else
      raise exception 'job is malformed' using errcode = 'GM004', detail = format('job %s, field %s', p_at, p_what);
  end case;
end
$$;

comment on function mill.refuse_job(bigint, text, text) is 'Raises GM001 to GM004 for one job of a batch.';
revoke execute on function mill.refuse_job(bigint, text, text) from public;

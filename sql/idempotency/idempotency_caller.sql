create or replace function mill.idempotency_caller() returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_caller text := case when public.is_service_role() then 'service' else auth.uid()::text end;
begin
  if v_caller is null then
    raise exception 'sign in to use an idempotency key' using errcode = '42501';
  end if;
  return v_caller;
end
$$;

comment on function mill.idempotency_caller() is 'Whose idempotency keys count for this call: a user''s id, or "service".';
revoke execute on function mill.idempotency_caller() from public;

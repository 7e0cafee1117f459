-- A retry of the same call gets the first answer. What the function creates and the row with its answer are one transaction:
-- a crash leaves neither, and a call that was refused leaves no row, so its retry is tried anew.
--
-- p_request is what must be the same in a retry: the functions send a digest of method, route and body. Without it that is the function and
-- its arguments, but for p_correlation_id, which is another one in each attempt.
create or replace function public.call_once(p_key text, p_function text, p_arguments jsonb default '{}', p_request text default null)
returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_caller text := mill.idempotency_caller();
  v_request bytea;
  v_answer jsonb;
begin
  if jsonb_typeof(p_arguments) is distinct from 'object' then
    raise exception 'the arguments must be an object' using errcode = 'GM004';
  end if;
  v_request := sha256(convert_to(concat_ws(' ', p_function, coalesce(p_request, (p_arguments - 'p_correlation_id')::text)), 'UTF8'));
  v_answer := mill.kept_answer(v_caller, p_key, v_request);
  if v_answer is not null then
    return jsonb_build_object('answer', v_answer, 'replayed', true);
  end if;

  v_answer := mill.call_repeatable(p_function, p_arguments);
  if v_answer @? (select r.created from mill.repeatable_call r where r.function = p_function) then
    if pg_column_size(v_answer) > 1048576 then
      raise exception 'the answer has more than 1 MiB and cannot be kept' using errcode = 'GM084', hint = 'Send fewer items per call.';
    end if;
    -- The same key may be there from more than 24 hours ago.
    insert into mill.idempotency_key (caller, key, request, answer, created_at) values (v_caller, p_key, v_request, v_answer, mill.now())
    on conflict (caller, key) do update set request = excluded.request, answer = excluded.answer, created_at = excluded.created_at;
  end if;
  return jsonb_build_object('answer', v_answer, 'replayed', false);
end
$$;

comment on function public.call_once(text, text, jsonb, text) is
  'Calls a function that creates something, once per idempotency key of the caller in 24 hours: {answer, replayed}. Raises GM080 when the key was used for another request, GM081 while the first call is running, GM082 past the user''s number of keys.';
revoke execute on function public.call_once(text, text, jsonb, text) from public, anon;
grant execute on function public.call_once(text, text, jsonb, text) to authenticated, service_role;

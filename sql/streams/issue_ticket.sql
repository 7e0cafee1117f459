-- p_arguments name the thing, as the function takes it, without p_after. The ticket is PAYLOAD.SIGNATURE, both in the alphabet of URLs.
create or replace function public.issue_ticket(p_function text, p_arguments jsonb default '{}') returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_kind text := (select c.kind from mill.ticket_call c where c.function = p_function);
  v_expires timestamptz := mill.now() + make_interval(secs => mill.setting('streams.ticket_seconds', '75')::int);
  v_payload text;
begin
  if auth.uid() is null or v_kind is null or jsonb_typeof(p_arguments) is distinct from 'object' or p_arguments ? 'p_after' then
    raise exception 'no ticket can be issued for this function and these arguments' using errcode = 'GM090';
  end if;
  -- A thing that the caller cannot read gets no ticket.
  if mill.call_with_ticket(p_function, p_arguments || jsonb '{"p_after": 9007199254740991}') is null then
    return null;
  end if;
  v_payload := mill.url_text(convert_to(jsonb_build_object('kind', v_kind, 'arguments', p_arguments, 'user', auth.uid(),
    'expires', floor(extract(epoch from v_expires))::bigint)::text, 'UTF8'));
  return jsonb_build_object('ticket', v_payload || '.' || mill.ticket_signature(v_payload), 'expires_at', date_trunc('second', v_expires));
end
$$;

comment on function public.issue_ticket(text, jsonb) is
  'A ticket for a stream of the caller''s: {ticket, expires_at}, or null where there is nothing to read. Raises GM090 for what has no tickets.';
revoke execute on function public.issue_ticket(text, jsonb) from public, anon, service_role;
grant execute on function public.issue_ticket(text, jsonb) to authenticated;

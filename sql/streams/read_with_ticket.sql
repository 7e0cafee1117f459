-- Reads as the user whom the ticket names, and nothing but the thing that it names. Everybody may call this: the ticket is the right.
create or replace function public.read_with_ticket(p_ticket text, p_function text, p_arguments jsonb default '{}') returns jsonb
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_claims jsonb := mill.ticket_claims(p_ticket);
  v_before text := coalesce(current_setting('request.jwt.claims', true), '');
  v_sub_before text := coalesce(current_setting('request.jwt.claim.sub', true), '');
  v_answer jsonb;
begin
  if not exists (select from mill.ticket_call c where c.function = p_function and c.kind = v_claims ->> 'kind')
    or p_arguments - 'p_after' is distinct from v_claims -> 'arguments'
  then
    raise exception 'the ticket was issued for another function or other arguments' using errcode = 'GM090', hint = 'Ask for a new ticket.';
  end if;
  -- Supabase's auth.uid() looks at the older setting first.
  perform set_config('request.jwt.claim.sub', '', true),
    set_config('request.jwt.claims', jsonb_build_object('sub', v_claims ->> 'user', 'role', 'authenticated')::text, true);
  v_answer := mill.call_with_ticket(p_function, p_arguments);
  -- What follows in the transaction is the caller's own again.
  perform set_config('request.jwt.claims', v_before, true), set_config('request.jwt.claim.sub', v_sub_before, true);
  return v_answer;
end
$$;

comment on function public.read_with_ticket(text, text, jsonb) is
  'What a function of mill.ticket_call answers to the user of the ticket. Raises GM090 for a ticket that is forged, expired or for something else.';
revoke execute on function public.read_with_ticket(text, text, jsonb) from public;
grant execute on function public.read_with_ticket(text, text, jsonb) to anon, authenticated, service_role;

-- Digests have one length and no common prefix: how long comparing them takes tells nothing about the signature.
create or replace function mill.ticket_claims(p_ticket text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_payload text := split_part(p_ticket, '.', 1);
  v_claims jsonb;
begin
  if length(p_ticket) <= 2048 and sha256(convert_to(split_part(p_ticket, '.', 2), 'UTF8')) = sha256(convert_to(mill.ticket_signature(v_payload), 'UTF8')) then
    v_claims := convert_from(decode(rpad(translate(v_payload, '-_', '+/'), (length(v_payload) + 3) / 4 * 4, '='), 'base64'), 'UTF8')::jsonb;
  end if;
  if to_timestamp((v_claims ->> 'expires')::bigint) > mill.now() then
    return v_claims;
  end if;
  raise exception 'the ticket is not valid or has expired' using errcode = 'GM090', hint = 'Ask for a new ticket.';
end
$$;

comment on function mill.ticket_claims(text) is 'What a ticket says: {kind, arguments, user, expires}. Raises GM090 for one that is forged or expired.';
revoke execute on function mill.ticket_claims(text) from public;

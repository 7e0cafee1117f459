create or replace function mill.url_text(p_bytes bytea) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select translate(encode(p_bytes, 'base64'), E'+/=\n', '-_') $$;

comment on function mill.url_text(bytea) is 'Bytes as base64 in the alphabet of URLs, without padding.';
revoke execute on function mill.url_text(bytea) from public;

-- mill.sign is shared with webhooks, and its key for tickets signs nothing else.
create or replace function mill.ticket_signature(p_payload text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$ select translate(split_part(mill.sign('tickets', convert_to(p_payload, 'UTF8')), ',', 2), '+/=', '-_') $$;

comment on function mill.ticket_signature(text) is 'The signature of a ticket''s payload.';
revoke execute on function mill.ticket_signature(text) from public;

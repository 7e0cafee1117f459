create or replace function mill.piece_text(p_value jsonb, p_whole boolean) returns text
language sql immutable
return case
  when p_whole then coalesce(p_value::text, 'null')
  -- The inside of a JSON string: escaped, without its quotes.
  else substr(to_jsonb(coalesce(p_value #>> '{}', ''))::text, 2, length(to_jsonb(coalesce(p_value #>> '{}', ''))::text) - 2)
end;

comment on function mill.piece_text(jsonb, boolean) is 'A value as JSON text in the place of a reference. What is missing is null, or nothing within a text.';
revoke execute on function mill.piece_text(jsonb, boolean) from public;

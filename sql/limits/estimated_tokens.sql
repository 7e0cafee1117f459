create or replace function mill.estimated_tokens(p_payload jsonb) returns bigint
language sql immutable
return case
  when jsonb_typeof(p_payload -> 'estimated_tokens') = 'number'
    then least(greatest((p_payload ->> 'estimated_tokens')::numeric, 0), 1000000000)::bigint
  else 1000
end;

comment on function mill.estimated_tokens(jsonb) is 'What a job says that it will use; 1000 when it says nothing.';
revoke execute on function mill.estimated_tokens(jsonb) from public;

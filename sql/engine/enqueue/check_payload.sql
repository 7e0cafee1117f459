-- Inlined into its callers. {} has 8 bytes: comparing with it took longer than both other checks.
create or replace function mill.check_payload(p_payload jsonb, p_max_bytes int, p_at bigint) returns boolean
language sql stable
return case
  when p_payload is null or jsonb_typeof(p_payload) <> 'object' or pg_column_size(p_payload) <= 8 then mill.refuse_job(p_at, 'GM002', null)
  when pg_column_size(p_payload) > p_max_bytes then mill.refuse_job(p_at, 'GM003', p_max_bytes::text)
  else true
end;

comment on function mill.check_payload(jsonb, int, bigint) is 'True, or raises what is wrong with the payload of one job of a batch.';
revoke execute on function mill.check_payload(jsonb, int, bigint) from public;

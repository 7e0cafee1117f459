-- {by: names of fields, within_seconds}. For kinds and for single jobs.
create or replace function mill.is_unique_option(p_unique jsonb) returns boolean
language sql immutable
return coalesce(jsonb_typeof(p_unique) = 'object' and p_unique - 'by' - 'within_seconds' = '{}'
  and jsonb_typeof(p_unique -> 'by') = 'array' and not p_unique @? '$.by[*] ? (@.type() != "string" || @ == "")'
  and jsonb_typeof(p_unique -> 'within_seconds') = 'number'
  and (p_unique ->> 'within_seconds')::numeric between 1 and 31536000 and (p_unique ->> 'within_seconds')::numeric % 1 = 0, false);

comment on function mill.is_unique_option(jsonb) is 'Whether a value says by which fields jobs are unique, and for how long.';
revoke execute on function mill.is_unique_option(jsonb) from public;

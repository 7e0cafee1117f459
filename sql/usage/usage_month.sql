create or replace function mill.usage_month(p_at timestamptz) returns date
language sql immutable
return date_trunc('month', p_at at time zone 'UTC')::date;

comment on function mill.usage_month(timestamptz) is 'The month that usage at a time counts to, by UTC.';
revoke execute on function mill.usage_month(timestamptz) from public;

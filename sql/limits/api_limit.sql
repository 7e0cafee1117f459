create or replace function mill.api_limit(p_provider text, p_endpoint text) returns mill.api_rate_limits
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit mill.api_rate_limits;
begin
  select l.* into v_limit from mill.api_rate_limits l where l.provider_name = p_provider and l.api_endpoint = p_endpoint;
  if not found then
    raise exception 'no rate limit is configured for % / %', coalesce(left(p_provider, 64), 'null'), coalesce(left(p_endpoint, 64), 'null')
      using errcode = 'GM020', hint = 'Insert a row into mill.api_rate_limits. A column that is null sets no limit.';
  end if;
  return v_limit;
end
$$;

comment on function mill.api_limit(text, text) is 'The limit of a provider and endpoint; GM020 when there is none.';
revoke execute on function mill.api_limit(text, text) from public;

-- A search text, cut at the blanks that stand outside of double quotes. Bounded: 500 characters and 20 terms.
create or replace function mill.search_tokens(p_search text) returns table (at int, token text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_search text := coalesce(p_search, '');
  v_at int := 0; -- places count from 0
  v_count int := 0;
begin
  if length(v_search) > 500 then
    perform mill.refuse_search(format('the search has %s characters, and 500 are allowed', length(v_search)), 500, '', 'Shorten it.');
  end if;
  loop
    v_at := v_at + length(substring(v_search from '^\s*'));
    v_search := substr(p_search, v_at + 1);
    exit when v_search = '';
    token := substring(v_search from '^(?:[^\s"]|"(?:[^"\\]|\\.)*")+');
    if token is null or substr(v_search, length(token) + 1, 1) = '"' then
      perform mill.refuse_search('a quote is not closed', v_at + coalesce(length(token), 0), substr(v_search, coalesce(length(token), 0) + 1), 'Close it with ".');
    end if;
    at := v_at;
    v_count := v_count + 1;
    if v_count > 20 then
      perform mill.refuse_search('the search has more than 20 terms', v_at, token, 'Leave some out.');
    end if;
    return next;
    v_at := v_at + length(token);
    v_search := substr(p_search, v_at + 1);
  end loop;
end
$$;

comment on function mill.search_tokens(text) is 'The terms of a search text with their places, not yet understood.';
revoke execute on function mill.search_tokens(text) from public;

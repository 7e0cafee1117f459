-- What the values of a term say: one in quotes, or several with commas between them.
create or replace function mill.search_values(p_text text) returns jsonb
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case when p_text ~ '^".*"$' then jsonb_build_array(regexp_replace(substr(p_text, 2, length(p_text) - 2), '\\(.)', '\1', 'g'))
    else to_jsonb(array(select v from unnest(string_to_array(p_text, ',')) v where v <> '')) end
$$;

comment on function mill.search_values(text) is 'The values of one term of a search.';
revoke execute on function mill.search_values(text) from public;

-- Takes a search text apart: {key, op, not, values, quoted, path, at, length}, a row for each term. key is word for a bare word. p_keys are the keys that
-- the search has; payload and column have a path behind them and are known where p_keys has payload.
create or replace function mill.search_terms(p_search text, p_keys text[]) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_terms jsonb := '[]'::jsonb;
  v_token record;
  v_not boolean;
  v_text text;
  v_is text[];
  v_values jsonb;
  v_path text[];
begin
  for v_token in select * from mill.search_tokens(p_search) loop
    v_not := v_token.token ~ '^-.';
    v_text := case when v_not then substr(v_token.token, 2) else v_token.token end;
    v_is := regexp_match(v_text, '^([A-Za-z_]+)((?:\.[^\s.:=!"]+)*)(:|!=|=)(.*)$');
    if v_is is null then
      v_terms := v_terms || jsonb_build_object('key', 'word', 'op', ':', 'not', v_not, 'values', case when v_text ~ '^".*"$' then mill.search_values(v_text) else jsonb_build_array(v_text) end,
        'quoted', v_text ~ '^"', 'at', v_token.at, 'length', length(v_token.token), 'term', v_token.token);
      continue;
    end if;
    if v_is[1] = 'column' then -- column:payload.a.b has its path where others have their value
      v_is := array['column', (regexp_match(v_is[4], '^payload((?:\.[^\s.:=!"]+)+)$'))[1], ':', v_is[4]];
      if v_is[2] is null then
        perform mill.refuse_search('a column is a field of the payload', v_token.at, v_token.token, 'Write it as column:payload.user_id.');
      end if;
    end if;
    if not v_is[1] = any (p_keys || case when 'payload' = any (p_keys) then array['column'] else '{}' end) then
      perform mill.refuse_search(format('there is no search key "%s"', left(v_is[1], 40)), v_token.at, v_token.token,
        format('Keys are %s. A text with a colon stands in double quotes.', array_to_string(p_keys, ', ')));
    end if;
    v_path := string_to_array(substr(v_is[2], 2), '.');
    if (v_is[1] in ('payload', 'column')) <> (cardinality(v_path) > 0) then
      perform mill.refuse_search(case when v_is[1] = 'payload' then 'payload needs the name of a field' else format('%s has no fields', v_is[1]) end, v_token.at, v_token.token,
        'Write the field of a payload as payload.user_id=42.');
    end if;
    if v_is[3] <> ':' and v_is[1] <> 'payload' then
      perform mill.refuse_search(format('behind %s comes a colon', v_is[1]), v_token.at, v_token.token, format('Write %s:value; -%1$s:value is its opposite.', v_is[1]));
    end if;
    v_values := mill.search_values(v_is[4]);
    if v_values = '[]' or v_values = '[""]' and v_is[1] <> 'payload' then
      perform mill.refuse_search(format('%s has no value', v_is[1]), v_token.at, v_token.token);
    end if;
    v_terms := v_terms || jsonb_build_object('key', v_is[1], 'op', v_is[3], 'not', v_not <> (v_is[3] = '!='), 'values', v_values, 'quoted', v_is[4] ~ '^"',
      'path', v_path, 'at', v_token.at, 'length', length(v_token.token), 'term', v_token.token);
  end loop;
  return v_terms;
end
$$;

comment on function mill.search_terms(text, text[]) is 'The terms of a search text as an array; raises GM110 with the place of one that cannot be read.';
revoke execute on function mill.search_terms(text, text[]) from public;

-- A pattern of a JSON Schema is an ECMAScript regular expression; Postgres has its own. They differ in what \w, \d, \s and a dot match, in
-- brackets, and in escapes. So a pattern is read token by token and written anew with what both understand alike. Whether a
-- text matches is all that counts: groups do not capture, and a lazy quantifier is as good as a greedy one.
--
-- Null for what is not translated: back references, named groups, lookbehind, \b, \p{…}, {n} above 255, and all that is no expression in
-- ECMAScript's Unicode mode either.

-- A character is written as itself where it cannot mean anything else, and as an escape otherwise.
create or replace function mill.pattern_character(p_code int) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when chr(p_code) ~ '^[A-Za-z0-9_ ]$' then chr(p_code)
    when p_code < 65536 then '\u' || lpad(to_hex(p_code), 4, '0')
    else '\U' || lpad(to_hex(p_code), 8, '0') end
$$;

comment on function mill.pattern_character(int) is 'A character as a regular expression of Postgres that matches nothing else.';
revoke execute on function mill.pattern_character(int) from public;

-- What an escape at the beginning of a text is: how many characters it takes, and either one character (code) or the inside of a bracket (class).
-- size is null for an escape that is not translated.
create or replace function mill.pattern_escape(p_text text, out size int, out code int, out class text)
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_match text[];
begin
  v_match := regexp_match(p_text, '^\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2}))');
  if v_match is not null then
    code := ('x' || lpad(coalesce(v_match[1], v_match[2], v_match[3]), 8, '0'))::bit(32)::int;
    -- Halves of a pair stand for one character together, which a text of Postgres has as one.
    if code between 1 and 1114111 and code not between 55296 and 57343 then
      size := case when v_match[1] is not null then 6 when v_match[2] is not null then 4 + length(v_match[2]) else 4 end;
    end if;
    return;
  end if;
  size := 2;
  case
    when substr(p_text, 2, 1) in ('n', 'r', 't', 'f', 'v') then
      code := case substr(p_text, 2, 1) when 'n' then 10 when 'r' then 13 when 't' then 9 when 'f' then 12 else 11 end;
    when substr(p_text, 2, 1) = 'd' then class := '0-9';
    when substr(p_text, 2, 1) = 'w' then class := 'A-Za-z0-9_';
    when substr(p_text, 2, 1) = 's' then
      class := '\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
    when substr(p_text, 2, 1) ~ '^[!-/:-@\[-`{-~]$' then code := ascii(substr(p_text, 2, 1));
    else size := null;
  end case;
end
$$;

comment on function mill.pattern_escape(text) is 'What an escape at the beginning of a pattern matches, and how many characters it takes.';
revoke execute on function mill.pattern_escape(text) from public;

-- A bracket at the beginning of a text: what it is in Postgres, and how many characters it took. size is null when it is not translated.
create or replace function mill.pattern_bracket(p_text text, out size int, out bracket text)
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_at int := case when substr(p_text, 2, 1) = '^' then 3 else 2 end;
  v_from int; -- the character before, which may begin a range
  v_is_range boolean := false;
  v_escape record;
  v_code int;
  v_class text;
begin
  bracket := case when v_at = 3 then '[^' else '[' end;
  loop
    if v_at > length(p_text) then
      return; -- it has no end
    elsif substr(p_text, v_at, 1) = ']' then
      exit;
    end if;
    v_class := null;
    if substr(p_text, v_at, 1) = '\' then
      v_escape := mill.pattern_escape(substr(p_text, v_at));
      if v_escape.size is null or v_escape.class is not null and v_is_range then
        return;
      end if;
      v_at := v_at + v_escape.size;
      v_code := v_escape.code;
      v_class := v_escape.class;
    else
      v_code := ascii(substr(p_text, v_at, 1));
      v_at := v_at + 1;
    end if;

    if v_class is not null then
      bracket := bracket || v_class;
      v_from := null;
      if substr(p_text, v_at, 1) = '-' and substr(p_text, v_at + 1, 1) <> ']' then
        return; -- a range from a class
      end if;
    elsif v_is_range then
      if v_code < v_from then
        return;
      end if;
      bracket := bracket || '-' || mill.pattern_character(v_code);
      v_is_range := false;
    else
      bracket := bracket || mill.pattern_character(v_code);
      v_from := v_code;
      if substr(p_text, v_at, 1) = '-' and substr(p_text, v_at + 1, 1) not in (']', '') then
        v_is_range := true;
        v_at := v_at + 1;
      end if;
    end if;
  end loop;
  if v_at > 2 and bracket not in ('[', '[^') then
    size := v_at;
    bracket := bracket || ']';
  end if;
end
$$;

comment on function mill.pattern_bracket(text) is 'A bracket at the beginning of a pattern as Postgres has it, and how many characters it took.';
revoke execute on function mill.pattern_bracket(text) from public;

create or replace function mill.translate_pattern(p_pattern text) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rest text := p_pattern;
  v_result text := '';
  v_is_atom boolean := false; -- whether a quantifier may follow
  v_groups boolean[] := array[]::boolean[]; -- the open ones; true for a lookahead
  v_token text;
  v_escape record;
  v_bracket record;
begin
  while v_rest <> '' loop
    v_token := left(v_rest, 1);
    case
      when v_token = '\' then
        if v_rest ~ '^\\[DWS]' then
          v_escape := mill.pattern_escape('\' || lower(substr(v_rest, 2, 1)));
          v_result := v_result || '[^' || v_escape.class || ']';
        else
          v_escape := mill.pattern_escape(v_rest);
          if v_escape.size is null then
            return null;
          end if;
          v_result := v_result || coalesce('[' || v_escape.class || ']', mill.pattern_character(v_escape.code));
        end if;
        v_token := left(v_rest, v_escape.size);
        v_is_atom := true;
      when v_token = '[' then
        v_bracket := mill.pattern_bracket(v_rest);
        if v_bracket.size is null then
          return null;
        end if;
        v_result := v_result || v_bracket.bracket;
        v_token := left(v_rest, v_bracket.size);
        v_is_atom := true;
      when v_token = '(' then
        v_token := coalesce(substring(v_rest from '^\(\?[:=!]'), '(');
        if v_token = '(' and substr(v_rest, 2, 1) = '?' then
          return null;
        end if;
        v_groups := v_groups || (v_token in ('(?=', '(?!'));
        v_result := v_result || case v_token when '(' then '(?:' else v_token end;
        v_is_atom := false;
      when v_token = ')' then
        if v_groups = '{}' then
          return null;
        end if;
        v_is_atom := not v_groups[cardinality(v_groups)];
        v_groups := trim_array(v_groups, 1);
        v_result := v_result || ')';
      when v_token in ('*', '+', '?', '{') then
        v_token := substring(v_rest from '^(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})');
        if v_token is null or not v_is_atom or exists (select from regexp_matches(v_token, '\d+', 'g') as n(bound) where n.bound[1]::int > 255) then
          return null;
        end if;
        v_result := v_result || v_token;
        v_token := v_token || coalesce(substring(substr(v_rest, length(v_token) + 1) from '^\?'), '');
        v_is_atom := false;
      when v_token in ('^', '$', '|') then
        v_result := v_result || v_token;
        v_is_atom := false;
      when v_token = '.' then
        v_result := v_result || '[^\u000a\u000d\u2028\u2029]';
        v_is_atom := true;
      when v_token in (']', '}') then
        return null;
      else
        v_result := v_result || mill.pattern_character(ascii(v_token));
        v_is_atom := true;
    end case;
    v_rest := substr(v_rest, length(v_token) + 1);
  end loop;
  if v_groups <> '{}' then
    return null;
  end if;
  perform '' ~ v_result; -- Postgres may find it too complex, or a bound in the wrong order
  return v_result;
exception when invalid_regular_expression then
  return null;
end
$$;

comment on function mill.translate_pattern(text) is 'An ECMAScript regular expression as one of Postgres that matches the same texts; null when there is none.';
revoke execute on function mill.translate_pattern(text) from public;

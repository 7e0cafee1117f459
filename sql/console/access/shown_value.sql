-- A payload or result as the console shows it: {value, text, bytes, cut, masked}. value is null when the text was cut. The text is exact also
-- where a number is larger than JavaScript's.
create or replace function mill.shown_value(p_value jsonb, p_is_masked boolean, p_max_bytes int) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_text text := p_value::text;
  v_bytes int := octet_length(v_text);
  v_value jsonb := p_value;
begin
  if p_value is null then
    return '{"value": null, "text": null, "bytes": 0, "cut": false, "masked": false}'::jsonb;
  end if;
  if p_is_masked then
    v_value := case when v_bytes > 262144 then to_jsonb(format('‹%s bytes›', v_bytes)) else mill.masked(p_value) end;
    v_text := v_value::text;
  end if;
  return jsonb_build_object('value', case when octet_length(v_text) <= p_max_bytes then v_value end, 'text', mill.cut_text(v_text, p_max_bytes),
    'bytes', v_bytes, 'cut', octet_length(v_text) > p_max_bytes, 'masked', p_is_masked);
end
$$;

comment on function mill.shown_value(jsonb, boolean, int) is 'A JSON value for the console: {value, text, bytes, cut, masked}.';
revoke execute on function mill.shown_value(jsonb, boolean, int) from public;

-- Both spellings are taken: ours (page_size) and the compatible one (pageSize). Whatever is written has all options, so
-- that two requests that mean the same are the same.
create or replace function mill.export_options(p_options jsonb) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_page text := coalesce(p_options ->> 'page_size', p_options ->> 'pageSize', 'a4');
  v_colour text := coalesce(p_options ->> 'color_mode', p_options ->> 'colorMode', 'color');
  -- The compatible word for standard.
  v_quality text := coalesce(nullif(lower(p_options ->> 'quality'), 'normal'), 'standard');
  v_given jsonb := p_options -> 'margins';
  v_margins jsonb := jsonb '{"top": 0.8, "right": 0.85, "bottom": 0.8, "left": 0.85}';
begin
  if jsonb_typeof(v_given) = 'number' then
    v_given := jsonb_build_object('top', v_given, 'right', v_given, 'bottom', v_given, 'left', v_given);
  end if;
  v_margins := v_margins || coalesce(nullif(v_given, 'null'), '{}');
  if lower(v_page) not in ('a4', 'letter', 'legal') then
    raise exception 'page_size must be A4, Letter or Legal' using errcode = 'GM004';
  elsif lower(v_quality) not in ('draft', 'standard', 'high') then
    raise exception 'quality must be draft, standard or high' using errcode = 'GM004';
  elsif lower(v_colour) not in ('color', 'grayscale') then
    raise exception 'color_mode must be color or grayscale' using errcode = 'GM004';
  elsif (select count(*) from jsonb_each(v_margins)) <> 4
    or v_margins @? '$.* ? (@.type() != "number" || @ < 0 || @ > 2)' then
    raise exception 'margins must be top, right, bottom and left, each from 0 to 2 inches' using errcode = 'GM004';
  end if;
  return jsonb_build_object('page_size', lower(v_page), 'color_mode', lower(v_colour), 'quality', lower(v_quality), 'margins', v_margins);
end
$$;

comment on function mill.export_options(jsonb) is 'Options of an export with all of them set; GM004 for one that is not known.';
revoke execute on function mill.export_options(jsonb) from public;

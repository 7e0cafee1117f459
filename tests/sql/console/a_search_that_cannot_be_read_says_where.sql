select plan(25);
select set_config('request.jwt.claims', '{"role": "authenticated", "sub": "00000000-0000-4000-8000-00000000000a", "gristmill_role": "admin"}', false);
set role authenticated;
-- What is wrong, and where: message and place.
create function pg_temp.refused(p_search text) returns text language plpgsql as $$
declare v_detail text;
begin
  perform public.console_jobs(p_search);
  return 'accepted';
exception when sqlstate 'GM110' then
  get stacked diagnostics v_detail = pg_exception_detail;
  return format('%s @%s+%s', sqlerrm, v_detail::jsonb ->> 'at', v_detail::jsonb ->> 'length');
end $$;
select is(pg_temp.refused('kind:echo stat:x'), 'there is no search key "stat" @10+6', 'an unknown key is named with its place');
select is(pg_temp.refused('  name:"a b'), 'a quote is not closed @7+4', 'an open quote is found');
select is(pg_temp.refused('state:done'), '"done" is no state @0+10', 'an unknown state is named');
select is(pg_temp.refused('id:12'), '"12" is no value for id @0+5', 'an id that is none is named');
select is(pg_temp.refused('owner:me'), '"me" is no value for owner @0+8', 'an owner is a UUID');
select is(pg_temp.refused('since:yesterday'), '"yesterday" is no value for since @0+15', 'a time that is none is named');
select is(pg_temp.refused('since:2026-02-30'), '"2026-02-30" is no value for since @0+16', 'a day that does not exist is no time');
select is(pg_temp.refused('until:99999999d'), '"99999999d" is no value for until @0+15', 'a time too long ago is no time');
select is(pg_temp.refused('priority:high'), '"high" is no value for priority @0+13', 'a priority is a number');
select is(pg_temp.refused('payload:42'), 'payload needs the name of a field @0+10', 'payload alone says nothing');
select is(pg_temp.refused('kind.a:b'), 'kind has no fields @0+8', 'only payload has fields');
select is(pg_temp.refused('kind=echo'), 'behind kind comes a colon @0+9', 'a sign that does not fit is named');
select is(pg_temp.refused('kind:'), 'kind has no value @0+5', 'a key without a value is named');
select is(pg_temp.refused('column:name'), 'a column is a field of the payload @0+11', 'only fields of the payload are columns');
select is(pg_temp.refused(repeat('a ', 21)), 'the search has more than 20 terms @40+1', 'a search has 20 terms at the most');
select is(pg_temp.refused(repeat('a', 501)), 'the search has 501 characters, and 500 are allowed @500+0', 'a search has 500 characters at the most');
select is(pg_temp.refused('"http://example.com/a?b=c"'), 'accepted', 'a text with colons stands in quotes');
select is(pg_temp.refused('payload.n=1e999'), 'accepted', 'a huge number is a number');
select is(pg_temp.refused('payload.n=1e99999999'), 'accepted', 'a number with an absurd exponent is compared as text');
select is(pg_temp.refused(E'name:"a\\"b\\\\c" %_\\'), 'accepted', 'escapes and wildcards are characters');
select is(pg_temp.refused($$ name:'x'); drop table mill.job_live; -- $$), 'accepted', 'SQL in a search is text');
reset role;
select isnt(to_regclass('mill.job_live'), null, 'SQL in a search was not run');
set role authenticated;
select throws_ok($$ select public.console_jobs('', 'x') $$, 'GM110', 'this RPC has not given this cursor', 'a cursor that is none is refused');
select is(pg_temp.refused(E'\t\n  '), 'accepted', 'blanks are no search');
select is(pg_temp.refused('since:2026-01-01T10:00 until:"2026-11-18 10:00" since:90s'), 'accepted', 'dates, times and spans are times');
select * from finish();

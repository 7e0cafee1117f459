-- Reads the sentences from the functions themselves, so that a reason which is added later is looked at too.
select plan(3);
create temp table reason as
select distinct m.found[1] as code, replace(m.found[2], '''''', '''') as sentence
from pg_proc p cross join lateral regexp_matches(p.prosrc, $$select '([a-z_]+)',[^']*'((?:[^']|'')*)'$$, 'g') as m(found)
where p.pronamespace = 'mill'::regnamespace and p.proname like 'explain\_%';
select cmp_ok((select count(*)::int from reason), '>=', 26, 'there are reasons to be looked at');
select is_empty($$ select code, sentence from reason
  where sentence !~ '(Run |run |Send it: |run: |Start |Raise |Add |Mend |Look |look |Wait|Enqueue |Deploy |retry|nothing to do|The next one|makes it pending|gives the job back)' $$, 'each sentence says what to do');
select set_eq('select code from reason', array['all_invocations_busy', 'behind_others', 'breaker_open', 'breaker_probing', 'cancel_requested', 'cancelled', 'cannot_invoke', 'completed', 'dead', 'due_soon',
  'group_at_cap', 'invocation_failed', 'invoked', 'its_turn', 'kind_unserved', 'lease_expired', 'no_worker', 'not_due', 'provider_full', 'pump_silent', 'queue_at_cap', 'queue_paused', 'retrying', 'running',
  'sleeps', 'snoozed', 'unknown_kind', 'waits_for_event'], 'the reasons are those that the tests beside this one bring about');
select * from finish();

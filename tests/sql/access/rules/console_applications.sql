-- What the console shows of applications. A user without a role of the console gets the same refusal for every id: tests/sql/console.
insert into rpc_rule (rpc, owner, probe, is_mute, goes_on) values
  ('console_documents', true, null, false, false),
  ('console_document', true, 'public.console_document({id})', true, false),
  ('console_reveal_document', true, $$public.console_reveal_document({id}, 'why')$$, true, true),
  ('console_review_document', true, $$public.console_review_document({id}, 'confirmed', 'why')$$, true, true),
  ('console_exports', true, null, false, false),
  ('console_reveal_export', true, $$public.console_reveal_export({id}, 'why')$$, true, true),
  ('console_refresh', true, null, false, true),
  ('console_usage', true, 'public.console_usage(null, {id})', true, false);

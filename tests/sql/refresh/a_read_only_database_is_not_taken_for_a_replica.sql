select plan(2);
set role authenticated;
set request.jwt.claims = '{"role": "authenticated", "sub": "11111111-1111-4111-8111-111111111111"}';
set default_transaction_read_only = on;
begin;
  select throws_ok($$ select public.upsert_active_subscription_v2('11111111-1111-4111-8111-111111111111', 'AAA', 'quote') $$, '25006', 'the database is read-only',
    'while the whole database is read-only a caller learns that, and may come back');
commit;
set default_transaction_read_only = off;
begin read only;
  select throws_ok($$ select public.upsert_active_subscription_v2('11111111-1111-4111-8111-111111111111', 'AAA', 'quote') $$, 'GM037', null,
    'a read-only request of a database that can be written to belongs on the primary');
commit;
select * from finish();

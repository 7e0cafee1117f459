-- The example of the Standard Webhooks reference libraries.
select plan(3);
select mill.set_secret('reference', decode('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'));
select is(
  mill.sign('reference', 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'::bytea),
  'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  'the signature is the published one');
select throws_ok($$ select mill.set_secret('weak', 'short'::bytea) $$, 'GM010', null, 'a weak key is refused');
select is(mill.sign('absent', 'x'::bytea), null, 'no key, no signature');
select * from finish();

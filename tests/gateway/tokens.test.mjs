// Tokens: whose they are, how long they hold, and every known way to forge one.

import assert from 'node:assert/strict';
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ALICE, Gateway, SECRET, now, open, request, token, tokens } from './harness.mjs';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const strangerRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = (pair, extra) => ({ ...pair.publicKey.export({ format: 'jwk' }), ...extra });
const jwks = JSON.stringify({ keys: [jwk(rsa, { kid: 'r', alg: 'RS256', use: 'sig' }), jwk(ec, { kid: 'e' })] });

let stack;
let strict; // keys by JWKS only, and an audience
before(async () => {
  stack = await open();
  strict = await Gateway.start(stack.databaseUrl, ['no--jwt-secret', '--jwks', jwks, '--jwt-aud', 'app']);
});
after(async () => { await strict.stop(); await stack.close(); });

const who = (bearer, url = stack.url) => request(url, 'POST', '/rpc/whoami', { bearer, body: {} });
const refused = async (bearer, code, message, url) => {
  const response = await who(bearer, url);
  assert.deepEqual([response.status, response.json?.code], [401, code], response.text);
  if (message) assert.equal(response.json.message, message);
  assert.match(response.headers.get('www-authenticate'), /^Bearer error="invalid_token"/);
};
const b64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const asymmetric = (claims, key, header) => {
  const signed = `${b64(header)}.${b64(claims)}`;
  const signer = createSign('sha256').update(signed);
  return `${signed}.${signer.sign({ key: key.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};
const app = { role: 'authenticated', aud: 'app' };

test('without_a_token_the_role_is_the_anonymous_one', async () => {
  const { json } = await stack.rpc('whoami', {}, { as: null });
  assert.deepEqual([json.user, json.role, json.claims.role], ['anon', 'anon', 'anon']);
});

test('a_token_gives_its_role_and_its_claims', async () => {
  const { json } = await who(tokens.alice);
  assert.deepEqual([json.user, json.session, json.claims.sub], ['authenticated', 'authenticator', ALICE]);
  assert.deepEqual(json.claims.app_metadata, { x: [1] });
});

test('a_token_without_role_is_anonymous_with_claims', async () => {
  const { json } = await who(token({ sub: ALICE }));
  assert.deepEqual([json.user, json.claims.sub, json.claims.role], ['anon', ALICE, 'anon']);
});

test('times_hold_with_thirty_seconds_of_leeway', async () => {
  assert.equal((await who(token({ role: 'authenticated', exp: now() - 5 }))).status, 200);
  await refused(token({ role: 'authenticated', exp: now() - 120 }), 'PGRST303', 'JWT expired');
  await refused(token({ role: 'authenticated', nbf: now() + 600 }), 'PGRST303', 'JWT not yet valid');
  await refused(token({ role: 'authenticated', iat: now() + 600 }), 'PGRST303', 'JWT issued at future');
  await refused(token({ role: 'authenticated', exp: 'never' }), 'PGRST303');
});

test('a_role_that_does_not_exist_or_is_not_granted_is_refused', async () => {
  assert.equal((await who(token({ role: 'nosuch' }))).status, 401);
  const superuser = await who(token({ role: 'postgres' }));
  assert.deepEqual([superuser.status, superuser.json.code], [403, '42501']);
});

test('a_role_that_is_no_name_is_refused', async () => {
  for (const role of ['none', '', 'x'.repeat(64), 7, null, ['service_role'], { a: 1 }, 'anon\u0000']) {
    await refused(token({ role }), 'PGRST303');
  }
});

test('unsigned_and_foreign_algorithms_are_refused', async () => {
  const claims = b64({ role: 'service_role' });
  for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
    await refused(`${b64({ alg, typ: 'JWT' })}.${claims}.`, 'PGRST301');
  }
  for (const alg of ['HS384', 'HS512', 'RS256', 'ES256', 'PS256', 'EdDSA', '', 'hs256']) {
    await refused(token({ role: 'service_role' }, { header: { alg } }), 'PGRST301');
  }
  await refused(`${b64({ typ: 'JWT' })}.${claims}.x`, 'PGRST301');
});

test('a_wrong_or_stripped_signature_is_refused', async () => {
  await refused(token({ role: 'service_role' }, { secret: 'another-secret-another-secret-another' }), 'PGRST301', 'No suitable key or wrong key type');
  const [header, , signature] = tokens.alice.split('.');
  await refused(`${header}.${b64({ role: 'service_role' })}.${signature}`, 'PGRST301');
  await refused(tokens.alice.split('.').slice(0, 2).join('.') + '.', 'PGRST301');
  await refused(token({ role: 'service_role' }, { secret: '' }), 'PGRST301');
});

test('malformed_tokens_are_named', async () => {
  await refused('zzz', 'PGRST301', 'Expected 3 parts in JWT; got 1');
  await refused('a.b.c.d.e', 'PGRST301', 'Expected 3 parts in JWT; got 5');
  await refused('!.!.!', 'PGRST301');
  await refused(`${tokens.alice}=`, 'PGRST301');
});

test('headers_that_point_elsewhere_are_not_followed', async () => {
  const forged = { alg: 'HS256', jku: 'http://127.0.0.1:1/jwks', jwk: { kty: 'oct', k: b64('x') }, x5u: 'http://127.0.0.1:1' };
  await refused(token({ role: 'service_role' }, { header: forged, secret: 'x' }), 'PGRST301');
  await refused(token({ role: 'service_role' }, { header: { alg: 'HS256', crit: ['exp'] } }), 'PGRST301');
});

test('key_ids_are_compared_and_nothing_else', async () => {
  for (const kid of ['../../../dev/null', '/dev/null', "x' union select 'x", 'e\u0000', '']) {
    await refused(asymmetric(app, rsa, { alg: 'RS256', kid }), 'PGRST301', undefined, strict.url);
    await refused(token(app, { header: { alg: 'HS256', kid }, secret: '' }), 'PGRST301', undefined, strict.url);
  }
});

test('rs256_and_es256_are_verified_by_the_key_set', async () => {
  for (const [key, header] of [[rsa, { alg: 'RS256', kid: 'r' }], [rsa, { alg: 'RS256' }], [ec, { alg: 'ES256', kid: 'e' }]]) {
    const response = await who(asymmetric(app, key, header), strict.url);
    assert.deepEqual([response.status, response.json.user], [200, 'authenticated'], response.text);
  }
  await refused(asymmetric(app, strangerRsa, { alg: 'RS256', kid: 'r' }), 'PGRST301', undefined, strict.url);
});

test('a_public_key_is_never_a_secret', async () => {
  const header = { alg: 'HS256', kid: 'r' };
  const signed = `${b64(header)}.${b64(app)}`;
  const forms = [
    rsa.publicKey.export({ type: 'spki', format: 'pem' }), rsa.publicKey.export({ type: 'spki', format: 'der' }),
    rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }), jwks, Buffer.from(jwk(rsa).n, 'base64url'),
  ];
  for (const form of forms) {
    const forged = `${signed}.${createHmac('sha256', form).update(signed).digest('base64url')}`;
    await refused(forged, 'PGRST301', undefined, strict.url);
  }
  await refused(asymmetric(app, rsa, { alg: 'ES256', kid: 'r' }), 'PGRST301', undefined, strict.url);
});

test('a_configured_audience_must_be_in_the_token', async () => {
  const aud = (value) => asymmetric({ role: 'authenticated', ...(value === undefined ? {} : { aud: value }) }, rsa, { alg: 'RS256', kid: 'r' });
  assert.equal((await who(aud(['x', 'app']), strict.url)).status, 200);
  for (const value of [undefined, 'other', [], ['other'], null, '']) {
    await refused(aud(value), 'PGRST303', 'JWT not in audience', strict.url);
  }
  await refused(aud({ app: 1 }), 'PGRST303', undefined, strict.url);
});

test('nothing_of_a_token_reaches_the_next_request', async () => {
  for (let round = 0; round < 50; round += 1) {
    const [known, unknown] = await Promise.all([who(tokens.alice), stack.rpc('whoami', {}, { as: null })]);
    assert.equal(known.json.claims.sub, ALICE);
    assert.deepEqual([unknown.json.user, unknown.json.claims], ['anon', { role: 'anon' }]);
  }
});

test('a_weak_secret_keeps_the_gateway_from_starting', async () => {
  for (const secret of ['short', 'a'.repeat(40), 'super-secret-jwt-token-with-at-least-32-characters-long']) {
    const weak = await Gateway.start(stack.databaseUrl, ['--jwt-secret', secret], { awaitReady: false });
    assert.equal(await weak.ended, 1);
    assert.match(weak.log, /too short or a well-known example/);
    assert.ok(!weak.log.includes(secret) || secret === 'short', 'the secret is not printed');
  }
  const lenient = await Gateway.start(stack.databaseUrl, ['--jwt-secret', 'short', '--development']);
  await lenient.stop();
  assert.ok(SECRET.length >= 32);
});

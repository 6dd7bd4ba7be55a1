import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';

import { check } from '../static/js/pass.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const eddsa = keyOf('ed25519', {}, 'EdDSA', (key, data) => sign(null, data, key));
const es256 = keyOf('ec', { namedCurve: 'P-256' }, 'ES256', (key, data) =>
  sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
);

function keyOf(type, options, alg, signWith) {
  const { publicKey, privateKey } = generateKeyPairSync(type, options);
  const kid = `${alg}-1`;
  return { alg, kid, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }, sign: (data) => signWith(privateKey, data) };
}

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

function passOf(key, claims = {}, header = {}) {
  const head = encode({ alg: key.alg, typ: 'JWT', kid: key.kid, ...header });
  const body = encode({ sub: 'u', room: 'r', ticket: 7, exp: NOW / 1_000 + 30, ...claims });
  const signature = key.sign(Buffer.from(`${head}.${body}`)).toString('base64url');
  return `${head}.${body}.${signature}`;
}

const jwks = { keys: [eddsa.jwk, es256.jwk] };
const refusalOf = async (pass, room = 'r', now = NOW) => (await check(pass, jwks, room, now)).refusal;

for (const key of [eddsa, es256]) {
  test(`a pass signed with ${key.alg} lets in`, async () => {
    const verdict = await check(passOf(key), jwks, 'r', NOW);
    assert.equal(verdict.refusal, undefined);
    assert.equal(verdict.claims.sub, 'u');
  });
}

test('no pass', async () => {
  assert.equal(await refusalOf(null), 'none');
  assert.equal(await refusalOf(''), 'none');
});

test('garbage', async () => {
  const [head, body, signature] = passOf(eddsa).split('.');
  for (const pass of ['x', 'a.b.c', '한국', `${head}.${body}`, `${head}.!!.${signature}`, `${head}.${encode([])}.${signature}`, `${head}.${body}.`]) {
    assert.equal(await refusalOf(pass), 'garbage', pass);
  }
});

test('a pass that names no algorithm worth the name is garbage', async () => {
  for (const alg of ['none', 'HS256', undefined]) {
    assert.equal(await refusalOf(passOf(eddsa, {}, { alg })), 'garbage');
  }
});

test('a wrong signature', async () => {
  const [head, , signature] = passOf(eddsa).split('.');
  const other = keyOf('ed25519', {}, 'EdDSA', (key, data) => sign(null, data, key));
  assert.equal(await refusalOf(`${head}.${encode({ sub: 'u', room: 'r', ticket: 1, exp: 1e12 })}.${signature}`), 'signature');
  assert.equal(await refusalOf(passOf({ ...other, kid: eddsa.kid })), 'signature');
  assert.equal(await refusalOf(passOf(eddsa, {}, { kid: 'unknown' })), 'signature');
  assert.equal(await refusalOf(passOf(eddsa, {}, { alg: 'ES256' })), 'signature');
});

test('another room, told before it is told to be late', async () => {
  assert.equal(await refusalOf(passOf(eddsa), 'other'), 'room');
  assert.equal(await refusalOf(passOf(eddsa, { exp: 1 }), 'other'), 'room');
});

test('expired at the very second', async () => {
  assert.equal(await refusalOf(passOf(eddsa), 'r', NOW + 29_999), undefined);
  assert.equal(await refusalOf(passOf(eddsa), 'r', NOW + 30_000), 'expired');
});

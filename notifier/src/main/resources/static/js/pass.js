/**
 * Checks an admission pass as any protected site can: offline, with the public keys of
 * `/api/admission/keys`.
 *
 * @typedef {{sub: string, room: string, ticket: number, exp: number}} Claims
 * @typedef {'none' | 'garbage' | 'signature' | 'room' | 'expired'} Refusal
 */

/** How each kind of key signs; what a pass says of itself isn't asked. */
const ALGORITHMS = {
  Ed25519: { key: { name: 'Ed25519' }, sign: { name: 'Ed25519' }, alg: 'EdDSA' },
  'P-256': {
    key: { name: 'ECDSA', namedCurve: 'P-256' },
    sign: { name: 'ECDSA', hash: 'SHA-256' },
    alg: 'ES256',
  },
};

/**
 * @param {?string} pass
 * @param {{keys: Array<JsonWebKey & {kid?: string}>}} jwks
 * @param {string} roomId that the pass has to be for
 * @param {number} now milliseconds since the epoch
 * @returns {Promise<{claims: Claims} | {refusal: Refusal, claims?: Claims}>}
 * @throws {DOMException} when this browser doesn't know the kind of key
 */
export async function check(pass, jwks, roomId, now) {
  if (!pass) {
    return { refusal: 'none' };
  }
  const parts = pass.split('.');
  const [header, claims] = parts.slice(0, 2).map(readJson);
  const signature = readBytes(parts[2]);
  if (parts.length !== 3 || !isHeader(header) || !signature || !isClaims(claims)) {
    return { refusal: 'garbage' };
  }
  const signed = new TextEncoder().encode(`${parts[0]}.${parts[1]}`);
  if (!(await isSignedByAny(jwks.keys, header, signature, signed))) {
    return { refusal: 'signature' };
  }
  if (claims.room !== roomId) {
    return { refusal: 'room', claims };
  }
  if (claims.exp * 1_000 <= now) {
    return { refusal: 'expired', claims };
  }
  return { claims };
}

async function isSignedByAny(keys, header, signature, signed) {
  for (const jwk of keys) {
    const algorithm = ALGORITHMS[jwk.crv];
    if (!algorithm || header.alg !== algorithm.alg || (header.kid && jwk.kid !== header.kid)) {
      continue;
    }
    const { kty, crv, x, y } = jwk;
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm.key, false, [
      'verify',
    ]);
    if (await crypto.subtle.verify(algorithm.sign, key, signature, signed)) {
      return true;
    }
  }
  return false;
}

function isHeader(value) {
  return Object.values(ALGORITHMS).some(({ alg }) => alg === value?.alg);
}

function isClaims(value) {
  return (
    typeof value?.sub === 'string' &&
    typeof value.room === 'string' &&
    typeof value.ticket === 'number' &&
    typeof value.exp === 'number'
  );
}

function readBytes(part) {
  if (!part || !/^[A-Za-z0-9_-]+$/.test(part)) {
    return null;
  }
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function readJson(part) {
  const bytes = readBytes(part);
  try {
    return bytes && JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

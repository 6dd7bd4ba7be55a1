/** Calls that are for operators. */

/** Kept for this page alone: whoever reloads it shows the token again. */
let token = '';

/** @param {string} given */
export function showToken(given) {
  token = given.trim();
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<{status: number, body: any}>} body is null where there is no JSON
 */
export async function call(path, options = {}) {
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(path, {
    ...options,
    headers,
    cache: 'no-store',
    signal: AbortSignal.timeout(5_000),
  });
  const body = await response.json().catch(() => null);
  return { status: response.status, body };
}

/** @param {number} status */
export const isRefused = (status) => status === 401 || status === 403;

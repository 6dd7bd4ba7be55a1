/** Who this browser is in a room: one name for all its tabs, so that a reload finds its place again. */
import { remember, remembered, roomId } from './page.js';

const key = `sluice:person:${roomId}`;

function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `v-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

let requestId = remembered(key) ?? newName();
remember(key, requestId);

export const person = () => requestId;

/** Takes another name: the old one belongs to a session that this browser no longer has. */
export function becomeSomeoneElse() {
  requestId = newName();
  remember(key, requestId);
}

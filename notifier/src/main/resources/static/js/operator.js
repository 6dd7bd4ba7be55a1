import { call, isRefused, showToken } from './admin.js';
import { drawnInWords, number, say, start, text } from './page.js';

const EVERY_MS = 1_000;
const STATES = ['OPEN', 'PAUSED', 'DRAINING', 'CLOSED'];

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * @typedef {object} RoomStatus
 * @property {string} roomId
 * @property {string} state
 * @property {number} totalWaiting
 * @property {number} active
 * @property {number} capacity
 * @property {number} admittedLastMinute
 */

/** @type {'asking' | 'here' | 'refused' | 'away'} */
let view = 'asking';
/** @type {?string} */
let problem = null;
/** @type {RoomStatus[]} */
let rooms = [];

async function look() {
  try {
    const { status, body } = await call('/api/admin/admission/status');
    if (status === 200) {
      view = 'here';
      rooms = body.rooms;
    } else {
      view = isRefused(status) ? 'refused' : 'away';
    }
  } catch {
    view = 'away';
  }
  draw();
}

/**
 * @param {string} roomId
 * @param {string} key
 * @param {unknown} value
 */
async function set(roomId, key, value) {
  const room = new URLSearchParams({ room: roomId });
  try {
    const { status, body } = await call(`/api/admin/settings/${key}?${room}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(value),
    });
    const why = body?.detail?.replace('value is refused: ', '') ?? `HTTP ${status}`;
    problem = status === 200 || status === 202 ? null : text('deskUnchanged', { why });
  } catch {
    problem = text('deskAway');
  }
  if (problem) {
    say(problem);
  }
  await look();
}

function draw() {
  byId('empty').hidden = !(view === 'here' && rooms.length === 0);
  byId('rooms').hidden = !(view === 'here' && rooms.length > 0);
  byId('refused').hidden = view !== 'refused';
  byId('away').hidden = view !== 'away';
  byId('problem').hidden = problem === null;
  byId('problem').textContent = problem;
  const body = byId('rooms').querySelector('tbody');
  const rows = new Map([...(body?.rows ?? [])].map((row) => [row.dataset.room, row]));
  for (const room of rooms) {
    let row = rows.get(room.roomId);
    rows.delete(room.roomId);
    if (!row) {
      row = rowOf(room.roomId);
      body?.append(row);
    }
    fill(row, room);
  }
  for (const row of rows.values()) {
    row.remove();
  }
}

/** @param {string} roomId */
function rowOf(roomId) {
  const row = document.createElement('tr');
  row.dataset.room = roomId;
  const name = document.createElement('th');
  name.scope = 'row';
  name.textContent = roomId;

  const state = document.createElement('select');
  state.append(...STATES.map((value) => new Option('', value)));
  state.addEventListener('change', () => set(roomId, 'admission.state', state.value));

  const capacity = document.createElement('input');
  capacity.type = 'number';
  capacity.min = '0';
  capacity.addEventListener('change', () => {
    if (capacity.value !== '') {
      set(roomId, 'admission.capacity', Number(capacity.value));
    }
  });

  row.append(name, ...[state, '', '', '', capacity].map(cell));
  return row;
}

/** @param {Node | string} content */
function cell(content) {
  const element = document.createElement('td');
  element.append(content);
  return element;
}

/**
 * @param {HTMLTableRowElement} row
 * @param {RoomStatus} room
 */
function fill(row, room) {
  const [, state, waiting, active, admitted, capacity] = row.cells;
  const select = /** @type {HTMLSelectElement} */ (state.firstElementChild);
  select.setAttribute('aria-label', `${text('deskState')}, ${room.roomId}`);
  for (const option of select.options) {
    option.textContent = text(`state${option.value}`);
  }
  const input = /** @type {HTMLInputElement} */ (capacity.firstElementChild);
  input.setAttribute('aria-label', `${text('deskCapacity')}, ${room.roomId}`);
  // What someone is about to change isn't taken out of their hands.
  if (document.activeElement !== select) {
    select.value = room.state;
  }
  if (document.activeElement !== input) {
    input.value = String(room.capacity);
  }
  row.dataset.state = room.state;
  waiting.textContent = number(room.totalWaiting);
  active.textContent = number(room.active);
  admitted.textContent = number(room.admittedLastMinute);
}

byId('refused').addEventListener('submit', (event) => {
  event.preventDefault();
  showToken(/** @type {HTMLInputElement} */ (byId('token')).value);
  look();
});

drawnInWords(() => {
  document.title = `${text('deskPage')} · Sluice`;
  draw();
});
start();

/** One question at a time, and none while nobody looks. */
async function watch() {
  if (document.visibilityState === 'visible') {
    await look();
  }
  setTimeout(watch, EVERY_MS);
}
watch();

import { SluiceClient, SluiceError } from './sluice-client.js';
import { check } from './pass.js';
import { confirmed, drawnInWords, linkTo, money, roomId, say, start, text } from './page.js';

const ROWS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
const SEATS_IN_ROW = 12;
const AT_MOST = 4;
const PRICE = 14_000;
const HEARTBEAT_MS = 10_000;

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const storageKey = `sluice:pass:${roomId}`;

/** @type {?SluiceClient} */
let sluice = null;
/** @type {?{refusal: string, room?: string}} */
let refused = null;
let held = true;
/** Server time minus this browser's, milliseconds. */
let skew = 0;
/** The longest that a renewal has kept the place: less means that its last stretch has begun. */
let fullHold = 0;
/** @type {Set<string>} */
const chosen = new Set();

// The pass

/** The pass that came with the address, which then forgets it, or the one of a moment ago. */
function takePass() {
  const brought = new URLSearchParams(location.hash.slice(1)).get('pass');
  if (brought !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    keepPass(brought);
    return brought;
  }
  try {
    return sessionStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

/** @param {string} pass */
function keepPass(pass) {
  try {
    sessionStorage.setItem(storageKey, pass);
  } catch {
    // Then a reload asks for a new one in the waiting room.
  }
}

function forgetPass() {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // Nothing was kept.
  }
}

async function fetchKeys() {
  const response = await fetch('/api/admission/keys', { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) {
    throw new Error(`HTTP ${response.status}`);
  }
  const date = Date.parse(response.headers.get('Date') ?? '');
  skew = Number.isNaN(date) ? 0 : date - Date.now();
  return response.json();
}

async function comeIn() {
  const pass = takePass();
  let keys = { keys: [] };
  if (pass) {
    try {
      keys = await fetchKeys();
    } catch {
      refuse('keys');
      return;
    }
    if (!globalThis.crypto?.subtle) {
      refuse('unsupported');
      return;
    }
  }
  let verdict;
  try {
    verdict = await check(pass, keys, roomId, Date.now() + skew);
  } catch {
    refuse('unsupported');
    return;
  }
  if ('refusal' in verdict) {
    if (verdict.refusal !== 'none') {
      forgetPass();
    }
    refuse(verdict.refusal, verdict.claims?.room);
    return;
  }
  openHall(verdict.claims.sub);
}

const LOCKED = '<rect x="10" y="21" width="28" height="20" rx="4"/><path d="M16 21v-6a8 8 0 0 1 16 0v6M24 29v5"/>';
const CLOCK = '<circle cx="24" cy="24" r="17"/><path d="M24 14v11l7 4"/>';

/** @type {Record<string, {key: string, action: string, mark: string}>} */
const REFUSALS = {
  none: { key: 'passNone', action: 'lineUp', mark: LOCKED },
  garbage: { key: 'passGarbage', action: 'lineUp', mark: LOCKED },
  signature: { key: 'passSignature', action: 'lineUp', mark: LOCKED },
  room: { key: 'passRoom', action: 'lineUp', mark: LOCKED },
  expired: { key: 'passExpired', action: 'again', mark: CLOCK },
  keys: { key: 'passKeys', action: 'retry', mark: CLOCK },
  unsupported: { key: 'passUnsupported', action: 'backToFilm', mark: LOCKED },
  timeout: { key: 'gone', action: 'again', mark: CLOCK },
  maxSession: { key: 'maxSession', action: 'again', mark: CLOCK },
  left: { key: 'left', action: 'again', mark: CLOCK },
  completed: { key: 'completed', action: 'again', mark: CLOCK },
  forgotten: { key: 'forgotten', action: 'again', mark: CLOCK },
  notYours: { key: 'notYours', action: 'lineUp', mark: LOCKED },
};

/**
 * @param {string} refusal
 * @param {string} [room]
 */
function refuse(refusal, room) {
  refused = { refusal, room };
  byId('checking').hidden = true;
  byId('hall').hidden = true;
  byId('refusal').hidden = false;
  byId('refusal').dataset.refusal = refusal;
  drawRefusal();
  byId('refusal-title').focus();
  say(byId('refusal-title').textContent ?? '');
}

function drawRefusal() {
  if (!refused) {
    return;
  }
  const { key, action, mark } = REFUSALS[refused.refusal];
  /** @type {Element} */ (document.querySelector('.mark')).innerHTML = mark;
  byId('refusal-title').textContent = text(`${key}Title`);
  byId('refusal-lead').textContent = text(`${key}Lead`, { room: refused.room });
  const first = document.createElement('a');
  first.className = 'button';
  first.textContent = text(action);
  first.href = action === 'retry' ? location.href : linkTo(action === 'backToFilm' ? 'index.html' : 'waiting.html');
  first.addEventListener('click', (event) => {
    if (action === 'retry') {
      event.preventDefault();
      location.reload();
    } else if (action !== 'backToFilm') {
      wishToEnter();
    }
  });
  const back = document.createElement('a');
  back.className = 'button quiet';
  back.textContent = text('backToFilm');
  back.href = linkTo('index.html');
  byId('refusal-actions').replaceChildren(...(action === 'backToFilm' ? [first] : [first, back]));
}

function wishToEnter() {
  try {
    sessionStorage.setItem('sluice:intent', 'enter');
  } catch {
    // Then the waiting room asks.
  }
}

// The hall

/** @param {string} requestId that the pass was given to */
function openHall(requestId) {
  byId('checking').hidden = true;
  byId('hall').hidden = false;
  byId('seats-title').focus();
  drawMap();
  drawBasket();
  sluice = new SluiceClient({ roomId, requestId });
  sluice.addEventListener('timeout', ({ detail }) => {
    refuse(detail.reason === 'MAX_SESSION' ? 'maxSession' : 'timeout');
  });
  sluice.addEventListener('state', ({ detail }) => {
    if (detail.status === 'WAITING') {
      location.replace(linkTo('waiting.html'));
    } else if (detail.status === 'LEFT' || (detail.status === 'COMPLETED' && byId('ticket').hidden && !confirming)) {
      refuse(detail.status.toLowerCase());
    }
  });
  sluice.addEventListener('refused', ({ detail }) => {
    refuse(detail.status === 404 ? 'forgotten' : 'notYours');
  });
  sluice.addEventListener('admitted', ({ detail }) => renewed(detail));
  sluice.addEventListener('renewed', ({ detail }) => renewed(detail));
  sluice.addEventListener('unrenewed', () => {
    held = false;
    drawHold();
  });
  sluice.follow();
  sluice.keepAlive(HEARTBEAT_MS);
  setInterval(drawHold, 1_000);
}

/** @param {import('./sluice-client.js').Place} place */
function renewed(place) {
  held = true;
  if (place.pass) {
    keepPass(place.pass);
  }
  fullHold = Math.max(fullHold, remaining(place));
  drawHold();
}

/** @param {import('./sluice-client.js').Place} place */
const remaining = (place) => Date.parse(place.expiresAt ?? '') - Date.now() - skew;

function drawHold() {
  const hold = byId('hold');
  const place = sluice?.place;
  const left = place?.expiresAt ? remaining(place) : Infinity;
  const ending = held && fullHold > 0 && left < fullHold - HEARTBEAT_MS - 5_000;
  hold.toggleAttribute('data-ending', ending || !held);
  const seconds = Math.max(0, Math.floor(left / 1_000));
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  byId('hold-text').textContent = !held
    ? text('heldLost')
    : ending
      ? text('heldEnding', { time })
      : text('held');
}

/**
 * Whether a seat of this demo was sold before: always the same ones.
 *
 * @param {number} row
 * @param {number} seat
 */
function isTaken(row, seat) {
  // Seats go in pairs, and those in the middle go first.
  const pair = Math.imul((row + 1) * 31 + (seat >> 1) + 7, 0x9e3779b1) >>> 0;
  const middle = 1 - Math.hypot((seat - 5.5) / 7, (row - 4.5) / 5);
  return pair / 2 ** 32 < 0.1 + 0.75 * middle;
}

function drawMap() {
  const rows = byId('rows');
  rows.replaceChildren(
    ...ROWS.map((name, rowIndex) => {
      const row = document.createElement('div');
      row.className = 'row';
      row.append(label(name));
      for (let seat = 0; seat < SEATS_IN_ROW; seat++) {
        if (seat === SEATS_IN_ROW / 2) {
          const aisle = label('');
          aisle.className = 'aisle';
          row.append(aisle);
        }
        row.append(seatButton(name, rowIndex, seat));
      }
      row.append(label(name));
      return row;
    }),
  );
  const first = rows.querySelector('.seat:not([aria-disabled])') ?? rows.querySelector('.seat');
  first?.setAttribute('tabindex', '0');
  rows.addEventListener('keydown', moveWithKeys);
  nameSeats();
}

/** @param {string} words */
function label(words) {
  const element = document.createElement('span');
  element.ariaHidden = 'true';
  element.textContent = words;
  return element;
}

/**
 * @param {string} row
 * @param {number} rowIndex
 * @param {number} seat
 */
function seatButton(row, rowIndex, seat) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'seat';
  button.tabIndex = -1;
  button.dataset.row = row;
  button.dataset.seat = String(seat + 1);
  button.textContent = String(seat + 1);
  if (isTaken(rowIndex, seat)) {
    button.setAttribute('aria-disabled', 'true');
  } else {
    button.setAttribute('aria-pressed', 'false');
    button.addEventListener('click', () => choose(button));
  }
  button.addEventListener('focus', () => {
    byId('rows').querySelector('.seat[tabindex="0"]')?.setAttribute('tabindex', '-1');
    button.tabIndex = 0;
  });
  return button;
}

function nameSeats() {
  for (const button of document.querySelectorAll('.seat')) {
    const { row, seat } = /** @type {HTMLElement} */ (button).dataset;
    const key = button.hasAttribute('aria-disabled') ? 'seatTaken' : 'seatName';
    button.setAttribute('aria-label', text(key, { row, seat }));
  }
}

/** @param {KeyboardEvent} event */
function moveWithKeys(event) {
  const seats = /** @type {HTMLElement[]} */ ([...byId('rows').querySelectorAll('.seat')]);
  const at = seats.indexOf(/** @type {HTMLElement} */ (event.target));
  const steps = /** @type {Record<string, number>} */ ({
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -SEATS_IN_ROW,
    ArrowDown: SEATS_IN_ROW,
    Home: -(at % SEATS_IN_ROW),
    End: SEATS_IN_ROW - 1 - (at % SEATS_IN_ROW),
  });
  const step = steps[event.key];
  if (at >= 0 && step !== undefined) {
    event.preventDefault();
    seats[at + step]?.focus();
  }
}

/** @param {HTMLButtonElement} button */
function choose(button) {
  const id = `${button.dataset.row}-${button.dataset.seat}`;
  if (!chosen.has(id) && chosen.size === AT_MOST) {
    say(text('atMost'));
    byId('at-most').hidden = false;
    return;
  }
  byId('at-most').hidden = true;
  const taken = !chosen.delete(id);
  if (taken) {
    chosen.add(id);
  }
  button.setAttribute('aria-pressed', String(taken));
  drawBasket();
  say(text('sayChosen', { seats: seatNames('seatName') || text('none'), total: money(chosen.size * PRICE) }));
}

/**
 * @param {string} key
 * @param {string} [separator]
 */
function seatNames(key, separator = ', ') {
  return [...chosen]
    .map((id) => id.split('-'))
    .sort(([a, x], [b, y]) => a.localeCompare(b) || Number(x) - Number(y))
    .map(([row, seat]) => text(key, { row, seat }))
    .join(separator);
}

function drawBasket() {
  byId('chosen').textContent = seatNames('seatShort') || text('none');
  byId('total').textContent = money(chosen.size * PRICE);
  /** @type {HTMLButtonElement} */ (byId('confirm')).disabled = chosen.size === 0 || confirming;
  byId('confirm').textContent = text(confirming ? 'confirming' : 'confirm');
  byId('ticket-seats').textContent = seatNames('seatShort', ' · ');
}

let confirming = false;

byId('confirm').addEventListener('click', async () => {
  confirming = true;
  drawBasket();
  try {
    await sluice?.complete();
    sluice?.close();
    forgetPass();
    byId('hall').hidden = true;
    byId('ticket').hidden = false;
    byId('ticket-title').focus();
    say(`${text('doneTitle')}. ${seatNames('seatName')}.`);
  } catch (error) {
    confirming = false;
    drawBasket();
    if (error instanceof SluiceError && error.passing) {
      held = false;
      drawHold();
      say(text('heldLost'));
    } else {
      refuse('timeout');
    }
  }
});

byId('give-back').addEventListener('click', async () => {
  if (await confirmed('giving-back')) {
    try {
      await sluice?.leave();
      forgetPass();
    } catch {
      held = false;
      drawHold();
    }
  }
});

drawnInWords(() => {
  document.title = `${text('seatsPage')} · ${text('filmTitle')}`;
  drawRefusal();
  nameSeats();
  drawBasket();
  if (sluice) {
    drawHold();
  }
});
start();
comeIn();

import { call, isRefused, showToken } from './admin.js';
import { RoomsView } from './console-rooms.js';
import { SettingsView } from './console-settings.js';
import { clock, drawnInWords, number, say, start, text } from './page.js';

const EVERY_MS = 1_000;

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {'asking' | 'here' | 'refused' | 'away'} */
let state = 'asking';
/** Why it is away, as far as it was said. */
let why = '';
/** @type {?Date} */
let answeredAt = null;
const rooms = new RoomsView();
const settings = new SettingsView(refuse);

// Views

const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role=tab]')]);

let shown = 'rooms';

/** To the view that the address names: `#settings?key=hot.hold&room=lobby`, `#rooms?room=lobby`. */
function turn() {
  const [name, written] = location.hash.slice(1).split('?');
  if (!['', 'rooms', 'settings'].includes(name)) {
    return; // A place in the view that is shown.
  }
  shown = name || 'rooms';
  const query = new URLSearchParams(written);
  for (const tab of tabs) {
    const isChosen = tab.id === `tab-${shown}`;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  rooms.select(shown === 'rooms' ? query.get('room') : null);
  draw();
  if (shown === 'settings') {
    settings.fill(query);
    settings.look();
  }
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -tabs.length, End: tabs.length };
for (const [place, tab] of tabs.entries()) {
  tab.addEventListener('keydown', (event) => {
    const step = STEPS[/** @type {keyof STEPS} */ (event.key)];
    const isPressed = event.key === ' ';
    if (step === undefined && !isPressed) {
      return;
    }
    event.preventDefault();
    const to =
      Math.abs(step) === 1
        ? (place + step + tabs.length) % tabs.length
        : step > 0
          ? tabs.length - 1
          : 0;
    const next = isPressed ? tab : tabs[to];
    next.click();
    next.focus();
  });
}
addEventListener('hashchange', turn);

// What is shown

function draw() {
  const isOpen = state !== 'refused';
  byId('refused').hidden = isOpen;
  byId('view-rooms').hidden = !isOpen || shown !== 'rooms';
  byId('view-settings').hidden = !isOpen || shown !== 'settings';
  byId('loading').hidden = state !== 'asking';
  byId('figures-of-rooms').hidden = answeredAt === null;
  byId('figures-of-rooms').classList.toggle('stale', state === 'away');

  const time = answeredAt && clock(answeredAt);
  byId('away').hidden = state !== 'away';
  byId('away').classList.toggle('over', answeredAt !== null);
  byId('away').textContent = [
    time ? text('consoleAwaySince', { time }) : text('deskAway'),
    why,
    text('consoleAgain'),
  ].join(' ');
  const link = byId('link');
  link.hidden = !isOpen || !time;
  link.dataset.connection = state === 'here' ? 'live' : 'lost';
  link.textContent = time && text(state === 'here' ? 'consoleLive' : 'consoleLost', { time });

  const hot = isOpen ? rooms.hotCount : 0;
  const badge = byId('hot-badge');
  badge.hidden = hot === 0;
  badge.textContent = text('consoleHot', { text: number(hot) });
  document.title = [
    ...(hot > 0 && state === 'here' ? [text('consoleHot', { text: number(hot) })] : []),
    text('consolePage'),
    'Sluice',
  ].join(' · ');
  rooms.draw();
  settings.draw();
}

// What is asked

function refuse() {
  state = 'refused';
  draw();
}

async function look() {
  const before = state;
  why = '';
  try {
    const { status, body } = await call('/api/admin/monitoring/rooms');
    if (status === 200 && body) {
      state = 'here';
      answeredAt = new Date();
      rooms.take(body);
    } else if (isRefused(status)) {
      state = 'refused';
    } else {
      state = 'away';
      why = body?.detail ?? `HTTP ${status}.`;
    }
  } catch {
    state = 'away';
  }
  if (before === 'here' && state === 'away') {
    say(text('consoleSayLost'));
  } else if (before === 'away' && state === 'here') {
    say(text('sayBack'));
  }
  draw();
}

byId('refused').addEventListener('submit', async (event) => {
  event.preventDefault();
  showToken(/** @type {HTMLInputElement} */ (byId('token')).value);
  await look();
  if (shown === 'settings') {
    settings.look();
  }
});

drawnInWords(draw);
start();
turn();

/** One question at a time, and none while nobody looks. */
async function watch() {
  if (document.visibilityState === 'visible') {
    const began = performance.now();
    await look();
    if (state !== 'refused' && shown === 'settings') {
      await settings.look();
    }
    setTimeout(watch, Math.max(EVERY_MS - (performance.now() - began), EVERY_MS / 4));
  } else {
    document.addEventListener('visibilitychange', watch, { once: true });
  }
}
watch();

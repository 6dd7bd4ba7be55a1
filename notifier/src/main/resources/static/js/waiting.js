import { SluiceClient, SluiceError, hasEnded } from './sluice-client.js';
import { confirmed, drawnInWords, linkTo, number, roomId, say, start, text } from './page.js';
import { becomeSomeoneElse, person } from './person.js';

const NEAR_RANK = 10;
const NEAR_SECONDS = 30;
const SHOW_LOST_AFTER_MS = 3_000;
const SPEAK_RANK_AT_MOST_EVERY_MS = 20_000;
const TIME_TO_READ_MS = 2_500;

/**
 * @typedef {'connecting' | 'pending' | 'waiting' | 'near' | 'paused' | 'admitted' | 'expired'
 *   | 'maxSession' | 'closed' | 'draining' | 'left' | 'completed' | 'forgotten' | 'notYours'
 *   | 'tooMany' | 'failed'} State what the person sees
 */

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const card = byId('room');
const headline = byId('headline');

/** @type {Record<string, {title: string, lead: string, actions?: string[]}>} */
const SCENES = {
  connecting: { title: 'connectingTitle', lead: 'connectingLead' },
  pending: { title: 'connectingTitle', lead: 'pendingLead' },
  waiting: { title: 'waitingHeading', lead: 'waitingLead' },
  near: { title: 'nearTitle', lead: 'nearLead' },
  paused: { title: 'waitingHeading', lead: 'waitingLead' },
  admitted: { title: 'admittedTitle', lead: 'admittedLead', actions: ['toSeats'] },
  expired: { title: 'expiredTitle', lead: 'expiredLead', actions: ['again', 'backToFilm'] },
  maxSession: { title: 'maxSessionTitle', lead: 'maxSessionLead', actions: ['again', 'backToFilm'] },
  closed: { title: 'closedTitle', lead: 'closedLead', actions: ['again', 'backToFilm'] },
  draining: { title: 'drainingTitle', lead: 'drainingLead', actions: ['retry', 'backToFilm'] },
  left: { title: 'leftTitle', lead: 'leftLead', actions: ['again', 'backToFilm'] },
  completed: { title: 'completedTitle', lead: 'completedLead', actions: ['again', 'backToFilm'] },
  forgotten: { title: 'forgottenTitle', lead: 'forgottenLead', actions: ['again', 'backToFilm'] },
  notYours: { title: 'notYoursTitle', lead: 'notYoursLead', actions: ['lineUpAnew', 'backToFilm'] },
  tooMany: { title: 'tooManyTitle', lead: 'tooManyLead', actions: ['retry', 'backToFilm'] },
  failed: { title: 'failedTitle', lead: 'failedLead', actions: ['retry', 'backToFilm'] },
};
const IN_LINE = new Set(['connecting', 'pending', 'waiting', 'near', 'paused']);

/** @type {SluiceClient} */
let sluice;
/** @type {State} */
let state = 'connecting';
/** @type {?SluiceError} */
let failure = null;
/** @type {?ReturnType<typeof setTimeout>} */
let lostTimer = null;
/** @type {?('lost' | 'notLeft')} */
let trouble = null;
let spokenRank = Infinity;
let spokenAt = 0;

// What the person sees

function draw() {
  const place = sluice?.place ?? null;
  const scene = SCENES[state];
  card.dataset.state = state;
  headline.textContent = text(scene.title);
  byId('lead').textContent = text(scene.lead);
  byId('queue').hidden = !IN_LINE.has(state);
  byId('aside').hidden = !IN_LINE.has(state) || state === 'near';
  byId('leave').hidden = !place || place.status !== 'WAITING';
  drawFigures(place);
  drawNotice();
  drawLink();
  drawActions(scene.actions ?? []);
  const detail = byId('detail');
  detail.hidden = !(state === 'failed' && failure);
  detail.textContent = failure ? `${failure.status} · ${failure.message}` : '';
  document.title = titleOf(place);
}

/** @param {?import('./sluice-client.js').Place} place */
function drawFigures(place) {
  const waits = place?.status === 'WAITING' && place.rank !== undefined;
  const rank = waits ? /** @type {number} */ (place.rank) : 0;
  byId('rank').textContent = waits ? number(rank) : '–';
  const behind = Math.max(0, (place?.totalWaiting ?? 0) - rank);
  byId('behind').textContent = waits ? text('people', { n: behind, text: number(behind) }) : '–';
  byId('wait').textContent = waits ? waitOf(place) : '–';
  const level = state === 'admitted' ? 1 : waits ? progress(place) : 0;
  card.style.setProperty('--level', level.toFixed(4));
  const bar = byId('bar');
  bar.classList.toggle('unknown', !waits);
  if (waits) {
    bar.setAttribute('aria-valuenow', String(Math.round(level * 100)));
    bar.setAttribute('aria-valuetext', text('sayRank', { rank: number(rank) }));
  } else {
    bar.removeAttribute('aria-valuenow');
    bar.removeAttribute('aria-valuetext');
  }
}

/**
 * How far from where they started to the gate.
 *
 * @param {import('./sluice-client.js').Place} place
 */
function progress(place) {
  const key = `sluice:start:${place.roomId}:${place.ticket}`;
  const rank = /** @type {number} */ (place.rank);
  let first = rank;
  try {
    first = Math.max(rank, Number(sessionStorage.getItem(key)) || rank);
    sessionStorage.setItem(key, String(first));
  } catch {
    // Without storage the bar starts again after a reload.
  }
  return 0.04 + 0.96 * (first > 1 ? (first - rank) / first : 0.9);
}

/** @param {import('./sluice-client.js').Place} place */
function waitOf({ estimatedWaitSeconds: seconds }) {
  if (seconds === null || seconds === undefined) {
    return text('waitUnknown');
  }
  if (seconds < 60) {
    return text('lessThanMinute');
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 60
    ? text('minutes', { n: minutes, text: number(minutes) })
    : text('hours', { h: number(Math.floor(minutes / 60)), m: number(minutes % 60) });
}

const PAUSE = '<circle cx="12" cy="12" r="9"/><path d="M10 9v6M14 9v6"/>';
const CLOUD =
  '<path d="M3 3l18 18M8.5 6.4A6 6 0 0 1 17.6 10a4 4 0 0 1 2.6 6.6M6 10.3A4.4 4.4 0 0 0 7 19h9.5"/>';

function drawNotice() {
  const notice = byId('notice');
  const what = trouble === 'lost' && !sluice.place ? 'unreached' : trouble;
  const words = what ?? (state === 'paused' ? 'paused' : null);
  notice.hidden = !words;
  if (words) {
    /** @type {Element} */ (notice.querySelector('svg')).innerHTML = what ? CLOUD : PAUSE;
    byId('notice-title').textContent = text(`${words}Title`);
    byId('notice-text').textContent = text(`${words}Text`);
  }
}

function drawLink() {
  const link = byId('link');
  const connection = sluice?.connection ?? 'connecting';
  link.dataset.connection = connection;
  const seconds = Math.round((sluice?.place?.recommendedPollingInterval ?? 5_000) / 1_000);
  link.textContent =
    connection === 'live'
      ? text('linkLive')
      : connection === 'polling'
        ? text('linkPolling', { seconds: number(seconds) })
        : text(connection === 'reconnecting' || connection === 'lost' ? 'linkLost' : 'linkConnecting');
}

/** @param {string[]} actions */
function drawActions(actions) {
  const container = byId('actions');
  container.hidden = actions.length === 0;
  if (container.dataset.for === state) {
    for (const element of container.children) {
      element.textContent = text(/** @type {HTMLElement} */ (element).dataset.words ?? '');
    }
    return;
  }
  container.dataset.for = state;
  container.replaceChildren(...actions.map((action, index) => actionNamed(action, index === 0)));
}

/**
 * @param {string} action
 * @param {boolean} first
 */
function actionNamed(action, first) {
  const isLink = action === 'backToFilm';
  const element = document.createElement(isLink ? 'a' : 'button');
  element.className = first ? 'button' : 'button quiet';
  element.dataset.action = action;
  element.dataset.words = action === 'lineUpAnew' ? 'lineUp' : action;
  element.textContent = text(element.dataset.words);
  if (element instanceof HTMLAnchorElement) {
    element.href = linkTo('index.html');
  } else {
    element.type = 'button';
    element.addEventListener('click', ACTIONS[action]);
  }
  return element;
}

/** @type {Record<string, () => void>} */
const ACTIONS = {
  toSeats: goToSeats,
  again: () => lineUp(),
  retry: () => lineUp(),
  lineUpAnew: () => {
    becomeSomeoneElse();
    begin();
    lineUp();
  },
};

/** @param {?import('./sluice-client.js').Place} place */
function titleOf(place) {
  const site = text('filmTitle');
  if (state === 'admitted') {
    return `${text('waitingTitleTurn')} · ${site}`;
  }
  if (IN_LINE.has(state) && place?.status === 'WAITING' && place.rank) {
    return `${text('waitingTitleRank', { rank: number(place.rank) })} · ${site}`;
  }
  return `${text(SCENES[state].title)} · ${site}`;
}

// What happens

/** @param {State} next */
function become(next) {
  const before = state;
  state = next;
  draw();
  if (before === next) {
    return;
  }
  const scene = SCENES[next];
  if (next === 'paused') {
    say(text('sayPaused'));
  } else if (before === 'paused' && (next === 'waiting' || next === 'near')) {
    say(text('sayResumed'));
  } else if ((next === 'waiting' || next === 'near') && sluice.place) {
    spokenRank = sluice.place.rank ?? Infinity;
    spokenAt = Date.now();
    const where = text('sayWaiting', { rank: number(spokenRank), wait: waitOf(sluice.place) });
    say(next === 'near' ? `${text(scene.title)}. ${where}` : where);
  } else {
    say(`${text(scene.title)}. ${text(scene.lead)}`);
  }
  if (!IN_LINE.has(next)) {
    /** @type {HTMLDialogElement} */ (byId('leaving')).close();
    headline.focus();
  }
}

/** The state that a place and its room call for. */
function stateOf(/** @type {import('./sluice-client.js').Place} */ place) {
  switch (place.status) {
    case 'PENDING':
      return 'pending';
    case 'WAITING': {
      if (sluice.figures?.state === 'PAUSED' || sluice.figures?.capacity === 0) {
        return 'paused';
      }
      const { rank = Infinity, estimatedWaitSeconds: seconds } = place;
      return rank <= NEAR_RANK || (seconds != null && seconds <= NEAR_SECONDS) ? 'near' : 'waiting';
    }
    case 'ADMITTED':
      return 'admitted';
    case 'COMPLETED':
      return 'completed';
    case 'LEFT':
      return 'left';
    default:
      return place.reason === 'CLOSED'
        ? 'closed'
        : place.reason === 'MAX_SESSION'
          ? 'maxSession'
          : 'expired';
  }
}

/** A screen reader hears a rank when it has halved, or near the end, and not every other second. */
function speakRank() {
  const rank = sluice.place?.rank ?? Infinity;
  const weighs = rank <= spokenRank / 2 || (rank <= 3 && rank < spokenRank);
  if (weighs && Date.now() - spokenAt >= SPEAK_RANK_AT_MOST_EVERY_MS) {
    spokenRank = rank;
    spokenAt = Date.now();
    say(text('sayRank', { rank: number(rank) }));
  }
}

function goToSeats() {
  const pass = sluice.place?.pass;
  if (pass) {
    // In the fragment it reaches the next page, and no server's log.
    location.replace(linkTo('seats.html', `#pass=${pass}`));
  }
}

/** @param {unknown} error */
function failed(error) {
  if (!(error instanceof SluiceError)) {
    throw error;
  }
  failure = error;
  const states = /** @type {Record<number, State>} */ ({
    403: 'notYours',
    404: 'forgotten',
    409: sluice.figures?.state === 'CLOSED' || isClosed(error) ? 'closed' : 'draining',
    429: 'tooMany',
  });
  become(states[error.status] ?? 'failed');
}

/** @param {SluiceError} error */
function isClosed({ problem }) {
  return problem.type === 'urn:sluice:problem:room-closed';
}

/** @param {string} connection */
function connectionChanged(connection) {
  if (connection === 'reconnecting' || connection === 'lost') {
    lostTimer ??= setTimeout(() => {
      trouble = 'lost';
      say(sluice.place ? text('sayLost') : `${text('unreachedTitle')}. ${text('unreachedText')}`);
      draw();
    }, SHOW_LOST_AFTER_MS);
  } else {
    clearTimeout(lostTimer ?? undefined);
    lostTimer = null;
    if (trouble === 'lost' && (connection === 'live' || connection === 'polling')) {
      say(text('sayBack'));
    }
    trouble = null;
  }
  draw();
}

/** Listens to this person's place, whatever it is. */
function begin() {
  sluice?.close();
  sluice = new SluiceClient({ roomId, requestId: person() });
  const showPlace = () => {
    if (sluice.place) {
      become(/** @type {State} */ (stateOf(sluice.place)));
    }
  };
  sluice.addEventListener('state', showPlace);
  sluice.addEventListener('rank', () => {
    showPlace();
    speakRank();
  });
  sluice.addEventListener('room', () => {
    if (sluice.place?.status === 'WAITING') {
      showPlace();
    }
  });
  sluice.addEventListener('admitted', () => setTimeout(goToSeats, TIME_TO_READ_MS));
  sluice.addEventListener('connection', ({ detail }) => connectionChanged(detail));
  sluice.addEventListener('refused', ({ detail }) => failed(detail));
}

async function lineUp() {
  failure = null;
  become('connecting');
  try {
    await sluice.enter();
    sluice.follow();
  } catch (error) {
    failed(error);
  }
}

/** Shows a place that this person has or had, and takes one for who never had any. */
async function arrive() {
  let wants = false;
  try {
    wants = sessionStorage.getItem('sluice:intent') === 'enter';
    sessionStorage.removeItem('sluice:intent');
  } catch {
    // Without storage an ended place is shown first, with a button to line up again.
  }
  if (!wants) {
    try {
      if (hasEnded(await sluice.status())) {
        return;
      }
    } catch {
      // None yet, or no answer: entering tells, and tries until it can.
    }
  }
  await lineUp();
}

byId('leave').addEventListener('click', async () => {
  if (await confirmed('leaving')) {
    trouble = trouble === 'notLeft' ? null : trouble;
    try {
      await sluice.leave();
    } catch (error) {
      if (!(error instanceof SluiceError && error.passing)) {
        failed(error);
      } else if (IN_LINE.has(state)) {
        trouble ??= 'notLeft';
        say(`${text('notLeftTitle')}. ${text('notLeftText')}`);
        draw();
      }
    }
  }
});

begin();
drawnInWords(draw);
start();
arrive();
